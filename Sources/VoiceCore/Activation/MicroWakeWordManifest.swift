internal import VoiceBase

/// How to run a microWakeWord model: the JSON file beside it, version 2.
struct MicroWakeWordManifest: Equatable {
    /// File name of the model, in the same folder.
    var model: String
    /// Value that the mean of the probabilities has to exceed, 0 to 1.
    var cutoff: Double
    /// Number of model steps in the mean.
    var window: Int

    private struct Text: Decodable {
        struct Micro: Decodable {
            var probability_cutoff: Double
            var feature_step_size: Int
            var sliding_window_size: Int
        }

        var type: String
        var model: String
        var version: Int
        var micro: Micro
    }

    /// - Throws: what is invalid; follows the file's name in a message.
    init(_ bytes: [UInt8]) throws(WakeWordError) {
        guard let text = OutsideJSON.decode(Text.self, from: bytes, atMost: 16 << 10) else {
            throw WakeWordError("no manifest of a microWakeWord model")
        }
        guard text.type == "micro", text.version == 2, text.micro.feature_step_size == 10 else {
            throw WakeWordError("wants a microWakeWord model of version 2 with steps of 10 ms")
        }
        guard text.model.hasSuffix(".tflite"), !text.model.contains("/"), !text.model.utf8.contains(0) else {
            throw WakeWordError("names no .tflite file beside it")
        }
        // Anything exceeds 0.
        guard text.micro.probability_cutoff > 0, text.micro.probability_cutoff < CallRule.unreachable,
            1...100 ~= text.micro.sliding_window_size
        else { throw WakeWordError("has a cut-off or a window that cannot be") }
        model = text.model
        cutoff = text.micro.probability_cutoff
        window = text.micro.sliding_window_size
    }
}
