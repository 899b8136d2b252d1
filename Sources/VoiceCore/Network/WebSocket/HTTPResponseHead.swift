/// Status line and header fields of an HTTP/1.1 reply (RFC 9112 sections 4 and 5).
struct HTTPResponseHead: Equatable {
    let status: Int
    let reason: String
    private let fields: [Field]

    private struct Field: Equatable {
        /// In lower case.
        let name: String
        let value: String
    }

    /// nil if the bytes, which end with an empty line, are not an HTTP/1 header.
    init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
        }
        guard let first = lines.first else { return nil }
        let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let status = Int(parts[1]), status >= 100
        else { return nil }
        self.status = status
        reason = parts.count > 2 ? String(parts[2]) : ""
        var fields: [Field] = []
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
            let value = line[line.index(after: colon)...]
            fields.append(Field(name: line[..<colon].lowercased(), value: Self.trim(value)))
        }
        self.fields = fields
    }

    /// The values of every field with this lower-case name.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// The members of a comma-separated list, in lower case.
    func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map { Self.trim($0).lowercased() }
    }

    /// nil also if the body delimits itself (RFC 9112 section 6.3).
    var contentLength: Int? {
        guard !tokens("transfer-encoding").contains("chunked") else { return nil }
        return values("content-length").first.flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    /// The data of a chunked body (RFC 9112 section 7.1), as far as it is complete.
    static func dechunk(_ body: [UInt8]) -> [UInt8] {
        var rest = body[...]
        var data: [UInt8] = []
        while let end = rest.firstIndex(of: 0x0a) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            let digits = line.prefix { $0.isHexDigit }
            guard let size = Int(digits, radix: 16), size > 0, size <= body.count else { break }
            rest = rest[(end + 1)...]
            data.append(contentsOf: rest.prefix(size))
            rest = rest.dropFirst(size + 2)
        }
        return data
    }

    private static func trim(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isSpace)
        return String(start.reversed().drop(while: isSpace).reversed())
    }
}
