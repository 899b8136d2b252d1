import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

/// microWakeWord models in a library of our own with TensorFlow Lite's functions: what is loaded, how it is called,
/// what is missing.
struct TFLiteSpotterTests {
    private func words(_ wake: String = "hey jarvis", stop: String = "") throws -> WakeWords {
        try WakeWords(wake: wake, stop: stop, threshold: -20)
    }

    private func spotter(
        _ box: WakeModelBox,
        _ words: WakeWords,
        trial: ModelTrial = .none
    ) throws -> TFLiteSpotter {
        try TFLiteSpotter(words, in: box.folder, trial: trial)
    }

    private let quiet = [Int16](repeating: 0, count: 24_000)
    private let loud = [Int16](GoldenSignal.loudNoise.samples.prefix(6400))

    private func found(_ spotter: TFLiteSpotter, _ samples: [Int16]) throws -> [WakeCandidate] {
        try stride(from: 0, to: samples.count, by: 640).flatMap { start in
            try samples[start..<min(start + 640, samples.count)].withUnsafeBufferPointer { try spotter.process($0) }
        }
    }

    @Test func aWordIsFoundOnce() async throws {
        let box = try await WakeModelBox().compiled()
        let spotter = try spotter(box, try words())
        #expect(try found(spotter, quiet).isEmpty)
        let finds = try found(spotter, loud)
        #expect(finds.map(\.word) == ["hey jarvis"] && finds.map(\.finding) == [.certain])
        #expect(finds.first?.wantsPause == true && finds.first?.score ?? 0 > 0.2)
        let strict = try self.spotter(box, try words("hey jarvis:0.9"))
        #expect(try found(strict, quiet).isEmpty)
        #expect(try found(strict, loud).map(\.word) == ["hey jarvis"])
    }

    /// 40 ms at a time, as the daemon does, or in one piece.
    @Test func findDoesNotDependOnTheBlockSize() async throws {
        let box = try await WakeModelBox().compiled()
        let (pieces, whole) = (try spotter(box, try words()), try spotter(box, try words()))
        let finds = try found(pieces, quiet + loud)
        #expect(finds.count == 1)
        #expect(try (quiet + loud).withUnsafeBufferPointer { try whole.process($0) } == finds)
    }

    /// A model that was not measured has its maker's cut-off.
    @Test func cutoffFollowsTheModelAndItsSensitivity() async throws {
        let names = ["alexa", "hey_jarvis", "far", "near", "stop"]
        let box = try await WakeModelBox(Dictionary(uniqueKeysWithValues: names.map { ($0, "GOOD3.") })).compiled()
        for name in ["alexa", "far", "near"] {
            let half = manifest(model: name + ".tflite", cutoff: 0.5)
            try box.add(name, "GOOD3.", manifest: String(decoding: half, as: UTF8.self))
        }
        let spotter = try spotter(box, try words("alexa, hey jarvis:0.9, far:high, near:low", stop: "stop"))
        #expect(try found(spotter, quiet).isEmpty)
        let finds = try found(spotter, loud)
        func limits(_ word: String) -> [String] {
            finds.filter { $0.word == word }.map { "\($0.threshold ?? 0) \($0.wantsPause)" }
        }
        #expect(limits("alexa") == ["0.5 true"] && limits("hey jarvis") == ["0.9 true"])
        #expect(limits("far") == ["0.375 true"] && limits("near") == ["0.75 true"] && limits("stop") == ["0.97 false"])
    }

    /// Audio of the first second, in which a model settles, is ignored.
    @Test func theFirstSecondIsIgnored() async throws {
        let box = try await WakeModelBox().compiled()
        #expect(try found(try spotter(box, try words()), loud).isEmpty)
    }

