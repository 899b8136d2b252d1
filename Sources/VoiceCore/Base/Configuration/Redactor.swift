internal import Synchronization

/// Replaces the secrets in use, and whatever looks like a key, in a text.
package struct Redactor: Sendable {
    private var secrets: [[UInt8]]

    package init(_ secrets: [Secret] = []) {
        self.secrets = secrets.map { Array($0.revealed.utf8) }
    }

    package init(_ secrets: Secrets?) {
        self.init(secrets?.all ?? [])
    }

    /// Adds secrets. Earlier ones are kept, because what was sent with them may still be quoted. Added secrets of fewer
    /// than `shortest` bytes are ignored: they may be common words.
    package mutating func add(_ more: Secrets) {
        let known = more.all.map { Array($0.revealed.utf8) }.filter {
            $0.count >= Self.shortest && !secrets.contains($0)
        }
        secrets = Array((known + secrets).prefix(Self.most))
    }

    private static let shortest = 12
    private static let most = 32
    /// The beginning of a secret counts from this many bytes on: a shorter one may be a name, such as that of this program.
    private static let shortestCut = 16

    package func clean(_ text: String) -> String {
        guard !secrets.isEmpty else { return Redaction.withoutKeys(text) }
        // In one pass, so that nothing is replaced within a replacement.
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            // The longest match, because one secret may begin like another.
            let count = secrets.reduce(0) { max($0, Self.quoted($1, in: bytes, at: index)) }
            if count > 0 {
                result += Array("(secret)".utf8)
                index += count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return Redaction.withoutKeys(String(decoding: result, as: UTF8.self))
    }

    /// How many bytes of the secret stand in the text at this place; 0 if none. A long text may have been cut within a
    /// secret, so a beginning of `shortestCut` bytes or more counts too.
    private static func quoted(_ secret: [UInt8], in text: [UInt8], at start: Int) -> Int {
        var count = 0
        while count < secret.count, start + count < text.count, text[start + count] == secret[count] { count += 1 }
        return count == secret.count || count >= shortestCut ? count : 0
    }
}

/// The redactor of a program, which learns the secrets in use. Everything that leaves the program passes it: the log, the control
/// socket, the notices to the service manager.
package final class SharedRedactor: Sendable {
    private let redactor = Mutex(Redactor())

    package init() {}

    package func add(_ secrets: Secrets) { redactor.withLock { $0.add(secrets) } }

    package func clean(_ text: String) -> String { redactor.withLock { $0 }.clean(text) }
}
