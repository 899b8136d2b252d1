internal import VoiceBase

/// Encodes microphone messages and records which of them contained a voice, for sessions that do not report when the user
/// speaks. Lives on the network thread.
///
/// The connection must not be asked for anything while a message is written, so the records wait to be taken.
final class HeardUplink: UplinkEncoder {
    struct Piece {
        var samples: Int
        var isVoice: Bool
    }

    private let encoder: any UplinkEncoder
    private let detects: (Int) -> Bool?
    private var loudness = LoudnessVoice()
    private var pieces: [Piece] = []
    /// Ticks and pieces come every 20 ms; a burst of held audio is ten seconds.
    private static let most = 4096

    /// - Parameters:
    ///   - encoder: writes the messages.
    ///   - detects: whether a voice was detected in the last so many samples; nil without a detector.
    init(_ encoder: any UplinkEncoder, detects: @escaping (Int) -> Bool?) {
        self.encoder = encoder
        self.detects = detects
    }

    func longestMessage(samples: Int) -> Int { encoder.longestMessage(samples: samples) }

    func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) -> Int {
        let isLoud = loudness.consume(samples)
        let isSound = loudness.isSound
        if pieces.count < Self.most {
            pieces.append(Piece(samples: samples.count, isVoice: isSound && (detects(samples.count) ?? isLoud)))
        }
        return encoder.write(samples, into: output)
    }

    func reset() {
        encoder.reset()
        pieces = []
        loudness = LoudnessVoice()
    }

    /// Takes the records of what was sent since the last call.
    func dequeue() -> [Piece] {
        guard !pieces.isEmpty else { return [] }
        defer { pieces = [] }
        return pieces
    }
}

/// Detects a voice by level alone, if there is no better detector: well above the room's noise floor. Pure.
struct LoudnessVoice: Equatable, Sendable {
    /// Mean squares of 16-bit samples: -45 dBFS, and -70 dBFS, below which there is no sound at all.
    private static let least = 33_950.0
    private static let sound = 107.0
    /// 10 dB above the noise floor.
    private static let margin = 10.0

    private var floor = 107.0
    private(set) var isSound = false

    mutating func consume(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        var squares = 0.0
        for sample in samples { squares += Double(sample) * Double(sample) }
        let level = squares / Double(max(1, samples.count))
        isSound = level > Self.sound
        defer {
            // Falls at once, rises by 1 dB a second.
            let rise = 1 + 0.23 * Double(samples.count) / Double(AudioFormat.wireRate)
            floor = level < floor ? max(level, Self.sound) : min(floor * rise, Self.least)
        }
        return level > max(Self.least, floor * Self.margin)
    }
}
