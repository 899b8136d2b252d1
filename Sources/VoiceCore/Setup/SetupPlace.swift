package import VoiceBase

/// A secret that a service needs: the key that may name its file, and its usual name.
package struct SetupSecret: Sendable, Hashable {
    package let setting: String
    package let credential: String

    package static let token = SetupSecret(setting: "jarvis.token_file", credential: Secrets.tokenCredential)
    package static let all = ServiceRegistry.keys.map(Self.init) + [token]

    init(_ key: ServiceKey) { self.init(setting: key.setting, credential: key.credential) }

    private init(setting: String, credential: String) {
        self.setting = setting
        self.credential = credential
    }
}

/// The configuration to set up: its owner and its files.
package struct SetupPlace: Sendable, Equatable {
    /// Path of the configuration.
    package let file: String
    /// Whether the service is that of this user, and not the system's.
    package let isOwn: Bool

    /// nil if only root may write the configuration that is in force.
    ///
    /// - Parameters:
    ///   - wantsOwn: whether a service of this user is asked for.
    ///   - paths: where a configuration is looked for, see `ConfigurationLoader`.
    package init?(isRoot: Bool, wantsOwn: Bool, paths: [String], exists: (String) -> Bool) {
        let own = paths.first { $0 != ConfigurationLoader.systemPath && (wantsOwn || exists($0)) }
        guard let file = isRoot ? ConfigurationLoader.systemPath : own else { return nil }
        self.file = file
        isOwn = !isRoot
    }

    /// Folder of the configuration and the secrets.
    package var folder: String { String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]) }

    package var unit: ServiceUnit { ServiceUnit(folder: folder, isOfUser: isOwn) }

    /// The file of a secret: the one that the configuration names, else that of the unit.
    package func path(of secret: SetupSecret, _ values: Configuration) -> String {
        if case .text(let path)? = ConfigurationSchema.key(secret.setting)?.value(in: values), !path.isEmpty {
            return path
        }
        return "\(folder)/\(secret.credential)"
    }
}
