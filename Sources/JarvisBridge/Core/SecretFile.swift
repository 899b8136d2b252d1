internal import Glibc
internal import VoiceBase

/// A secret in a file of the bridge's folder (0600). Removing the file makes another at the next start.
struct SecretFile {
    let name: String
    /// "token", "key".
    let kind: String
    let isWhole: @Sendable (String) -> Bool

    /// Reads the secret; makes it if it is missing.
    func made(in folder: String, _ make: () -> Secret?) throws(BridgeConfiguration.Problem) -> Secret {
        if let known = try read(in: folder) { return known }
        guard let secret = make() else { throw .init("there is no \(kind)") }
        do {
            try StateFile.write(Array("\(secret.revealed)\n".utf8), to: "\(folder)/\(name)")
        } catch {
            throw .init("\(error); name another folder with --state")
        }
        return secret
    }

    /// nil if the bridge has never run with this secret. Never follows a link of another user: root reads a folder here
    /// that belongs to the bridge's user.
    func read(in folder: String) throws(BridgeConfiguration.Problem) -> Secret? {
        let path = "\(folder)/\(name)"
        let bytes: [UInt8]
        do {
            bytes = try FileReader.withoutForeignLinks.read(path, 4096).bytes
        } catch {
            if error == .absent { return nil }
            throw .init(
                "\(path): \(error)"
                    + (error == .system(EACCES) ? "; it belongs to the user jarvis-bridge: use sudo" : "")
            )
        }
        guard let secret = Secret(String(decoding: bytes, as: UTF8.self)), isWhole(secret.revealed) else {
            throw .init("\(path) holds no \(kind): remove it, and restart jarvis-bridge")
        }
        return secret
    }
}
