import FoundationEssentials
import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConfiguration
@testable import VoiceConversation

/// microWakeWord models in a library of our own with TensorFlow Lite's functions: what is loaded, how it is called,
/// what is missing.
struct TFLiteSpotterTests {
    /// Once it has received loud audio, its models are certain until they are created anew. A model is "GOOD", the
    /// number of steps it takes at a time, and a letter for its defect; with "h" it is half certain at most.
    private static let source = """
        #include <stdarg.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        typedef void report(void *, const char *, va_list);
        typedef struct { float scale; int32_t zero; } quantization;
        typedef struct { const char *model; int heard; int8_t in[1280]; } interpreter;
        typedef struct { interpreter *of; int isOutput; } tensor;
        static void say(report *r, void *d, const char *f, ...) { va_list a; va_start(a, f); r(d, f, a); va_end(a); }
        void *TfLiteModelCreateWithErrorReporter(const char *b, size_t n, report *r, void *d) {
            if (n >= 6 && !memcmp(b, "GOOD", 4)) return (void *)b;
            say(r, d, "no %s", "flatbuffer");
            return NULL;
        }
        void TfLiteModelDelete(void *m) {}
        void *TfLiteInterpreterOptionsCreate(void) { return malloc(1); }
        void TfLiteInterpreterOptionsSetNumThreads(void *o, int32_t n) {}
        void TfLiteInterpreterOptionsSetErrorReporter(void *o, report *r, void *d) {}
        void TfLiteInterpreterOptionsDelete(void *o) { free(o); }
        void *TfLiteInterpreterCreate(const char *m, const void *o) {
            interpreter *made = calloc(1, sizeof *made);
            made->model = m;
            return made;
        }
        void TfLiteInterpreterDelete(void *i) { free(i); }
        int32_t TfLiteInterpreterGetInputTensorCount(const interpreter *i) { return i->model[5] == '2' ? 2 : 1; }
        int32_t TfLiteInterpreterGetOutputTensorCount(const interpreter *i) { return 1; }
        int TfLiteInterpreterResizeInputTensor(interpreter *i, int32_t n, const int *d, int32_t c) { return 1; }
        int TfLiteInterpreterAllocateTensors(interpreter *i) { return i->model[5] == 'a'; }
        static tensor tensors[2];
        void *TfLiteInterpreterGetInputTensor(interpreter *i, int32_t n) {
            tensors[0] = (tensor){i, 0};
            return &tensors[0];
        }
        const void *TfLiteInterpreterGetOutputTensor(interpreter *i, int32_t n) {
            tensors[1] = (tensor){i, 1};
            return &tensors[1];
        }
        static int steps(const tensor *t) { return t->of->model[4] - '0'; }
        int TfLiteTensorType(const tensor *t) { return t->isOutput ? 3 : t->of->model[5] == 'f' ? 1 : 9; }
        int32_t TfLiteTensorNumDims(const tensor *t) { return t->isOutput ? 2 : 3; }
        int32_t TfLiteTensorDim(const tensor *t, int32_t n) {
            return t->isOutput || n == 0 ? 1 : n == 1 ? steps(t) : 40;
        }
        size_t TfLiteTensorByteSize(const tensor *t) { return t->isOutput ? 1 : 40 * steps(t); }
        quantization TfLiteTensorQuantizationParams(const tensor *t) {
            if (t->isOutput) return (quantization){1.0f / 256, 0};
            return (quantization){0.1019608f, t->of->model[5] == 'q' ? 0 : -128};
        }
        int TfLiteTensorCopyFromBuffer(tensor *t, const void *b, size_t n) {
            memcpy(t->of->in, b, n);
            return 0;
        }
        int TfLiteTensorCopyToBuffer(const tensor *t, uint8_t *b, size_t n) {
            *b = !t->of->heard ? 0 : t->of->model[5] == 'h' ? 128 : 255;
            return 0;
        }
        int TfLiteInterpreterInvoke(interpreter *i) {
            int sum = 0;
            for (int n = 0; n < 40; n++) sum += i->in[n];
            if (sum > 0) i->heard = 1;
            return i->model[5] == 'x';
        }
        """

    /// A folder with library and models, removed with the value.
    private final class Box: Sendable {
        let path = "/tmp/tflite-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        var folder: WakeModelFolder { WakeModelFolder(path: path) }

        init(_ models: [String: String] = ["hey_jarvis": "GOOD3."]) throws {
            for (name, model) in models { try add(name, model) }
        }

        func add(_ name: String, _ model: String, manifest: String? = nil) throws {
            let ordinary = """
                {"type": "micro", "wake_word": "x", "model": "\(name).tflite", "version": 2, "micro":
                {"probability_cutoff": 0.97, "feature_step_size": 10, "sliding_window_size": 5}}
                """
            try StateFile.write(Array((manifest ?? ordinary).utf8), to: path + "/\(name).json")
            try StateFile.write(Array(model.utf8), to: path + "/\(name).tflite")
        }

