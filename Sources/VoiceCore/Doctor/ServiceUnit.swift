internal import VoiceBase

/// The unit that runs the daemon: the system's, or that of a user on a desktop. What advice names depends on it.
package struct ServiceUnit: Sendable, Equatable {
    /// Folder of the configuration and the secrets.
    package let folder: String
    package let isOfUser: Bool

    package static let system = ServiceUnit(folder: ServiceEnvironment.folder, isOfUser: false)

    package init(folder: String, isOfUser: Bool) {
        self.folder = folder
        self.isOfUser = isOfUser
    }

    /// - Parameter configuration: nil for the system's unit.
    init(_ configuration: LoadedConfiguration?) {
        guard let configuration, configuration.isUsersOwn, let file = configuration.file,
            let slash = file.lastIndex(of: "/")
        else {
            self = .system
            return
        }
        self.init(folder: String(file[..<slash]), isOfUser: true)
    }

    private var user: String { isOfUser ? " --user" : "" }

    /// A command line for people: "systemctl --user restart jarvis-voiced".
    package func systemctl(_ order: String, _ name: String = "jarvis-voiced") -> String {
        "systemctl\(user) \(order) \(name)"
    }
    package var journal: String { "journalctl\(user) -u jarvis-voiced" }

    /// The arguments of a command of systemd, for this unit's manager.
    package func command(_ program: String, _ arguments: [String]) -> [String] {
        [program] + (isOfUser ? ["--user"] : []) + arguments
    }
}
