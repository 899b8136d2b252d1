internal import VoiceActivation
internal import VoiceBase
internal import VoiceOpus

/// The words of `jarvis-voiced wake install` as a voice says them: what tells on this machine whether their models hear.
///
/// By Piper's en_US-joe-medium, made by `VoiceBench wake-sample`: Opus packets of 20 ms, each behind its length, in base64.
enum WakeSample {
    /// What a word came to.
    enum Result: Equatable {
        case heard
        case notHeard
        /// There is no sample of it.
        case unknown
    }

    /// At 16 kHz; nil of words that there is none of.
    static func samples(of word: String) -> [Int16]? {
        guard let text = all[word] else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3)
        let count = Array(text.utf8).withUnsafeBytes { text in
            bytes.withUnsafeMutableBufferPointer { room in room.baseAddress.flatMap { Base64.decode(text, into: $0) } }
        }
        guard let count, let decoder = try? OpusSpeechDecoder(rate: WakeRecording.rate) else { return nil }
        var samples: [Int16] = []
        var rest = bytes.prefix(count)
        while let length = rest.popFirst() {
            guard let sound = try? decoder.decode(Array(rest.prefix(Int(length)))) else { return nil }
            samples += sound
            rest = rest.dropFirst(Int(length))
        }
        return samples
    }

    /// Whether a detector hears a word in its sample, with a quiet room before and after it.
    static func judge(_ word: String, by detector: any WakeWordDetector) throws(WakeWordError) -> Result {
        guard let sample = samples(of: word) else { return .unknown }
        detector.reset()
        detector.listen(for: .wake)
        detector.note(isPlaying: false)
        // 1.5 s of a faint noise, the same each time.
        var state: UInt32 = 1
        let room = (0..<24_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int16(state >> 24) / 8 - 16
        }
        var isHeard = false
        for piece in [room, sample, Array(room.prefix(12_000))] {
            for start in stride(from: 0, to: piece.count, by: 640) {
                let found = try piece[start..<min(start + 640, piece.count)].withUnsafeBufferPointer {
                    (block) throws(WakeWordError) in try detector.process(block)
                }
                if found.contains(where: { $0.word == word && $0.finding == .certain }) { isHeard = true }
            }
        }
        return isHeard ? .heard : .notHeard
    }

    private static let all: [String: String] = [
        "hey jarvis": """
            """
    ]
}