        /// Compiles the library, on a thread that may block.
        func compiled(_ source: String = TFLiteSpotterTests.source) async throws -> Self {
            try StateFile.write(Array(source.utf8), to: path + "/lib.c")
            let arguments = ["-shared", "-fPIC", "-o", folder.library, path + "/lib.c"]
            let path = ["PATH=/usr/bin:/bin"]
            await OwnThread.run("compile") {
                let result = HookProcess.run("/usr/bin/cc", path, arguments: arguments, within: .seconds(60))
                #expect(result == .ended(0))
            }
            return self
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func words(_ wake: String = "hey jarvis", stop: String = "") throws -> WakeWords {
        try WakeWords(wake: wake, stop: stop, threshold: -20)
    }

    private func spotter(_ box: Box, _ words: WakeWords, trial: ModelTrial = .none) throws -> TFLiteSpotter {
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
        let box = try await Box().compiled()
        let spotter = try spotter(box, try words())
        #expect(try found(spotter, quiet).isEmpty)
        #expect(try found(spotter, loud) == [WakeCandidate("hey jarvis", .certain, score: 255.0 / 256)])
    }

    /// Audio of the first second, in which a model settles, is ignored.
    @Test func theFirstSecondIsIgnored() async throws {
        let box = try await Box().compiled()
        #expect(try found(try spotter(box, try words()), loud).isEmpty)
    }

    @Test func severalWordsAreHeardAtOnceEachWithItsOwnCutOff() async throws {
        let box = try await Box(["hey_jarvis": "GOOD3h", "alexa": "GOOD2h"]).compiled()
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
        let box = try await Box().compiled()
        let spotter = try spotter(box, try words())
        _ = try found(spotter, quiet + loud)
        spotter.reset()
        #expect(try found(spotter, quiet + quiet).isEmpty)
    }

    @Test func whatIsMissingIsNamedWithTheWayOut() async throws {
        let box = try Box()
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
    func aModelThatIsNoneIsRefused(model: String, reason: String) async throws {
        let box = try await Box(["hey_jarvis": model]).compiled()
        #expect { _ = try spotter(box, try words()) } throws: {
            "\($0)".contains("hey_jarvis.tflite: ") && "\($0)".contains(reason)
        }
    }

    /// It would be accepted, and never exceeded.
    @Test func aMeanOverMoreThanASecondIsRefused() async throws {
        let box = try await Box().compiled()
        let long = manifest(model: "alexa.tflite", window: 34)
        try box.add("alexa", "GOOD3.", manifest: String(decoding: long, as: UTF8.self))
        #expect { _ = try spotter(box, try words("alexa")) } throws: {
            "\($0)".contains("wants the mean of 1020 ms (sliding_window_size), which is longer than a word")
        }
    }

    @Test func aModelThatFailsIsAnErrorAndNoCrash() async throws {
        let box = try await Box(["hey_jarvis": "GOOD3x"]).compiled()
        let spotter = try spotter(box, try words())
        #expect { _ = try found(spotter, quiet) } throws: { "\($0)".contains("\"hey jarvis\" fails") }
    }

    @Test func aLibraryThatIsNoneIsNamed() async throws {
        let box = try await Box().compiled("int nothing;")
        #expect { _ = try spotter(box, try words()) } throws: { "\($0)".contains("not all of TensorFlow Lite") }
        try StateFile.write(Array("text".utf8), to: box.folder.library)
        #expect { _ = try spotter(box, try words()) } throws: { "\($0)".contains("cannot be loaded") }
    }

    @Test(arguments: ["hey jarvis:-25", "hey jarvis:1", "hey jarvis:90", "hey jarvis:0.997"])
    func aThresholdThatIsNoProbabilityIsRefused(wake: String) async throws {
        let box = try await Box().compiled()
        #expect { _ = try spotter(box, try words(wake)) } throws: {
            "\($0)".contains("below 0.996, which no model exceeds: for instance 0.9")
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

    @Test func aManifestThatCannotBeIsRefused() throws {
        let read = try MicroWakeWordManifest(manifest())
        #expect(read.model == "m.tflite" && read.cutoff == 0.9 && read.window == 5)
        for bad in [
            manifest(type: "open"), manifest(version: 1), manifest(step: 20), manifest(model: "../m.tflite"),
            manifest(model: "m.json"), manifest(cutoff: 1), manifest(cutoff: -1), manifest(window: 0),
            manifest(window: 1_000_000), Array("[]".utf8), [],
        ] {
            #expect(throws: WakeWordError.self, "\(String(decoding: bad, as: UTF8.self))") {
                try MicroWakeWordManifest(bad)
            }
        }
    }

