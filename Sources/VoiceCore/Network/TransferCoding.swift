/// How a reply is coded, by its header fields. A pure value.
///
/// libcurl would unpack as many layers as a server names, each a thousand times as large as the one around it, in one call.
/// So no field names more than one coding, and libcurl is asked to unpack none.
package struct TransferCoding: Sendable, Equatable {
    /// Words that servers write where the content is not coded at all.
    private static let plain: Set<String> = ["none", "utf-8", "utf8", "binary", "8bit", "aws-chunked"]

    private var transfer: [String] = []
    private var content: [String] = []

    package init(_ headers: [(name: String, value: String)] = []) {
        for header in headers { note(header) }
    }

    mutating func note(_ header: (name: String, value: String)) {
        switch header.name.lowercased() {
        case "transfer-encoding": transfer += Self.names(header.value)
        case "content-encoding": content += Self.names(header.value).filter { !Self.plain.contains($0) }
        default: break
        }
    }

    /// Whether the content is compressed; the format is in its first bytes.
    package var isCompressed: Bool { !content.isEmpty }

    /// - Parameter compressed: whether gzip or deflate was offered.
    func isAccepted(compressed: Bool) -> Bool {
        guard transfer.isEmpty || transfer == ["chunked"] else { return false }
        guard let coding = content.first else { return true }
        return compressed && content.count == 1 && ["gzip", "x-gzip", "deflate"].contains(coding)
    }

    private static func names(_ value: String) -> [String] {
        value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init).filter { $0 != "identity" }
    }
}
