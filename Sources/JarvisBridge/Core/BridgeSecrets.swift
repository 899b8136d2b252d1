internal import Glibc
package import VoiceBase

/// The texts that open the bridge: the token of the link, and that of the metrics. In the same folder are the sessions, so that
/// browsers stay signed in over restarts.
///
/// Removing the files makes new ones at the next start, and ends every session.
package struct BridgeSecrets: Sendable {
    package static let standardFolder = "/var/lib/jarvis-bridge"

    package var token: Secret
    package var metrics: Secret

    package init(token: Secret, metrics: Secret) {
        self.token = token
        self.metrics = metrics
    }

    /// Reads the secrets from a folder; makes missing ones (0600).
    package init(folder: String, random: inout some RandomNumberGenerator) throws(BridgeConfiguration.Problem) {
        token = try Self.link.made(in: folder) { Self.make(&random) }
        metrics = try Self.ofMetrics.made(in: folder) { Self.make(&random) }
    }

    private static let link = SecretFile(name: "token", kind: "token", isWhole: isToken)
    private static let ofMetrics = SecretFile(name: "metrics-token", kind: "token", isWhole: isToken)

    /// A new secret, of 190 bits.
    package static func make(_ random: inout some RandomNumberGenerator) -> Secret {
        let text = String((0..<length).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
        // Letters and digits are always a secret.
        return Secret(text) ?? make(&random)
    }

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    private static let length = 32

    static func isToken(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { letters.contains(Character(Unicode.Scalar($0))) }
    }

    /// The token of the link; nil if the bridge has never run.
    package static func token(in folder: String) throws(BridgeConfiguration.Problem) -> Secret? {
        try link.read(in: folder)
    }
}

/// The file that keeps the sessions.
package struct SessionFile: Sendable {
    private let path: String

    package init(folder: String) { path = "\(folder)/sessions" }

    /// Empty if there is no such file, or it cannot be read.
    func read() -> BridgeSessions {
        let file = try? FileReader.withoutForeignLinks.read(path, 1 << 20)
        return BridgeSessions(parsing: String(decoding: file?.bytes ?? [], as: UTF8.self))
    }

    /// - Throws: why the sessions are not on disk.
    func write(_ sessions: BridgeSessions) throws(StateFile.Fault) {
        try StateFile.write(Array(sessions.text.utf8), to: path)
    }
}