    /// The library never sees a model that would end the process.
    @Test func aModelIsTriedBeforeItIsLoaded() async throws {
        let box = try await Box(["hey_jarvis": "JUNK"]).compiled()
        let trial = ModelTrial { (_, _, _) throws(WakeWordError) in
            if let problem = ModelTrial.judge(.ended(128 + SIGSEGV)) { throw problem }
        }
        #expect { _ = try spotter(box, try words(), trial: trial) } throws: {
            "\($0)".contains("ends the program that runs it (signal 11)")
        }
        #expect(ModelTrial.judge(.ended(0)) == nil)
        #expect(ModelTrial.judge(.tookTooLong)?.description.contains("holds up") == true)
        #expect(ModelTrial.judge(.ended(71))?.description.contains("wake try") == true)
    }

    /// The end of the program does not wait for a model that hangs: half a second, not five.
    @Test func aTrialThatHangsIsGivenUpWhenTheProgramEnds() async throws {
        let began = Monotonic.now()
        let problem = await OwnThread.run("trial") { () -> WakeWordError? in
            do throws(WakeWordError) {
                try ModelTrial.run("/bin/sleep", ["60"], isEnding: { true })
                return nil
            } catch { return error }
        }
        #expect(problem?.description.contains("holds up the program that runs it") == true)
        #expect(Monotonic.now() - began < .seconds(4))
    }

    @Test func theTrialRunsTheModelItself() async throws {
        let box = try await Box(["good": "GOOD3.", "bad": "GOOD3x"]).compiled()
        try ModelTrial.runHere(library: box.folder.library, model: box.path + "/good.tflite")
        #expect { try ModelTrial.runHere(library: box.folder.library, model: box.path + "/bad.tflite") } throws: {
            "\($0)" == "the model fails"
        }
    }

    @Test func theFolderThatIsThereIsTaken() {
        #expect(WakeModelFolder(configured: "/x", environment: [:]).path == "/x")
        #expect(WakeModelFolder(configured: "", environment: [:]).path == WakeModelFolder.service)
        let state = ["STATE_DIRECTORY": "/tmp/nowhere-\(getpid())"]
        #expect(WakeModelFolder(configured: "", environment: state).path == "/tmp/nowhere-\(getpid())/wake")
    }

    @Test func theModelsAreTheEngineWhereTheyAre() throws {
        let box = try Box()
        var configuration = Configuration()
        configuration.activation.wakeModels = box.path
        #expect(try ActivationSettings(configuration).engine == nil)
        try StateFile.write([], to: box.folder.library)
        #expect(try ActivationSettings(configuration).engine == .tflite(box.folder))
        configuration.activation.engine = .off
        #expect(try ActivationSettings(configuration).engine == nil)
    }

    /// A stop word's own model works beside any engine, even if the wake word's is missing.
    @Test func theUsersModelOfAStopWordIsHeardBesideAnEngineThatIsAway() async throws {
        let box = try await Box(["halt": "GOOD3."]).compiled()
        let stop = try #require(
            ActivationSettings.StopModel(path: box.path + "/halt.json", library: box.folder.library)
        )
        var words = try words()
        words.words.append(.init(text: "halt", threshold: 0, isStop: true))
        let away = ActivationSettings.Engine.tflite(WakeModelFolder(path: "/nowhere"))
        let detector = try away.detector(of: words, sphinxModel: "/nowhere", stop: stop)
        #expect(detector.callsUnheard?.description.contains("wake install") == true)
        #expect(detector.stopWordsUnheard == nil)
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
        let box = try Box(["halt": "GOOD3."])
        var configuration = Configuration()
        configuration.activation.wakeModels = box.path
        configuration.activation.stopModel = box.path + "/halt.json"
        let settings = try ActivationSettings(configuration)
        #expect(settings.rule?.words["halt"]?.isStop == true)
        #expect(settings.makeDetector != nil && !settings.hearsCalls)
        configuration.activation.stopModel = box.path + "/halt.tflite"
        #expect { _ = try ActivationSettings(configuration) } throws: { "\($0)".contains("wants a manifest NAME.json") }
    }

    /// The engine has decided: the margin for PocketSphinx scores does not apply to it.
    @Test func aFindCallsWhileTheBoxSoundsAndANearMissNever() throws {
        var rule = WakeRule(words: try words(), playingMargin: 3, refractory: .seconds(2))
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

    @Test func aModelThatIsCutOffIsRefused() throws {
        let bytes = try FileReader.system.read(folder.path + "/hey_jarvis.tflite", 4 << 20).bytes
        for count in [0, 4, 1000, bytes.count / 2, bytes.count - 40] {
            #expect(throws: WakeWordError.self, "\(count) bytes") {
                _ = try TFLiteInterpreter(library: folder.library, model: Array(bytes.prefix(count)))
            }
        }
    }
}
