internal import VoiceBase

/// The messages of the microphone's sound, and what of it was a voice, for sessions that do not say when the user speaks.
/// Lives on the network thread.
///
/// The connection must not be asked anything while a message is written, so what was sent waits to be taken.
final class HeardUplink: UplinkEncoder {
    struct Piece {
        var samples: Int
        var isVoice: Bool
    }

    private let encoder: any UplinkEncoder
    private let detects: (Int) -> Bool?
    private var loudness = LoudnessVoice()
    private var pieces: [Piece] = []
    /// Ticks come every 20 ms, pieces too; a burst of what was held is ten seconds.
    private static let most = 4096

    /// - Parameters:
    ///   - encoder: makes the messages.
    ///   - detects: whether a voice was heard in the last so many samples; nil where nobody can tell.
    init(_ encoder: any UplinkEncoder, detects: @escaping (Int) -> Bool?) {
        self.encoder = encoder
        self.detects = detects
    }

    func longestMessage(samples: Int) -> Int { encoder.longestMessage(samples: samples) }

    func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) -> Int {
        let isLoud = loudness.take(samples)
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

    /// What was sent since the last time.
    func take() -> [Piece] {
        guard !pieces.isEmpty else { return [] }
        defer { pieces = [] }
        return pieces
    }
}

/// A voice by its level alone, where nothing better listens: well above the quiet of the room. Pure.
struct LoudnessVoice: Equatable, Sendable {
    /// Mean squares of 16-bit samples: -45 dBFS, and -70 dBFS, below which there is no sound at all.
    private static let least = 33_950.0
    private static let sound = 107.0
    /// Over the quiet of the room: 10 dB.
    private static let margin = 10.0

    private var floor = 107.0
    private(set) var isSound = false

    mutating func take(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        var squares = 0.0
        for sample in samples { squares += Double(sample) * Double(sample) }
        let level = squares / Double(max(1, samples.count))
        isSound = level > Self.sound
        defer {
            // Down at once, up by 1 dB a second.
            let rise = 1 + 0.23 * Double(samples.count) / Double(AudioFormat.wireRate)
            floor = level < floor ? max(level, Self.sound) : min(floor * rise, Self.least)
        }
        return level > max(Self.least, floor * Self.margin)
    }
}
