internal import VoiceBase

/// Keeps the lines of the systemd units that hand the keys of the services to the daemon.
package enum UnitFiles {
    /// The units, each with the folder of its secrets.
    package static let all = [
        (path: "systemd/jarvis-voiced.service", folder: ServiceEnvironment.folder),
        (path: "systemd/user/jarvis-voiced.service", folder: "%E/jarvis-voiced"),
    ]

    /// Returns the unit with the lines of all keys, where it has those of some.
    package static func updated(_ unit: String, folder: String) -> String {
        let keys = ServiceRegistry.keys.map(\.credential)
        let lines = unit.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let loaded = replaced(lines, "LoadCredential=", keys.map { "\($0):\(folder)/\($0)" })
        return replaced(loaded, "SetCredential=", keys.map { "\($0):\\n" }).joined(separator: "\n")
    }

    private static func replaced(_ lines: [String], _ start: String, _ values: [String]) -> [String] {
        func isOfKey(_ line: String) -> Bool {
            line.hasPrefix(start) && (line.split(separator: ":").first?.hasSuffix("-api-key") ?? false)
        }
        guard let place = lines.firstIndex(where: isOfKey) else { return lines }
        var result = lines.filter { !isOfKey($0) }
        result.insert(contentsOf: values.map { start + $0 }, at: place)
        return result
    }
}
