internal import Logging
package import VoiceBase
package import VoiceConfiguration
internal import VoiceConversation

/// What the doctor looks at: the configuration as far as it can be read, and what is wrong with it.
package struct DoctorContext: Sendable {
    package var environment: [String: String]
    package var loaded: LoadedConfiguration?
    package var secrets: Secrets?
    /// What the daemon would run on; nil where it would not start, and where the key is missing.
    package var settings: DaemonSettings?
    /// Of the configuration and of the secrets.
    package var problems: [ConfigurationProblem] = []
    package var secretProblems: [ConfigurationProblem] = []
    package var unreadable: [String] = []
    /// Takes every secret out of a text that could be found, also where the configuration cannot be used.
    package private(set) var redactor = Redactor()

    /// Reads everything that only root may read; nothing is looked at yet.
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
        guard let values = loaded?.values else { return }
        do {
            secrets = try Secrets(configuration: values, environment: service.variables, files: files)
        } catch {
            secretProblems = error.problems
        }
        redactor = Self.redactor(secrets, service.variables)
        guard let secrets else { return }
        do {
            let silent = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
            // That there is no key is a finding of its own.
            let found = try DaemonSettings(values, secrets: secrets, files: files, needsKey: false, logger: silent)
            if !lacksKey { settings = found }
        } catch {
            problems = error.problems
        }
    }

    /// Goes on as another user, with what root has read; see `ServiceUser`.
    package mutating func become(_ name: String) throws(ServiceUser.Fault) {
        environment = ServiceUser.environment(environment, of: name, home: try ServiceUser.become(name))
    }

    /// The secrets in use, and those that the environment holds besides.
    private static func redactor(_ secrets: Secrets?, _ environment: [String: String]) -> Redactor {
        let others = ProcessEnvironment.secrets.compactMap { environment[$0].flatMap { Secret($0) } }
        return Redactor((secrets?.all ?? []) + others)
    }

    /// Whether no service in use can be had for want of a key.
    var lacksKey: Bool {
        guard let loaded, let secrets else { return false }
        return DaemonSettings.missingKey(loaded.values, secrets) != nil
    }

    /// The service that the daemon would begin with.
    func service(_ values: Configuration) -> any VoiceService.Type {
        secrets.flatMap { ServiceRegistry.usable(by: values, secrets: $0).first } ?? ServiceRegistry.chosen(by: values)
    }
}
