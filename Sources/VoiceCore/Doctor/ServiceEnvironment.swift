internal import VoiceBase

/// The service's environment: what systemd would pass to the daemon, as far as this user may read it.
struct ServiceEnvironment: Sendable, Equatable {
    static let folder = "/etc/jarvis-voiced"
    static let credentials = ServiceRegistry.keys.map(\.credential) + [Secrets.tokenCredential]
    static let defaults = "/etc/default/jarvis-voiced"

    private(set) var variables: [String: String]
    /// Files with secrets that exist but that this user may not read.
    private(set) var unreadable: [String] = []

    /// Adds the variables of `/etc/default/jarvis-voiced`, and uses `/etc/jarvis-voiced` as the credentials folder if
    /// there is no other: the unit's `LoadCredential=` names the same files.
    init(_ environment: [String: String], files: FileReader = .system) {
        variables = environment
        if let file = try? files.read(Self.defaults, 64 << 10) {
            for (name, value) in Self.assignments(String(decoding: file.bytes, as: UTF8.self)) {
                if variables[name] == nil { variables[name] = value }
            }
        }
        guard environment["CREDENTIALS_DIRECTORY"] == nil else { return }
        var isThere = false
        for name in Self.credentials {
            let path = "\(Self.folder)/\(name)"
            do {
                _ = try files.read(path, 16384)
                isThere = true
            } catch .system {
                unreadable.append(path)
            } catch {}
        }
        if isThere, unreadable.isEmpty { variables["CREDENTIALS_DIRECTORY"] = Self.folder }
    }

    /// Parses `NAME=value` lines in the format of systemd's EnvironmentFile=, without line continuation.
    static func assignments(_ text: String) -> [(name: String, value: String)] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard let first = line.first, first != "#", first != ";", let mark = line.firstIndex(of: "=") else {
                return nil
            }
            var value = line[line.index(after: mark)...]
            while value.last == " " || value.last == "\t" { value.removeLast() }
            for quote in ["\"", "'"] as [Character]
            where value.count >= 2 && value.first == quote && value.last == quote {
                value = value.dropFirst().dropLast()
                break
            }
            return (String(line[..<mark]), String(value))
        }
    }
}
