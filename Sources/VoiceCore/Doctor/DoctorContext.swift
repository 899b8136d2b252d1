internal import Logging
package import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// The input of the doctor: the configuration as far as it can be read, and its problems.
package struct DoctorContext: Sendable {
    package var environment: [String: String]
    package var loaded: LoadedConfiguration?
    package var secrets: Secrets?
    /// The settings the daemon would run with; nil if it would not start or the key is missing.
    package var settings: DaemonSettings?
    /// Problems of the configuration, and of the secrets.
    package var problems: [ConfigurationProblem] = []
    package var secretProblems: [ConfigurationProblem] = []
    package var unreadable: [String] = []
    /// Removes every secret that could be found, even if the configuration is unusable.
    package private(set) var redactor = Redactor()

    /// Reads everything that only root may read; runs no checks.
    package init(
        path: String? = nil,
        overrides: [String] = [],
        environment: [String: String],
        files: FileReader = .system
    ) {
        let service = ServiceEnvironment(environment, files: files)
        self.environment = service.variables
        unreadable = service.unreadable
        let loader = ConfigurationLoader(environment: service.variables, files: files)
        do {
            loaded = try loader.load(path: path, overrides: overrides)
        } catch {
            problems = error.problems
            let found = try? Secrets(configuration: Configuration(), environment: service.variables, files: files)
            redactor = Self.redactor(found, service.variables)
            return
        }
        if let loaded, loaded.isUsersOwn, environment["CREDENTIALS_DIRECTORY"] == nil {
            // A user's unit takes its secrets from the folder of its configuration.
            self.environment["CREDENTIALS_DIRECTORY"] = unit.folder
            unreadable = []
        }
        if let values = loaded?.values { read(values, files: files) }
    }

    /// Reads the secrets, and translates the configuration into the daemon's settings.
    private mutating func read(_ values: Configuration, files: FileReader) {
        do {
            secrets = try Secrets(configuration: values, environment: environment, files: files)
        } catch {
            secretProblems = error.problems
        }
        redactor = Self.redactor(secrets, environment)
        guard let secrets else { return }
        do {
            let silent = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
            // A missing key is reported as a finding of its own.
            let found = try DaemonSettings(
                values, secrets: secrets, files: files, needsKey: false, isForThisUser: loaded?.isUsersOwn == true,
                logger: silent
            )
            if !lacksKey { settings = found }
        } catch {
            problems = error.problems
        }
    }

    /// Values that are not written yet, with the secrets of an environment.
    init(_ values: Configuration, environment: [String: String]) {
        self.environment = environment
        loaded = LoadedConfiguration(values)
        read(values, files: .system)
    }

    /// The unit whose configuration this is.
    package var unit: ServiceUnit { ServiceUnit(loaded) }

    /// Continues as another user, keeping what root has read; see `ServiceUser`.
    package mutating func become(_ name: String) throws(ServiceUser.Fault) {
        environment = ServiceUser.environment(environment, of: name, home: try ServiceUser.become(name))
    }

    /// Covers the secrets in use and any others in the environment.
    private static func redactor(_ secrets: Secrets?, _ environment: [String: String]) -> Redactor {
        let others = environment.filter { ProcessEnvironment.isSecret($0.key) }.values.compactMap { Secret($0) }
        return Redactor((secrets?.all ?? []) + others)
    }

    /// Whether every service in use lacks its key.
    var lacksKey: Bool {
        guard let loaded, let secrets else { return false }
        return DaemonSettings.missingKey(loaded.values, secrets) != nil
    }

    /// The service the daemon would start with.
    func service(_ values: Configuration) -> any VoiceService.Type {
        secrets.flatMap { ServiceRegistry.usable(by: values, secrets: $0).first } ?? ServiceRegistry.chosen(by: values)
    }
}
