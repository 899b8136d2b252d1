internal import Glibc
internal import VoiceActivation
internal import VoiceBase

/// Whether the configured wake word engine works: its library, its model, its server.
package enum WakeCheck {
    /// Time limit of the check; no model is started after `lastStart`. On a slow machine each model takes seconds.
    static let limit = Duration.seconds(60)
    private static let lastStart = Duration.seconds(45)

    static func findings(_ context: DoctorContext) -> [DoctorFinding] {
        guard let activation = context.settings?.activation else { return [] }
        let hidden = hidden(activation)
        guard let make = activation.makeDetector, let words = activation.rule?.words else {
            return hidden + (activation.unheardStops.isEmpty ? [] : [nobodyListens(for: activation.unheardStops)])
        }
        if let folder = activation.libraryFolder, !mayLoad(from: folder) { return [notTried] }
        let end = Monotonic.now() + lastStart
        // Several words share files; each is tried once.
        let trial = ModelTrial.child().once()
        let mode = activation.machine.mode
        do throws(WakeWordError) {
            let detector = try make(trial)
            let gaps = detector.gaps
            let heard = WakeWords(words: words.calls.words.filter { word in !gaps.contains { $0.isOf(word) } })
            var found = hidden
            if hidden.isEmpty, activation.hearsCalls {
                found.append(judge(words: heard.list, detector.callsUnheard, mode: mode))
            }
            found += gaps.map(judge)
            if case .tflite(let folder)? = activation.engine, !folder.words.isEmpty {
                found += judge(folder.words.map { ($0, Monotonic.now() < end ? run($0, in: folder, trial) : .late) })
            }
            let stop = words.stops.words.first { word in word.text == "stop" && !gaps.contains { $0.isOf(word) } }
            if let stop { found += judge(stop: run(stop, activation, detector, trial)) }
            return found
        } catch {
            return [judge(words: words.list, error, mode: mode)]
        }
    }

    private static func run(_ word: String, in folder: WakeModelFolder, _ trial: ModelTrial) -> SampleRun.Result {
        SampleRun.result(of: word, in: folder, over: WakeSamples.samples(of: word), trial: trial)
    }

    /// Runs the engine of the stop words over its sample, without the server, which would recognise the word too.
    static func run(
        _ stop: WakeWords.Word,
        _ activation: ActivationSettings,
        _ detector: any WakeWordDetector,
        _ trial: ModelTrial
    ) -> SampleRun.Result? {
        var engine: (any WakeWordDetector)? = detector
        if case .wyoming? = activation.engine { engine = activation.makeStopDetector?(trial) }
        return engine.map { SampleRun.result($0, of: stop, over: WakeSamples.samples(of: stop.text)) }
    }

    /// Reports that this user may not read the service's models, if the service needs them.
    static func hidden(_ activation: ActivationSettings) -> [DoctorFinding] {
        // A daemon run by this user could not read the models either.
        guard let folder = activation.hiddenModels, !activation.isForThisUser,
            activation.machine.mode == .wake || activation.engine != nil
        else {
            return []
        }
        return [
            DoctorFinding(
                "wake-words", .skipped, "not tried: this user may not look into \(folder)",
                advice: "sudo jarvis-voiced doctor --user jarvis-voiced"
            )
        ]
    }

    /// Judges the result of each installed model over the sample of its word.
    static func judge(_ results: [(word: String, result: SampleRun.Result)]) -> [DoctorFinding] {
        var well: [String] = []
        var late: [String] = []
        var libraryFailed = false
        var findings: [DoctorFinding] = []
        for (word, result) in results {
            switch result {
            case .late: late.append(word)
            case .heard(let score): well.append(word + (score.map { " \($0.asScore)" } ?? ""))
            case .ran: well.append("\(word) (runs; no sample for this model)")
            case .unheard(let best):
                findings.append(
                    DoctorFinding(
                        "wake-models",
                        .warn,
                        "\(word): runs, but does not hear the sample of its word (\(public: best.asScore))",
                        advice:
                            "run \"jarvis-voiced wake install\" again, unless the model is your own: then try it with "
                            + "\"jarvis-voiced wake test\""
                    )
                )
            case .failed(let problem) where problem.cause == .library:
                // All words share the library: it is reported once.
                guard !libraryFailed else { continue }
                libraryFailed = true
                findings.append(
                    DoctorFinding(
                        "wake-models", .warn, "\(problem.description)",
                        advice: "run \"jarvis-voiced wake install\" again"
                    )
                )
            case .failed(let problem):
                findings.append(
                    DoctorFinding(
                        "wake-models", .warn, "\(word): \(problem)", advice: advice(for: problem)
                    )
                )
            }
        }
        if !late.isEmpty {
            let text: MarkedText = "too slow on this machine, not tried: \(late.joined(separator: ", "))"
            findings.append(
                DoctorFinding("wake-models", .skipped, text, advice: "try \"jarvis-voiced wake test\"")
            )
        }
        guard !well.isEmpty else { return findings }
        let text: MarkedText = "run over the sample of their word: \(well.joined(separator: ", "))"
        return [DoctorFinding("wake-models", .ok, text)] + findings
    }

    private static func advice(for problem: WakeWordError) -> MarkedText {
        switch problem.cause {
        case .transient: "run the doctor again when this machine has less to do"
        case .timedOut: "run the doctor again when this machine has less to do; if it happens again, remove the model"
        case .library, .index, .other: "run \"jarvis-voiced wake install\" again, or remove the model"
        }
    }

    /// Judges the result of the engine for stop words; no finding if it was not run.
    static func judge(stop result: SampleRun.Result?) -> [DoctorFinding] {
        switch result {
        case nil, .ran?, .late?: []
        case .heard(let score)?:
            [
                DoctorFinding(
                    "stop-words",
                    .ok,
                    "stop is heard in its sample" + (score.map { ", \(public: $0.asScore)" } ?? "")
                )
            ]
        case .unheard?:
            [
                DoctorFinding(
                    "stop-words", .warn, "stop is not heard in its sample",
                    advice: "try \"jarvis-voiced wake test\"; without it the stop key and \"ctl stop\" stop it"
                )
            ]
        case .failed(let problem)?: [judge(WordGap(words: ["stop"], areStops: true, why: problem))]
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
        "wake-words", .skipped, "not tried: root does not load the library of another user",
        advice: "sudo jarvis-voiced doctor --user jarvis-voiced"
    )

    private static let otherStops: MarkedText = "without it the stop key and \"ctl stop\" stop it"

    /// No engine for stop words is installed, which is a valid choice.
    static func nobodyListens(for stops: [String]) -> DoctorFinding {
        DoctorFinding(
            "stop-words", .skipped,
            "not recognised, as PocketSphinx is not installed: \(stops.joined(separator: ", "))",
            advice: "apt install libpocketsphinx3 pocketsphinx-en-us; \(otherStops)"
        )
    }

    static func judge(_ gap: WordGap) -> DoctorFinding {
        let advice = gap.areStops ? otherStops : "docs/activation.md has what each engine needs"
        return DoctorFinding(gap.areStops ? "stop-words" : "wake-words", .warn, "\(gap.description)", advice: advice)
    }

    static func judge(words: String, _ problem: WakeWordError?, mode: ActivationMode) -> DoctorFinding {
        guard let problem else { return DoctorFinding("wake-words", .ok, "can be recognised: \(words)") }
        return DoctorFinding(
            "wake-words", mode == .wake ? .fail : .warn, "\(problem.description)",
            advice: "activation.engine names another engine, or \"off\"; docs/activation.md has what each needs"
        )
    }
}
