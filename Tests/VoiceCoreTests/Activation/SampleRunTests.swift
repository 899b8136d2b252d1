import Testing

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceCore

/// How the doctor judges the installed models.
struct SampleRunTests {
    private func result(_ box: WakeModelBox, _ word: String, over sample: [Int16]) -> SampleRun.Result {
        SampleRun.result(of: word, in: box.folder, over: sample, trial: .none)
    }

    @Test func everyModelIsRunOverItsSample() async throws {
        let models = ["hey_jarvis": "GOOD3.", "alexa": "GOOD3l", "okay_nabu": "GOOD3x", "hey_mycroft": "JUNK"]
        let box = try await WakeModelBox(models).compiled()
        let loud = [Int16](GoldenSignal.loudNoise.samples.prefix(12_800))
        // Only five steps of five, of 255 / 256 each, exceed the maker's cut-off.
        #expect(result(box, "hey jarvis", over: loud) == .heard(255.0 / 256))
        #expect(result(box, "alexa", over: loud) == .unheard(26.0 / 256))
        #expect(result(box, "hey jarvis", over: []) == .ran)
        guard case .failed(let problem) = result(box, "okay nabu", over: loud) else {
            Issue.record("a model that fails was taken for one that runs")
            return
        }
        #expect(problem.description.contains("\"okay nabu\" fails"))
        guard case .failed = result(box, "hey mycroft", over: loud) else {
            Issue.record("junk was taken for a model")
            return
        }
    }

    /// An unknown model never runs here before it ran in a child.
    @Test func aModelIsTriedInAChildFirst() async throws {
        let box = try await WakeModelBox().compiled()
        let trial = ModelTrial { (_, _) throws(WakeWordError) in throw WakeWordError("ends the program") }
        guard case .failed(let problem) = SampleRun.result(of: "hey jarvis", in: box.folder, over: [], trial: trial)
        else {
            Issue.record("the model was run without a trial")
            return
        }
        #expect(problem.description.contains("ends the program"))
    }

    @Test func doctorNamesDeafAndBrokenModels() {
        let findings = WakeCheck.judge([
            ("alexa", .heard(0.92)), ("computer", .ran), ("hey jarvis", .unheard(0.12)),
            ("okay nabu", .failed(WakeWordError("okay_nabu.tflite: no flatbuffer"))),
        ])
        #expect(findings.map(\.verdict) == [.ok, .warn, .warn])
        let well = "alexa 0.92, computer (runs; no sample for this model)"
        #expect(findings[0].message == "run over the sample of their word: " + well)
        #expect(findings[1].message == "hey jarvis: runs, but does not hear the sample of its word (0.12)")
        #expect(findings[2].message.contains("okay_nabu.tflite: no flatbuffer"))
        #expect(findings.dropFirst().allSatisfy { $0.advice?.contains("wake install") == true })
        // What was found before the time was up is kept.
        let late = WakeCheck.judge([("alexa", .heard(0.92)), ("computer", .late), ("hey jarvis", .late)])
        #expect(late.map(\.verdict) == [.ok, .skipped])
        #expect(late[1].message == "too slow on this machine, not tried: computer, hey jarvis")
        // A library that is none is not the fault of each model.
        let library = WakeCheck.judge(
            ["alexa", "hey jarvis"].map { word in
                (word, .failed(WakeWordError("/x/lib.so: too short", cause: .library).of("/x/\(word).tflite")))
            }
        )
        #expect(library.map(\.message) == ["/x/lib.so: too short"])
        #expect(WakeCheck.judge(stop: .heard(-11)).map(\.verdict) == [.ok])
        #expect(WakeCheck.judge(stop: .unheard(0)).map(\.verdict) == [.warn])
        #expect(WakeCheck.judge(stop: nil).isEmpty)
    }

    @Test(arguments: ["alexa", "hey jarvis", "hey_mycroft", "okay nabu", "stop"])
    func everyPackagedWordHasASample(word: String) {
        let samples = WakeSamples.samples(of: word)
        #expect(6400...40_000 ~= samples.count)
        #expect(samples.contains { abs(Int($0)) > 4000 })
    }

    @Test func unknownWordHasNoSample() {
        #expect(WakeSamples.samples(of: "computer").isEmpty)
    }
}
