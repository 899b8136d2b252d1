internal import VoiceAudio
internal import VoiceBase

/// What a running daemon reports about its echo, and the result of the last `echo-test`. The doctor does not measure,
/// because that takes ten seconds of noise.
enum EchoCheck {
    /// Age in days after which a test has little meaning: rooms change.
    static let oldAge = 180

    private static let advice: MarkedText =
        "run jarvis-voiced echo-test (ten seconds of sound, with the service stopped)"

    static func findings(_ context: DoctorContext, files: FileReader = .system, now: Int) -> [DoctorFinding] {
        guard let values = context.loaded?.values else { return [] }
        let folders = [StateDirectory.path(environment: context.environment), StateDirectory.service].compactMap { $0 }
        let running = status(context).flatMap { judge(running: $0) }.map { [$0] } ?? []
        var tests: [SavedEchoTest] = []
        var problem: Unreadable?
        for folder in folders {
            do throws(Unreadable) {
                if let test = try SavedEchoTest.load(folder: folder, files: files) { tests.append(test) }
            } catch {
                problem = error
            }
        }
        if tests.isEmpty, let problem {
            let finding = DoctorFinding(
                "echo", .skipped, "the last measurement cannot be read: \(problem)", advice: advice
            )
            return [finding] + running
        }
        let device = CardIdentity.text(ofMicrophone: values.audio.input, in: AudioDeviceCatalog.list())
        let test = judge(tests.max { $0.time < $1.time }, audio: values.audio, device: device, now: now)
        return [test] + running
    }

    /// The running daemon's status; nil if none answers.
    private static func status(_ context: DoctorContext) -> JSONValue? {
        guard let request = try? ControlRegistry.standard.request(words: ["status"]),
            var client = try? ControlClient(
                paths: ControlPath.candidates(environment: context.environment), patience: .milliseconds(700)
            )
        else { return nil }
        return try? client.perform(request)
    }

    /// - Parameter status: the result of the control socket's `status`.
    static func judge(running status: JSONValue) -> DoctorFinding? {
        guard let duplex = status["duplex"]?.stringValue, let reason = status["duplex_reason"]?.stringValue,
            ["full", "half"].contains(duplex)
        else { return nil }
        let isTrouble = reason == DuplexState.poor.reason || reason == DuplexState.clipping.reason
        let known = Set(DuplexState.allCases.map(\.reason) + ["moved"])
        var message: MarkedText = "\(public: duplex) duplex now"
        if known.contains(reason) { message += " (\(public: reason.replacing("_", with: " ")))" }
        let moves = status["echo"]?["moves"]?.intValue ?? 0
        if reason == "moved" {
            message += ": \(public: EchoStatus.movedNote)"
        } else if moves > 0 {
            message += "; the box was moved \(public: moves == 1 ? "once" : "\(moves) times") since the start"
        }
        guard isTrouble else { return DoctorFinding("echo-now", .ok, message) }
        return DoctorFinding(
            "echo-now", .warn, message, advice: "\(EchoStatus.strainedNote); jarvis-voiced echo-test shows more"
        )
    }

    /// - Parameter device: `CardIdentity.text` of the microphone; empty if it has none.
    static func judge(
        _ test: SavedEchoTest?,
        audio: Configuration.Audio,
        device: String = "",
        now: Int
    ) -> DoctorFinding {
        guard let test else {
            return DoctorFinding("echo", .skipped, "never measured on this box", advice: advice)
        }
        guard test.input == audio.input, test.output == audio.output else {
            return DoctorFinding(
                "echo", .skipped,
                "measured with other devices: microphone \(quoted(test.input)), loudspeaker \(quoted(test.output))",
                advice: advice
            )
        }
        guard test.applies(to: audio, device: device) else {
            return DoctorFinding("echo", .skipped, "measured with another microphone of this name", advice: advice)
        }
        let days = max(0, now - test.time) / 86_400
        let when = days == 0 ? "today" : days == 1 ? "yesterday" : "\(days) days ago"
        let message: MarkedText = "\(public: test.summary) (\(public: when))"
        switch test.grade {
        case .noEcho:
            return DoctorFinding(
                "echo",
                .ok,
                message,
                advice:
                    "correct with headphones, or if you heard the sound; if you did not, switch the loudspeaker on and "
                    + advice
            )
        case .good, .ownCanceller:
            return DoctorFinding("echo", .ok, message, advice: days > oldAge ? advice : nil)
        case .half, .disturbed:
            return DoctorFinding(
                "echo", .warn, message, advice: test.advice.isEmpty ? advice : "\(public: test.advice)"
            )
        }
    }

    private static func quoted(_ name: String) -> String { ConfigurationValue.text(name.bounded(toBytes: 80)).toml }
}
