/// Replaces the secrets in use, and whatever looks like a key, in a text.
package struct Redactor: Sendable {
    private var secrets: [String]

    package init(_ secrets: [Secret] = []) {
        // Longest first, because one secret may be a prefix of another.
        self.secrets = secrets.map(\.revealed).sorted { $0.utf8.count > $1.utf8.count }
    }

    package init(_ secrets: Secrets?) {
        self.init(secrets?.all ?? [])
    }

    /// Adds secrets. Earlier ones are kept, because what was sent with them may still be quoted. Added secrets of fewer
    /// than `shortest` bytes are ignored: they may be common words.
    package mutating func add(_ more: Secrets) {
        let known = more.all.map(\.revealed).filter { $0.utf8.count >= Self.shortest && !secrets.contains($0) }
        secrets = (known + secrets).prefix(Self.most).sorted { $0.utf8.count > $1.utf8.count }
    }

    private static let shortest = 12
    private static let most = 32

    package func clean(_ text: String) -> String {
        let bytes = Array(text.utf8)
        // In one pass, so that nothing is replaced within a replacement.
        let wanted = secrets.map { Array($0.utf8) }.filter { !$0.isEmpty && $0.count <= bytes.count }
        guard !wanted.isEmpty else { return Redaction.withoutKeys(text) }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let secret = wanted.first(where: { $0[0] == bytes[index] && bytes[index...].starts(with: $0) }) {
                result += Array("(secret)".utf8)
                index += secret.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return Redaction.withoutKeys(String(decoding: result, as: UTF8.self))
    }
}
