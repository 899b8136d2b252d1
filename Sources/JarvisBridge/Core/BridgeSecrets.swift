package import VoiceBase

/// The texts that open the bridge: the token of the link, the value of every browser's cookie, the token of the metrics.
///
/// They are files, so that browsers stay logged in over restarts. Removing them makes new ones at the next start, and ends
/// every session.
package struct BridgeSecrets: Sendable {
    package static let standardFolder = "/var/lib/jarvis-bridge"

    package var token: Secret
    package var session: Secret
    package var metrics: Secret

    package init(token: Secret, session: Secret, metrics: Secret) {
        self.token = token
        self.session = session
        self.metrics = metrics
    }

    /// Reads them from a folder; makes those that are missing (0600).
    package init(folder: String, random: inout some RandomNumberGenerator) throws(BridgeConfiguration.Problem) {
        token = try Self.secret("token", folder, &random)
        session = try Self.secret("session", folder, &random)
        metrics = try Self.secret("metrics-token", folder, &random)
    }

    private static func secret(
        _ name: String,
        _ folder: String,
        _ random: inout some RandomNumberGenerator
    ) throws(BridgeConfiguration.Problem) -> Secret {
        if let known = try read(name, folder) { return known }
        // 190 bits.
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        let text = String((0..<32).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
        do {
            try StateFile.write(Array("\(text)\n".utf8), to: "\(folder)/\(name)")
        } catch {
            throw .init("\(error); name another folder with --state")
        }
        guard let secret = Secret(text) else { throw .init("\(folder)/\(name): no token could be made") }
        return secret
    }

    /// The token of the link; nil if the bridge has never run.
    package static func token(in folder: String) throws(BridgeConfiguration.Problem) -> Secret? {
        try read("token", folder)
    }

    private static func read(_ name: String, _ folder: String) throws(BridgeConfiguration.Problem) -> Secret? {
        let path = "\(folder)/\(name)"
        let bytes: [UInt8]
        do {
            bytes = try FileReader.system.read(path, 4096).bytes
        } catch {
            if error == .absent { return nil }
            throw .init("\(path): \(error); it belongs to the user jarvis-bridge: use sudo")
        }
        guard bytes.count >= 16, let secret = Secret(String(decoding: bytes, as: UTF8.self)) else {
            throw .init("\(path) holds no token: remove it, and restart jarvis-bridge")
        }
        return secret
    }
}
