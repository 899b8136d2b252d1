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
            if case .tflite(let folder)? = activation.engine, !folder.allWords.isEmpty {
                found += judge(folder.allWords.map { ($0, run($0, in: folder)) })
            }
            if let stop = words.stops.words.first(where: { $0.text == "stop" }), detector.stopWordsUnheard == nil {
                found += judge(stop: run(stop, activation.engine, detector))
            }
            if let make = activation.makeSecondModels { found.append(judge(second: make)) }
            return found
        } catch {
            return [judge(words: words.list, error, mode: activation.machine.mode)]
        }
    }

    private static func run(_ word: String, in folder: WakeModelFolder) -> SampleRun.Result {
        SampleRun.result(of: word, in: folder, over: WakeSamples.samples(of: word), trial: .child())
    }

    /// A server would hear the sample as well, so its stop words are not tried; nil then.
    private static func run(
        _ stop: WakeWords.Word,
        _ engine: ActivationSettings.Engine?,
        _ detector: any WakeWordDetector
    ) -> SampleRun.Result? {
        if case .wyoming? = engine { return nil }
        return SampleRun.result(detector, of: stop, over: WakeSamples.samples(of: stop.text))
    }

    /// Judges what each installed model made of the sample of its word.
    static func judge(_ results: [(word: String, result: SampleRun.Result)]) -> [DoctorFinding] {
        var well: [String] = []
        var findings: [DoctorFinding] = []
        for (word, result) in results {
            switch result {
            case .heard(let score): well.append(word + (score.map { " \($0.asScore)" } ?? ""))
            case .ran: well.append("\(word) (no sample)")
            case .unheard(let best):
                findings.append(
                    DoctorFinding(
                        "wake-models",
                        .warn,
                        "\(word): runs, but does not hear the sample of its word (\(best.asScore))",
                        advice:
                            "run \"jarvis-voiced wake install\" again, unless the model is your own: then try it with "
                            + "\"jarvis-voiced wake test\""
                    )
                )
            case .failed(let problem):
                findings.append(
                    DoctorFinding(
                        "wake-models",
                        .warn,
                        "\(word): \(problem)",
                        advice: "run \"jarvis-voiced wake install\" again, or remove the model"
                    )
                )
            }
        }
        guard !well.isEmpty else { return findings }
        let text = "run over the sample of their word: \(well.joined(separator: ", "))"
        return [DoctorFinding("wake-models", .ok, text)] + findings
    }

    /// Judges what the engine for stop words made of the sample; nothing if it was not run.
    static func judge(stop result: SampleRun.Result?) -> [DoctorFinding] {
        switch result {
        case nil, .ran?: []
        case .heard(let score)?:
            [DoctorFinding("stop-words", .ok, "stop is heard in its sample" + (score.map { ", \($0.asScore)" } ?? ""))]
        case .unheard?:
            [
                DoctorFinding(
                    "stop-words",
                    .warn,
                    "stop is not heard in its sample",
                    advice: "try \"jarvis-voiced wake test\"; without it the stop key and \"ctl stop\" stop it"
                )
            ]
        case .failed(let problem)?: [judge(stopWords: "stop", problem)]
        }
    }

    private static func judge(second make: (ModelTrial) throws(WakeWordError) -> SecondModels) -> DoctorFinding {
        do throws(WakeWordError) {
            let models = try make(.child())
            let words = try models.words.sorted().map { (word) throws(WakeWordError) in
                let best = try models.best(word, over: WakeSamples.samples(of: word))
                return word + (best.map { " \($0.asScore)" } ?? "")
            }
            let list = words.joined(separator: ", ")
            return DoctorFinding(
                "second-look",
                .ok,
                words.isEmpty ? "no model of a wake word" : "has models, run over the sample of their word: \(list)"
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