    @Test func eachWordHasItsOwnCutoff() async throws {
        let box = try await WakeModelBox(["hey_jarvis": "GOOD3h", "alexa": "GOOD2h"]).compiled()
        func finds(_ wake: String) throws -> Set<String> {
            let spotter = try spotter(box, try words(wake))
            #expect(try found(spotter, quiet).isEmpty)
            return Set(try found(spotter, loud).filter { $0.finding == .certain }.map(\.word))
        }
        #expect(try finds("hey_jarvis:0.4, alexa:0.6") == ["hey_jarvis"])
        #expect(try finds("hey_jarvis:0.4, alexa:0.4") == ["hey_jarvis", "alexa"])
    }

    /// The model's history is in the interpreter, and no library call clears it.
    @Test func aResetForgetsWhatTheModelHeard() async throws {
        let box = try await WakeModelBox().compiled()
        let spotter = try spotter(box, try words())
        _ = try found(spotter, quiet + loud)
        spotter.reset()
        #expect(try found(spotter, quiet + quiet).isEmpty)
    }

    @Test func missingFileIsNamedWithTheFix() async throws {
        let box = try WakeModelBox()
        #expect { _ = try spotter(box, try words()) } throws: {
            "\($0)".contains("has no libtensorflowlite_c.so: run \"jarvis-voiced wake install\"")
        }
        _ = try await box.compiled()
        #expect { _ = try spotter(box, try words("computer")) } throws: {
            "\($0)".contains("no model of \"computer\" (it has hey jarvis)")
        }
        unlink(box.path + "/hey_jarvis.tflite")
        #expect { _ = try spotter(box, try words()) } throws: { "\($0)".contains("hey_jarvis.tflite: no such file") }
    }

    @Test(
        arguments: [
            ("JUNK", "no flatbuffer"), ("GOOD3f", "another shape"), ("GOOD0.", "another shape"),
            ("GOOD3q", "another scale"), ("GOOD32", "cannot run"), ("GOOD3a", "cannot run"),
        ]
    )
    func invalidModelIsRefused(model: String, reason: String) async throws {
        let box = try await WakeModelBox(["hey_jarvis": model]).compiled()
        #expect { _ = try spotter(box, try words()) } throws: {
            "\($0)".contains("hey_jarvis.tflite: ") && "\($0)".contains(reason)
        }
    }

    /// It would be accepted, and never exceeded.
    @Test func aMeanOverMoreThanASecondIsRefused() async throws {
        let box = try await WakeModelBox().compiled()
        let long = manifest(model: "alexa.tflite", window: 34)
        try box.add("alexa", "GOOD3.", manifest: String(decoding: long, as: UTF8.self))
        #expect { _ = try spotter(box, try words("alexa")) } throws: {
            "\($0)".contains("wants the mean of 1020 ms (sliding_window_size), which is longer than a word")
        }
    }

    @Test func failingModelThrows() async throws {
        let box = try await WakeModelBox(["hey_jarvis": "GOOD3x"]).compiled()
        let spotter = try spotter(box, try words())
        #expect { _ = try found(spotter, quiet) } throws: { "\($0)".contains("\"hey jarvis\" fails") }
    }

    @Test func invalidLibraryIsNamed() async throws {
        let box = try await WakeModelBox().compiled("int nothing;")
        #expect { _ = try spotter(box, try words()) } throws: {
            "\($0)".hasPrefix("the library has not all of TensorFlow Lite") && ($0 as? WakeWordError)?.cause == .library
        }
        try StateFile.write(Array("text".utf8), to: box.folder.library)
        #expect { _ = try spotter(box, try words()) } throws: {
            "\($0)".hasPrefix("the library of TensorFlow Lite cannot be loaded")
                && ($0 as? WakeWordError)?.cause == .library
        }
    }

    @Test(arguments: ["hey jarvis:-25", "hey jarvis:0", "hey jarvis:1", "hey jarvis:90", "hey jarvis:0.997"])
    func thresholdOutsideProbabilitiesIsRefused(wake: String) async throws {
        let box = try await WakeModelBox().compiled()
        #expect { _ = try spotter(box, try words(wake)) } throws: {
            "\($0)".contains("wants a probability above 0, and 0.996 at most: for instance 0.9")
        }
    }

    private func manifest(
        type: String = "micro",
        model: String = "m.tflite",
        version: Int = 2,
        cutoff: Double = 0.9,
        step: Int = 10,
        window: Int = 5
    ) -> [UInt8] {
        Array(
            """
            {"type": "\(type)", "model": "\(model)", "version": \(version), "micro": {"probability_cutoff": \(cutoff),
            "feature_step_size": \(step), "sliding_window_size": \(window), "tensor_arena_size": 22860}}
            """.utf8
        )
    }

    @Test func invalidManifestIsRefused() throws {
        let read = try MicroWakeWordManifest(manifest())
        #expect(read.model == "m.tflite" && read.cutoff == 0.9 && read.window == 5)
        for bad in [
            manifest(type: "open"), manifest(version: 1), manifest(step: 20), manifest(model: "../m.tflite"),
            manifest(model: "m.json"), manifest(cutoff: 1), manifest(cutoff: 0),
            manifest(cutoff: -1), manifest(window: 0),
            manifest(window: 1_000_000), Array("[]".utf8), [],
        ] {
            #expect(throws: WakeWordError.self, "\(String(decoding: bad, as: UTF8.self))") {
                try MicroWakeWordManifest(bad)
            }
        }
    }

    /// The library never sees a model that would end the process.
    @Test func aModelIsTriedBeforeItIsLoaded() async throws {
        let box = try await WakeModelBox(["hey_jarvis": "JUNK"]).compiled()
        let trial = ModelTrial { (_, _) throws(WakeWordError) in
            if let problem = ModelTrial.judge(.ended(128 + SIGSEGV)) { throw problem }
        }
        #expect { _ = try spotter(box, try words(), trial: trial) } throws: {
            "\($0)".contains("ends the program that runs it (signal 11)")
        }
        #expect(ModelTrial.judge(.ended(0)) == nil)
        #expect(ModelTrial.judge(.tookTooLong)?.description.contains("holds up") == true)
        // Another attempt may succeed.
        let passing: [HookProcess.Result] = [
            .tookTooLong, .notStarted(errno: EAGAIN), .notStarted(errno: ENOMEM), .ended(128 + SIGKILL),
        ]
        for passing in passing {
            #expect(ModelTrial.judge(passing)?.cause.isTransient == true, "\(passing)")
        }
        #expect(ModelTrial.judge(.tookTooLong)?.cause == .timedOut)
        #expect(ModelTrial.judge(.notStarted(errno: ENOENT))?.cause == .other)
        #expect(ModelTrial.judge(.ended(128 + SIGSEGV))?.cause == .other)
        #expect(ModelTrial.judge(.ended(71))?.description == "cannot be run: status 71")
        // The child's exit code says what failed.
        let library = WakeWordError("no library", cause: .library)
        #expect(ModelTrial.judge(.ended(library.exitCode.rawValue), reason: "jarvis-voiced: no library") == library)
        #expect(ModelTrial.judge(.ended(WakeWordError("no model").exitCode.rawValue))?.cause == .other)
    }

    /// The child's own words, in one line and without its name.
    @Test func trialReportsItsReason() async throws {
        let script = "/tmp/trial-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(script) }
        let text = "#!/bin/sh\necho INFO: >&2\nprintf 'jarvis-voiced: no model\\033[1m: junk\\n' >&2\nexit 71\n"
        try StateFile.write(Array(text.utf8), to: script)
        chmod(script, 0o700)
        let problem = await OwnThread.run("trial") { () -> WakeWordError? in
            do throws(WakeWordError) {
                try ModelTrial.run(script, [], isEnding: { false })
                return nil
            } catch { return error }
        }
        #expect(problem == WakeWordError("cannot be run: no model[1m: junk"))
    }

    @Test func modelFileIsTriedOnce() throws {
        let tried = Mutex<[String]>([])
        let trial = ModelTrial { (_, model) throws(WakeWordError) in
            tried.withLock { $0.append(model) }
            if model == "bad" { throw WakeWordError("broken") }
        }.once()
        for _ in 0..<3 {
            try trial.run(library: "l", model: "good")
            #expect(throws: WakeWordError("broken")) { try trial.run(library: "l", model: "bad") }
        }
        #expect(tried.withLock { $0 } == ["good", "bad"])
    }

    /// The detector as the daemon builds it, whose retries run immediately.
    private func calls(
        of words: WakeWords,
        in folder: WakeModelFolder,
        trial: ModelTrial,
        now: @escaping () -> Duration
    ) -> WakeEngines {
        WakeEngines(
            calls: .init { () throws(WakeWordError) in try TFLiteSpotter(words, in: folder, trial: trial) },
            stops: [],
            now: now,
            start: { work in
                work()
                return true
            }
        )
    }

    /// At a cold boot the trial of the first of two words takes too long: the word is heard 30 s later, the other all the
    /// time. A broken model is not tried again.
    @Test func untriedWordIsHeardAfterARetry() async throws {
        let box = try await WakeModelBox(["hey_jarvis": "GOOD3.", "alexa": "GOOD3.", "computer": "JUNK"]).compiled()
        let trials = Mutex(0)
        let trial = ModelTrial { (_, model) throws(WakeWordError) in
            let count = trials.withLock { count in
                count += 1
                return count
            }
            guard count == 1, let problem = ModelTrial.judge(.tookTooLong) else { return }
            throw problem
        }
        let (words, folder) = (try words("hey jarvis, alexa, computer"), box.folder)
        var now = Duration.zero
        let detector = calls(of: words, in: folder, trial: trial) { now }
        func found() throws -> [String] {
            detector.reset()
            return try (quiet + loud).withUnsafeBufferPointer { try detector.process($0) }.map(\.word)
        }
        #expect(try found() == ["alexa"])
        #expect(detector.gaps.map(\.words) == [["hey jarvis"], ["computer"]])
        #expect(detector.gaps[0].why.description.contains("holds up"))
        now = .seconds(29)
        #expect(try found() == ["alexa"])
        now = .seconds(30)
        #expect(try found() == ["hey jarvis", "alexa"])
        #expect(detector.gaps.map(\.words) == [["computer"]])
        let known = trials.withLock { $0 }
        now = .seconds(1000)
        _ = try found()
        #expect(trials.withLock { $0 } == known)
    }

    /// The end of the program does not wait for a model that hangs. This one would end after a minute, without a fault.
    @Test func endOfTheProgramAbandonsAHangingTrial() async throws {
        let problem = await OwnThread.run("trial") { () -> WakeWordError? in
            do throws(WakeWordError) {
                try ModelTrial.run("/bin/sleep", ["60"], within: .seconds(3600), isEnding: { true })
                return nil
            } catch { return error }
        }
        #expect(problem?.description.contains("holds up the program that runs it") == true)
    }

    @Test func theTrialRunsTheModelItself() async throws {
        let box = try await WakeModelBox(["good": "GOOD3.", "bad": "GOOD3x"]).compiled()
        try ModelTrial.runHere(library: box.folder.library, model: box.path + "/good.tflite")
        #expect { try ModelTrial.runHere(library: box.folder.library, model: box.path + "/bad.tflite") } throws: {
            "\($0)" == "the model fails"
        }
    }

    @Test func configuredModelFolderComesFirst() {
        #expect(WakeModelFolder(configured: "/x", environment: [:]).path == "/x")
        #expect(WakeModelFolder(configured: "", environment: [:]).path == WakeModelFolder.service)
        let state = ["STATE_DIRECTORY": "/tmp/nowhere-\(getpid())"]
        #expect(WakeModelFolder(configured: "", environment: state).path == "/tmp/nowhere-\(getpid())/wake")
    }

    @Test func installedModelsChooseTheEngine() throws {
        let box = try WakeModelBox()
        var configuration = Configuration()
        configuration.activation.wakeModels = box.path
        #expect(try ActivationSettings(configuration).engine == nil)
        try StateFile.write([], to: box.folder.library)
        #expect(try ActivationSettings(configuration).engine == .tflite(box.folder))
        configuration.activation.engine = .off
        #expect(try ActivationSettings(configuration).engine == nil)
    }

    /// A stop word's own model works beside any engine, even if the wake word's is missing.
    @Test func stopModelWorksBesideAMissingEngine() async throws {
        let box = try await WakeModelBox(["halt": "GOOD3."]).compiled()
        let stop = try #require(
            ActivationSettings.StopModel(path: box.path + "/halt.json", library: box.folder.library)
        )
        var words = try words()
        words.words.append(.init(text: "halt", threshold: 0, isStop: true))
        let away = ActivationSettings.Engine.tflite(WakeModelFolder(path: "/nowhere"))
        let detector = try ActivationSettings.Recognition(engine: away, stop: stop, sphinxModel: "/nowhere")
            .detector(of: words)
        #expect(detector.callsUnheard?.description.contains("wake install") == true)
        #expect(detector.gaps.isEmpty)
        detector.listen(for: .stop)
        func found(_ samples: [Int16]) throws -> [String] {
            try samples.withUnsafeBufferPointer { try detector.process($0) }.map(\.word)
        }
        #expect(try found(quiet).isEmpty)
        #expect(try found(loud) == ["halt"])
        detector.listen(for: .wake)
        #expect(try found(quiet + loud).isEmpty)
    }

    @Test func theStopModelIsAManifestAndNeedsNoEngine() throws {
        let box = try WakeModelBox(["halt": "GOOD3."])
        var configuration = Configuration()
        configuration.activation.wakeModels = box.path
        configuration.activation.stopModel = box.path + "/halt.json"
        let settings = try ActivationSettings(configuration)
        #expect(settings.rule?.words["halt"]?.isStop == true)
        #expect(settings.makeDetector != nil && !settings.hearsCalls)
        configuration.activation.stopModel = box.path + "/halt.tflite"
        #expect { _ = try ActivationSettings(configuration) } throws: { "\($0)".contains("wants a manifest NAME.json") }
    }

    /// An ordinary user may not look into the folder of the service: `config check` and the doctor do not miss what they
    /// cannot see, and say so; a daemon of this user's own would have no models.
    @Test func hiddenModelsOfTheServiceAreNotCalledMissing() throws {
        var configuration = Configuration()
        configuration.activation.wakeModels = "/nowhere"
        configuration.activation.mode = .wake
        func settings(isForThisUser: Bool, isHidden: Bool) throws -> ActivationSettings {
            try ActivationSettings(configuration, isForThisUser: isForThisUser) { folder in
                #expect(folder == "/nowhere")
                return isHidden
            }
        }
        for (isForThisUser, isHidden) in [(true, true), (true, false), (false, false)] {
            #expect(throws: ConfigurationError.self) {
                _ = try settings(isForThisUser: isForThisUser, isHidden: isHidden)
            }
        }
        // Who runs the daemon as himself cannot read the models of the service, and is told so in one line.
        let own = "this user may not read the models in /nowhere, so no wake word would be heard: name a folder"
        #expect { _ = try settings(isForThisUser: true, isHidden: true) } throws: { "\($0)".contains(own) }
        configuration.activation.engine = .tflite
        let mine = try settings(isForThisUser: true, isHidden: true)
        #expect(mine.notices.count == 1 && mine.notices.first?.contains(own) == true)
        #expect(WakeCheck.hidden(mine).isEmpty, "the doctor says what is missing")
        configuration.activation.engine = .auto
        let checked = try settings(isForThisUser: false, isHidden: true)
        #expect(checked.notices.count == 1)
        #expect(checked.notices.first?.contains("this user may not look into /nowhere") == true)
        #expect(checked.notices.first?.contains("with sudo") == true)
        let finding = try #require(WakeCheck.hidden(checked).first)
        #expect(finding.verdict == .skipped && finding.advice == "sudo jarvis-voiced doctor --user jarvis-voiced")
        configuration.activation.mode = .push
        #expect(WakeCheck.hidden(try settings(isForThisUser: false, isHidden: true)).isEmpty)
        #expect(!WakeModelFolder.isHidden("/tmp") && !WakeModelFolder.isHidden("/nowhere"))
    }

    @Test func theServicesModelsAreInstalledByRoot() {
        let service = StateDirectory.service
        #expect(WakeModelFolder.installCommand(intoStateFolder: service) == "sudo jarvis-voiced wake install")
        #expect(WakeModelFolder.installCommand(intoStateFolder: service + "/wake").hasPrefix("sudo "))
        for other in ["/home/anna/.local/state/jarvis-voiced", service + "-other", nil] {
            #expect(WakeModelFolder.installCommand(intoStateFolder: other) == "jarvis-voiced wake install")
        }
    }

    /// The engine has decided: the margin for PocketSphinx scores does not apply to it.
    @Test func findActivatesWhileTheBoxSoundsButNotANearMiss() throws {
        var rule = WakeRule(words: try words())
        let near = WakeCandidate("hey jarvis", .doubtful(0.62))
        #expect(
            rule.judge(near, listening: .wake, isPlaying: false, at: .seconds(5))
                == .nearMiss("hey jarvis", score: 0.62)
        )
        let sure = WakeCandidate("hey jarvis", .certain)
        #expect(rule.judge(sure, listening: .wake, isPlaying: true, at: .seconds(6)) == .call("hey jarvis"))
        #expect(0.617.asScore == "0.62")
        #expect((-23.4).asScore == "-23")
    }
}

