package import Glibc
internal import VoiceActivation
package import VoiceBase
internal import VoiceNetwork
internal import VoiceSession

/// The changes that setup writes: the keys that differ from the configuration in force, and new secrets.
package struct SetupPlan: Sendable {
    /// The configuration with the changes.
    package private(set) var values: Configuration
    private let before: Configuration
    /// By path.
    package private(set) var changes: [String: ConfigurationValue] = [:]
    var secrets: [SetupSecret: Secret] = [:]

    init(_ values: Configuration) {
        self.values = values
        before = values
    }

    package var isEmpty: Bool { changes.isEmpty && secrets.isEmpty }

    /// Whether a wake word of the plan has no model, although there is one to install.
    ///
    /// - Parameter environment: that of the daemon's user, if the service is theirs.
    package func lacksWakeModel(_ place: SetupPlace, environment: [String: String]) -> Bool {
        let activation = values.activation
        guard activation.mode == .wake, [.auto, .tflite].contains(activation.engine) else { return false }
        let configured = activation.wakeModels
        let folder =
            place.isOwn || !configured.isEmpty
            ? WakeModelFolder(configured: configured, environment: environment)
            : WakeModelFolder(path: WakeModelFolder.service)
        let threshold = Configuration.Activation.threshold
        let words = try? WakeWords(wake: activation.wakeWords, stop: activation.stopWords, threshold: threshold)
        let wanted = words?.calls.words.map { Configuration.Word.plain($0.text) } ?? []
        return !folder.isFilled || wanted.contains { WakeModelPackage.words.contains($0) && !folder.words.contains($0) }
    }

    /// Plans the value of a key, in the form of the command line ("openai, local").
    /// - Returns: why the key does not accept it, in one line; nil if it does.
    mutating func set(_ path: String, to text: String) -> String? {
        guard let key = ConfigurationSchema.key(path) else { return "there is no key \(path)" }
        let text = completed(path, text)
        let value: ConfigurationValue
        do throws(ConfigurationError) {
            let nothing = FileReader { _, _ throws(FileReader.Fault) in throw .absent }
            let loader = ConfigurationLoader(environment: [:], files: nothing)
            value = key.value(in: try loader.load(path: nil, overrides: ["\(path)=\(text)"]).values)
        } catch {
            return error.problems.first?.message
        }
        if let complaint = complaint(path, text) { return complaint }
        changes[path] = value == key.value(in: before) ? nil : value
        return key.set(value, in: &values)
    }

    /// An address with the scheme that was left out: TLS, except for a host of this network.
    private func completed(_ path: String, _ text: String) -> String {
        let services = ServiceRegistry.all.compactMap { $0.address(values)?.key }
        let schemes: (plain: String, secure: String)
        if path == "jarvis.url" {
            schemes = ("http", "https")
        } else if services.contains(path) {
            schemes = ("ws", "wss")
        } else {
            return text
        }
        guard !text.isEmpty, !text.contains("://"), let host = ServerURL("http://" + text)?.host else { return text }
        return (Self.isNear(host) ? schemes.plain : schemes.secure) + "://" + text
    }

    /// Whether a host is one of this network, by its address or the form of its name.
    private static func isNear(_ host: String) -> Bool {
        if let address = NetworkAddress(text: host) { return !TransportVerdict.isExposed(address) }
        let endings = [".lan", ".local", ".home", ".internal", ".home.arpa", ".localhost", ".localdomain", ".box"]
        return !host.contains(".") || endings.contains(where: host.hasSuffix)
    }

    /// Faults that the type of the key cannot find.
    private func complaint(_ path: String, _ text: String) -> String? {
        switch path {
        case "local.recogniser", "local.speaker":
            let isOptional = path == "local.speaker" && text.isEmpty
            return isOptional || HostAndPort(text) != nil ? nil : "\(path) \(HostAndPort.wanted)"
        case "activation.wake_words":
            do throws(WakeWordError) {
                let threshold = Configuration.Activation.threshold
                _ = try WakeWords(wake: text, stop: values.activation.stopWords, threshold: threshold)
                return nil
            } catch {
                return "\(path) \(error)"
            }
        default: return nil
        }
    }

    /// The files to write: secrets, then the configuration.
    ///
    /// - Parameters:
    ///   - present: the configuration as it is; nil if there is none.
    ///   - daemon: the user of the system's service, if it exists.
    /// - Throws: which key the file holds in a form that cannot be changed.
    package func files(
        _ place: SetupPlace,
        changing present: [UInt8]?,
        daemon: uid_t?
    ) throws(ConfigurationError) -> [SetupFile] {
        var files = SetupSecret.all.compactMap { secret in
            secrets[secret].map { content in
                let path = place.path(of: secret, values)
                // systemd hands over the files of the unit; the daemon reads another one itself.
                let isOfUnit = place.isOwn || path == "\(place.folder)/\(secret.credential)"
                let bytes = Array((content.revealed + "\n").utf8)
                return SetupFile(path: path, bytes: bytes, isSecret: true, mode: 0o600, owner: isOfUnit ? nil : daemon)
            }
        }
        guard !changes.isEmpty else { return files }
        guard var text = try? ConfigurationText(present ?? Array(ConfigurationSample.text.utf8)) else {
            throw ConfigurationError(problems: [ConfigurationProblem(place: place.file, message: "is not TOML")])
        }
        for key in ConfigurationSchema.keys {
            if let value = changes[key.path] { try text.set(key, to: value) }
        }
        let mode: mode_t = place.isOwn ? 0o600 : 0o644
        files.append(SetupFile(path: place.file, bytes: text.bytes, isSecret: false, mode: mode))
        return files
    }

    /// The changes for people: one line for each key and secret, without the secrets themselves.
    func lines(_ place: SetupPlace) -> [String] {
        ConfigurationSchema.keys.compactMap { key in changes[key.path].map { "\(key.path) = \($0.toml)" } }
            + SetupSecret.all.filter { secrets[$0] != nil }.map { "\(place.path(of: $0, values)): a new secret" }
    }
}
