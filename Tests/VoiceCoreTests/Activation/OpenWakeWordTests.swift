import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceBase

/// openWakeWord's chain in a library of our own that has TensorFlow Lite's functions: what is found, what is missing.
struct OpenWakeWordTests {
    private let quiet = [Int16](repeating: 0, count: 24_000)
    private let loud = [Int16](repeating: 9000, count: 16_000)

    private func box(_ words: [String]) async throws -> WakeModelBox {
        try await WakeModelBox([:], open: words).compiled(StandInLibrary.open)
    }

    private func spotter(_ box: WakeModelBox, _ wake: String, stop: String = "") throws -> TFLiteSpotter {
        try TFLiteSpotter(try WakeWords(wake: wake, stop: stop, threshold: -20), in: box.folder, trial: .none)
    }

    private func found(_ spotter: TFLiteSpotter, _ samples: [Int16]) throws -> [WakeCandidate] {
        try stride(from: 0, to: samples.count, by: 640).flatMap { start in
            try samples[start..<min(start + 640, samples.count)].withUnsafeBufferPointer { try spotter.process($0) }
        }
    }

    @Test func aWordOfOpenWakeWordIsFoundOnce() async throws {
        let box = try await box(["hey_rhasspy_v0.1"])
        #expect(box.folder.allWords == ["hey rhasspy"])
        let spotter = try spotter(box, "hey rhasspy")
        #expect(try found(spotter, quiet).isEmpty)
        let finds = try found(spotter, loud)
        #expect(finds.map(\.word) == ["hey rhasspy"])
        #expect(finds.first?.finding == .certain && (finds.first?.score ?? 0) > 0.5)
    }

    @Test func eachHasItsOwnThreshold() async throws {
        let box = try await box(["hey_rhasspy", "hey_fred"])
        let spotter = try spotter(box, "hey rhasspy:0.95, hey fred:0.3")
        // Loud for so long that the mean is between the two.
        let finds = try found(spotter, quiet + loud.prefix(8000) + quiet)
        #expect(finds.filter { $0.finding == .certain }.map(\.word) == ["hey fred"])
        #expect(finds.contains { $0.word == "hey rhasspy" && $0.finding != .certain })
    }

    /// As with the other models: what is said of the first second is not believed, and a reset forgets.
    @Test func theFirstSecondAndWhatWasBeforeAResetAreForgotten() async throws {
        let box = try await box(["hey_rhasspy"])
        let spotter = try spotter(box, "hey rhasspy")
        #expect(try found(spotter, Array(loud.prefix(12_000))).isEmpty)
        spotter.reset()
        #expect(try found(spotter, quiet + quiet).isEmpty)
    }

    @Test func aWordThatNoModelIsOfIsNamedWithThoseThatAre() async throws {
        let box = try await box(["hey_rhasspy"])
        // A typing error in one word leaves the other.
        let gaps = try spotter(box, "hey rhasspy, computer").gaps
        #expect(gaps.map(\.words) == [["computer"]])
        #expect(gaps.first?.description.contains("no model of \"computer\" (it has hey rhasspy)") == true)
        unlink(box.folder.openWakeWord + "/embedding_model.tflite")
        #expect { _ = try spotter(box, "hey rhasspy") } throws: {
            "\($0)".contains("openwakeword/embedding_model.tflite: no such file")
        }
    }
}