/// The real library and models, if VOICE_WAKE_MODELS names their folder.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["VOICE_WAKE_MODELS"] != nil,
        "VOICE_WAKE_MODELS names no folder with TensorFlow Lite's library and models"
    )
)
struct TFLiteLibraryTests {
    private let folder = WakeModelFolder(path: ProcessInfo.processInfo.environment["VOICE_WAKE_MODELS"] ?? "")

    @Test func everyModelRunsAndHearsNothingInNoiseAndSyllables() throws {
        #expect(folder.words.contains("hey jarvis"))
        let words = try WakeWords(wake: folder.words.joined(separator: ","), stop: "", threshold: 0)
        let spotter = try TFLiteSpotter(words, in: folder, trial: .none)
        for signal in GoldenSignal.allCases {
            for _ in 0..<2 {
                #expect(try signal.samples.withUnsafeBufferPointer { try spotter.process($0) }.isEmpty, "\(signal)")
            }
        }
    }

    @Test func everyModelOfThePackageHearsTheSampleOfItsWord() throws {
        for word in ["alexa", "hey jarvis", "hey mycroft", "okay nabu"] {
            let result = SampleRun.result(of: word, in: folder, over: WakeSamples.samples(of: word), trial: .none)
            guard case .heard = result else {
                Issue.record("\(word): \(result)")
                continue
            }
        }
    }

    @Test func truncatedModelIsRefused() throws {
        let bytes = try FileReader.system.read(folder.path + "/hey_jarvis.tflite", 4 << 20).bytes
        for count in [0, 4, 1000, bytes.count / 2, bytes.count - 40] {
            #expect(throws: WakeWordError.self, "\(count) bytes") {
                _ = try TFLiteInterpreter(library: folder.library, model: Array(bytes.prefix(count)))
            }
        }
    }
}
