internal import CXml

/// Converts text from outside to UTF-8 as it comes, by iconv. A byte that the encoding does not allow is read as
/// windows-1252, which is what text without a declared encoding is if it is not UTF-8.
package final class TextDecoder {
    private let text: OpaquePointer?
    private var isAtStart = true

    /// Encodings that documents on the web use (WHATWG Encoding Standard), by the beginning of their names.
    private static let known = [
        "utf", "iso88", "iso2022jp", "windows", "cp125", "cp8", "koi8", "mac", "gb", "big5", "euc", "shiftjis", "sjis",
        "ibm",
    ]

    /// - Parameter encoding: its name, as outside text; UTF-8 if it is nil or unknown.
    package init(_ encoding: String? = nil) {
        text = cxml_text_new(Self.name(encoding ?? "")) ?? cxml_text_new("UTF-8")
    }

    deinit { cxml_text_free(text) }

    /// Returns the text without its byte order mark.
    package func decode(_ bytes: [UInt8], isLast: Bool = false) -> [UInt8] {
        guard let text else { return [] }
        let result = [UInt8](unsafeUninitializedCapacity: 4 * (bytes.count + 16)) { buffer, count in
            bytes.withUnsafeBytes { bytes in
                let start = bytes.bindMemory(to: CChar.self).baseAddress
                buffer.withMemoryRebound(to: CChar.self) {
                    count = cxml_text_decode(text, start, bytes.count, isLast ? 1 : 0, $0.baseAddress)
                }
            }
        }
        guard isAtStart, !result.isEmpty else { return result }
        isAtStart = false
        return result.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(result.dropFirst(3)) : result
    }

    package static func string(_ bytes: [UInt8], _ encoding: String? = nil) -> String {
        String(decoding: TextDecoder(encoding).decode(bytes, isLast: true), as: UTF8.self)
    }

    /// Returns the encoding of a document: by its byte order mark, by the header of its transport (RFC 7303 section 3),
    /// or by its XML declaration. A transport that names Latin-1 may do so for every file, so the declaration precedes.
    package static func encoding(of beginning: [UInt8], transport: String? = nil) -> String? {
        let marks: [([UInt8], String)] = [
            ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"),
            ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"), ([0x3C, 0, 0x3F, 0], "UTF-16LE"),
            ([0, 0x3C, 0, 0x3F], "UTF-16BE"),
        ]
        if let mark = marks.first(where: { beginning.starts(with: $0.0) }) { return mark.1 }
        let isLatin = transport.map { name($0) == "CP1252" } ?? true
        return isLatin ? declared(in: beginning) ?? transport : transport
    }

    /// The encoding in `<?xml version="1.0" encoding="..."?>`.
    private static func declared(in beginning: [UInt8]) -> String? {
        let text = String(decoding: beginning.prefix(4096), as: UTF8.self)
        guard let start = text.firstRange(of: "<?xml"),
            let mark = text[start.upperBound...].prefix(while: { $0 != ">" }).firstRange(of: "encoding")
        else { return nil }
        let value = text[mark.upperBound...].drop { $0 == "=" || $0.isWhitespace || $0 == "\"" || $0 == "'" }
        // The declaration was readable as UTF-8, so the text cannot be in UTF-16 or UTF-32.
        let name = value.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }.lowercased()
        return name.hasPrefix("utf-16") || name.hasPrefix("utf-32") ? nil : name
    }

    private static func name(_ encoding: String) -> String {
        let written = encoding.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        let plain = written.filter { $0 != "-" && $0 != "_" }
        switch plain {
        // The label Latin-1 means windows-1252 (WHATWG Encoding Standard).
        case "iso88591", "latin1", "usascii", "ascii", "l1": return "CP1252"
        case _ where plain.hasPrefix("windows"): return "CP" + plain.dropFirst("windows".count)
        case "gb2312", "gbk": return "GB18030"
        case _ where plain.utf8.count <= 20 && known.contains(where: plain.hasPrefix): return written
        default: return "UTF-8"
        }
    }
}
