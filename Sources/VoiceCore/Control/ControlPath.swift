internal import Glibc

/// Where the control socket is.
package enum ControlPath {
    package static let name = "control.sock"
    package static let system = "/run/jarvis-voiced/control.sock"

    /// For the daemon: the folder that the service manager has made ($RUNTIME_DIRECTORY), else one of the user's; nil where
    /// there is none.
    package static func daemon(environment: [String: String]) -> String? {
        if let folders = environment["RUNTIME_DIRECTORY"], let first = folders.split(separator: ":").first,
            first.hasPrefix("/")
        {
            return "\(first)/\(name)"
        }
        return users(environment)
    }

    /// For `ctl`: the first that exists is taken.
    package static func candidates(environment: [String: String]) -> [String] {
        if let path = environment["JARVIS_CONTROL_SOCKET"], !path.isEmpty { return [path] }
        return [users(environment), system].compactMap { $0 }
    }

    private static func users(_ environment: [String: String]) -> String? {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        return "\(folder)/jarvis-voiced/\(name)"
    }

    /// Makes the folder of the user's own socket, for the user only.
    package static func makeFolder(of path: String) {
        let folder = String(path.dropLast(name.utf8.count + 1))
        mkdir(folder, 0o700)
    }
}
