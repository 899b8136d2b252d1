internal import Glibc
internal import VoiceActivation
internal import VoiceConfiguration

/// Whether what is to recognise words on this machine can: its library, its model, its server.
enum WakeCheck {
    static let limit = Duration.seconds(10)

    static func findings(_ context: DoctorContext) -> [DoctorFinding] {
        guard let activation = context.settings?.activation, let make = activation.makeDetector,
            let words = activation.rule?.words
        else { return [] }
        if case .tflite(let folder)? = activation.engine, !mayLoad(ownedBy: owner(of: folder.path), as: geteuid()) {
            return [notTried]
        }
        do throws(WakeWordError) {
            let detector = try make()
            let found = judge(words: words.list, nil, mode: activation.machine.mode)
            return [found] + (detector.stopWordsUnheard.map { [judge(stopWords: words.stops.list, $0)] } ?? [])
        } catch {
            return [judge(words: words.list, error, mode: activation.machine.mode)]
        }
    }

    /// Whoever owns the folder decides what is run of it: root runs nothing of anybody else's.
    static func mayLoad(ownedBy owner: uid_t?, as user: uid_t) -> Bool { user != 0 || owner == 0 }

    private static func owner(of folder: String) -> uid_t? {
        var status = stat()
        return stat(folder, &status) == 0 ? status.st_uid : nil
    }

    static let notTried = DoctorFinding(
        "wake-words",
        .skipped,
        "not tried: root does not load the library of another user",
        advice: "sudo jarvis-voiced doctor --user jarvis-voiced"
    )

    static func judge(stopWords: String, _ problem: WakeWordError) -> DoctorFinding {
        DoctorFinding(
            "stop-words",
            .warn,
            "not heard (\(stopWords)): \(problem)",
            advice: "apt install libpocketsphinx3 pocketsphinx-en-us; without it the stop key and \"ctl stop\" stop it"
        )
    }

    static func judge(words: String, _ problem: WakeWordError?, mode: ActivationMode) -> DoctorFinding {
        guard let problem else { return DoctorFinding("wake-words", .ok, "can be recognised: \(words)") }
        return DoctorFinding(
            "wake-words",
            mode == .wake ? .fail : .warn,
            problem.description,
            advice: "activation.engine names another engine, or \"off\"; docs/activation.md has what each needs"
        )
    }
}
