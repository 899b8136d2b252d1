internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// Whether the configuration is usable and the secrets are present.
enum ConfigurationCheck {
    static func findings(_ context: DoctorContext) -> [DoctorFinding] {
        configuration(context) + apiKey(context) + token(context)
    }

    static func configuration(_ context: DoctorContext) -> [DoctorFinding] {
        guard context.problems.isEmpty else {
            return context.problems.map {
                DoctorFinding(
                    "configuration",
                    .fail,
                    "\($0.description)",
                    advice: "for every key and what it accepts, see jarvis-voiced.toml(5), or run jarvis-voiced config "
                        + "sample"
                )
            }
        }
        guard let loaded = context.loaded else { return [] }
        let warnings = loaded.warnings + (context.settings?.notices ?? [])
        let place = loaded.file ?? "built-in values, no file found"
        return [DoctorFinding("configuration", .ok, "\(place)")]
            + warnings.map { DoctorFinding("configuration", .warn, "\($0)") }
            + knownDevices(KnownDevices.load(environment: context.environment).problems)
    }

    /// - Parameter problems: of the user's own lines of known devices.
    static func knownDevices(_ problems: [String]) -> [DoctorFinding] {
        problems.map {
            DoctorFinding(
                "configuration", .warn, "\($0)",
                advice: "correct it, or remove it: until then, the device it is about counts as unknown"
            )
        }
    }

    static func apiKey(_ context: DoctorContext) -> [DoctorFinding] {
        guard let loaded = context.loaded else { return [] }
        if let finding = unusable(context, check: "api-key", { !$0.hasPrefix(Secrets.tokenCredential) }) {
            return [finding]
        }
        guard let secrets = context.secrets else { return [] }
        let wanted = ServiceRegistry.wanted(by: loaded.values).map { (service: $0, key: secrets.key($0.key)) }
        let lacking = wanted.filter { $0.key.secret == nil && $0.service.capabilities(loaded.values).needsKey }
        let used = context.service(loaded.values).name.rawValue
        if let first = lacking.first, lacking.count == wanted.count { return [noKey(context, first.service)] }
        let none = DoctorFinding("api-key", .ok, "none, and this service needs none")
        let found = wanted.filter { $0.key.secret != nil }
        let several = found.count > 1
        return found.map {
            DoctorFinding("api-key", .ok, "\(public: several ? "\($0.service.name.rawValue): " : "")\($0.key.status)")
        }
            + (found.isEmpty && lacking.isEmpty ? [none] : [])
            + lacking.map {
                DoctorFinding(
                    "api-key", .warn,
                    "none for \(public: $0.service.name.rawValue), which is left out: \(public: used) is used"
                )
            }
            + secrets.warnings.map { DoctorFinding("secrets", .warn, "\($0)") }
    }

    /// The finding that no service in use has its key.
    private static func noKey(_ context: DoctorContext, _ service: any VoiceService.Type) -> DoctorFinding {
        if let path = context.unreadable.first {
            return DoctorFinding(
                "api-key", .skipped, "only root can read \(path): this user cannot see what the service gets",
                advice: "sudo jarvis-voiced doctor"
            )
        }
        let key = service.key ?? .openAI
        return DoctorFinding(
            "api-key",
            .fail,
            "missing",
            advice:
                "put it into \(context.unit.folder)/\(public: key.credential) (mode 600), or into a file named by "
                + "\(public: key.setting)"
        )
    }

    static func token(_ context: DoctorContext) -> [DoctorFinding] {
        if let finding = unusable(context, check: "jarvis-token", { $0.hasPrefix(Secrets.tokenCredential) }) {
            return [finding]
        }
        guard let token = context.secrets?.jarvisToken else { return [] }
        return [
            DoctorFinding(
                "jarvis-token", .ok,
                token.secret == nil ? "none: correct if the agent requires none" : "\(token.status)"
            )
        ]
    }

    /// The problem with a secret that is present but unusable.
    private static func unusable(
        _ context: DoctorContext,
        check: String,
        _ isMeant: (String) -> Bool
    ) -> DoctorFinding? {
        guard let problem = context.secretProblems.first(where: { $0.credential.map(isMeant) ?? false }) else {
            return nil
        }
        return DoctorFinding(
            check,
            .fail,
            "\(problem.description)",
            advice: problem.isUnreadable
                ? "let the daemon's user read it, or run the doctor with sudo"
                : "the file must contain only the secret, in one line"
        )
    }
}
