internal import Glibc
internal import VoiceActivation
internal import VoiceConfiguration

/// Whether the configured wake word engine works: its library, its model, its server.
package enum WakeCheck {
    static let limit = Duration.seconds(10)

    static func findings(_ context: DoctorContext) -> [DoctorFinding] {
        guard let activation = context.settings?.activation, let make = activation.makeDetector,
            let words = activation.rule?.words
        else { return [] }
        if let folder = activation.libraryFolder, !mayLoad(from: folder) { return [notTried] }
        do throws(WakeWordError) {
            let detector = try make(.child())
            let mode = activation.machine.mode
            var found = activation.hearsCalls ? [judge(words: words.list, detector.callsUnheard, mode: mode)] : []
            if let problem = detector.stopWordsUnheard { found.append(judge(stopWords: words.stops.list, problem)) }
            if let make = activation.makeSecondModels { found.append(judge(second: make)) }
            return found
        } catch {
            return [judge(words: words.list, error, mode: activation.machine.mode)]
        }
    }

    private static func judge(second make: (ModelTrial) throws(WakeWordError) -> SecondModels) -> DoctorFinding {
        do throws(WakeWordError) {
            let words = try make(.child()).words.sorted().joined(separator: ", ")
            return DoctorFinding(
                "second-look",
                .ok,
                words.isEmpty ? "no model of a wake word" : "has models of \(words)"
            )
        } catch {
            return DoctorFinding(
                "second-look",
                .warn,
                error.description,
                advice: "put openWakeWord's files there again, or remove the folder: it does without"
            )
        }
    }

    /// The owner of the folder decides what code runs, so root loads nothing owned by another user.
    static func mayLoad(ownedBy owner: uid_t?, as user: uid_t) -> Bool { user != 0 || owner == 0 }

    /// Whether this user may load libraries from the folder.
    package static func mayLoad(from folder: String) -> Bool { mayLoad(ownedBy: owner(of: folder), as: geteuid()) }

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
