internal import VoiceConfiguration
internal import VoiceConversation

/// Whether the configuration can be used, and whether the secrets are there.
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
                    $0.description,
                    advice: "every key and what it takes: jarvis-voiced.toml(5), or jarvis-voiced config sample"
                )
            }
        }
        guard let loaded = context.loaded else { return [] }
        let warnings = loaded.warnings + (context.settings?.notices ?? [])
        let place = loaded.file ?? "built-in values, no file found"
        return [DoctorFinding("configuration", .ok, place)]
            + warnings.map { DoctorFinding("configuration", .warn, $0) }
    }

    static func apiKey(_ context: DoctorContext) -> [DoctorFinding] {
        guard let loaded = context.loaded else { return [] }
        if let finding = unusable(context, check: "api-key", marks: ["api", "API"]) { return [finding] }
        guard let secrets = context.secrets else { return [] }
        if secrets.apiKey.secret != nil {
            return [DoctorFinding("api-key", .ok, secrets.apiKey.status)]
                + secrets.warnings.map { DoctorFinding("secrets", .warn, $0) }
        }
        guard ServiceRegistry.capabilities(loaded.values).needsKey else {
            return [DoctorFinding("api-key", .ok, "none, and this service needs none")]
        }
        if let path = context.unreadable.first {
            return [
                DoctorFinding(
                    "api-key",
                    .skipped,
                    "\(path) is root's alone: this user cannot see what the service gets",
                    advice: "sudo jarvis-voiced doctor"
                )
            ]
        }
        return [
            DoctorFinding(
                "api-key",
                .fail,
                "there is none",
                advice: "put it into \(ServiceEnvironment.folder)/openai-api-key (mode 600), or into a file named by "
                    + "realtime.api_key_file"
            )
        ]
    }

    static func token(_ context: DoctorContext) -> [DoctorFinding] {
        if let finding = unusable(context, check: "jarvis-token", marks: ["jarvis", "JARVIS", "TERM_LLM"]) {
            return [finding]
        }
        guard let token = context.secrets?.jarvisToken else { return [] }
        return [
            DoctorFinding(
                "jarvis-token",
                .ok,
                token.secret == nil ? "none: right if the agent wants none" : token.status
            )
        ]
    }

    /// The problem with a secret that was given.
    private static func unusable(_ context: DoctorContext, check: String, marks: [String]) -> DoctorFinding? {
        guard
            let problem = context.secretProblems.first(where: { problem in
                marks.contains { problem.description.contains($0) }
            })
        else { return nil }
        let isClosed = problem.message.contains("cannot be read")
        return DoctorFinding(
            check,
            .fail,
            problem.description,
            advice: isClosed
                ? "let the user of the daemon read it, or run the doctor with sudo"
                : "the file holds the secret in one line, and nothing else"
        )
    }
}
