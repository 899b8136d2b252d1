internal import Glibc

/// Measurements of the audio in which a word was found.
package struct WordEvidence: Equatable, Sendable {
    /// Level of the word's loudest 300 ms, in dBFS.
    package var level: Double
    /// The level of the stretch relative to the room's noise, in dB.
    package var overNoise: Double
}

/// The newest stretch of speech with quiet before it: words said in one go.
package struct Remark: Equatable, Sendable {
    /// From its first to its last sound, in milliseconds.
    package var length: Int
    /// Time since its last sound, in milliseconds.
    package var quiet: Int
    /// Level of its loudest sounds, in dBFS.
    package var level: Double
    /// That level relative to the 80th percentile of the seconds before the remark, in dB.
    package var overBefore: Double
}

/// The levels of the last seconds of the microphone, to judge a word by. Bounded: the oldest are dropped.
///
/// Measures levels itself: the audio thread's verdict stays on for half a second of reverberation, but a stop word must be followed
/// by 200 ms of quiet.
package struct RecentSound {
    /// Samples in 10 ms at 16 kHz.
    private static let frame = 160
    /// Minimum length of the kept sound: 6 s, in frames.
    private static let levels = 600
    /// Length of a word with the engine's delay, and of its loudest part, in frames.
    private static let word = 120
    private static let loudest = 30
    /// For the pause before a call, in frames: the pause lies between `pauseBegins` and `pauseEnds` ago and lasts
    /// `callPause`; the word's loudest part is in the last `callWord` frames.
    private static let pauseBegins = 140
    private static let pauseEnds = 60
    private static let callPause = 30
    private static let callWord = 80
    /// For remarks, in frames: the longest remark, the stretch searched for its loudest sounds, how many of them count,
    /// the pause that separates it from earlier speech, and the least earlier sound to compare it with.
    private static let longestRemark = 220
    private static let remarkEnd = 80
    private static let peaks = 8
    private static let pause = 30
    private static let leastBefore = 100
    /// A frame is part of a remark, as ratios of powers, if it is at most 20 dB below the remark's peak and 6 dB above
    /// the room's noise; within 10 dB of the peak it always is.
    private static let faintest: Float = 0.01
    private static let overFloor: Float = 4
    private static let certain: Float = 0.1

    /// Mean power of each 10 ms at full scale 1; the newest is last.
    private var powers: [Float] = []
    /// Sum of squares, and number, of the samples of an unfinished frame.
    private var sum: Float = 0
    private var count = 0

    package init() {
        powers.reserveCapacity(2 * Self.levels + 1)
    }

    package mutating func append(_ block: UnsafeBufferPointer<Int16>) {
        for sample in block {
            sum += Float(sample) * Float(sample)
            count += 1
            guard count == Self.frame else { continue }
            powers.append(sum / Float(Self.frame) / (32_768 * 32_768))
            (sum, count) = (0, 0)
            // Drops half at a time, so that levels are rarely moved.
            if powers.count > 2 * Self.levels { powers.removeFirst(powers.count - Self.levels) }
        }
    }

    package mutating func forget() {
        powers.removeAll(keepingCapacity: true)
        (sum, count) = (0, 0)
    }

    /// Returns the remark that the newest audio contains or has just contained; nil before the first audio.
    ///
    /// - Parameter milliseconds: the part of the past to compare with, 1 to 6 s: speech from before the box began to
    ///   play sound is not talk over it.
    package func remark(within milliseconds: Int = .max) -> Remark? {
        let recent = Array(powers.suffix(Self.longestRemark))
        let loud = powers.suffix(Self.remarkEnd).sorted().suffix(Self.peaks)
        guard !recent.isEmpty, !loud.isEmpty else { return nil }
        let peak = loud.reduce(0, +) / Float(loud.count)
        let sorted = powers.suffix(Self.levels).sorted()
        let limit = max(
            peak * Self.faintest, min(sorted[sorted.count / 5] * Self.overFloor, peak * Self.certain)
        )
        guard peak > 0, let last = recent.lastIndex(where: { $0 > limit }) else { return nil }
        var first = last
        for index in stride(from: last - 1, through: 0, by: -1) where recent[index] > limit {
            guard first - index <= Self.pause else { break }
            first = index
        }
        let own = recent.count - first
        let earlier = max(Self.leastBefore, min(Self.levels, milliseconds / 10) - own)
        let before = powers.dropLast(own).suffix(earlier).sorted()
        let usual = before.isEmpty ? peak : before[before.count * 4 / 5]
        return Remark(
            length: 10 * (last - first + 1),
            quiet: 10 * (recent.count - 1 - last),
            level: 10 * log10(Double(max(peak, 1e-9))),
            // Digital silence is not quieter than a quiet room.
            overBefore: 10 * log10(Double(max(peak, 1e-9) / max(usual, 1e-9)))
        )
    }

    /// How much quieter than the word the room was before it: the loudest 300 ms of the last 0.8 s relative to the
    /// quietest 300 ms that end between 1.1 and 0.6 s ago, in dB. Nil in the first 1.4 s.
    var pauseBeforeWord: Double? {
        let recent = Array(powers.suffix(Self.pauseBegins))
        guard recent.count == Self.pauseBegins else { return nil }
        let word = recent.suffix(Self.callWord).sorted().suffix(Self.loudest).reduce(0, +)
        var sum = recent.prefix(Self.callPause).reduce(0, +)
        var quietest = sum
        for index in Self.callPause..<recent.count - Self.pauseEnds {
            sum += recent[index] - recent[index - Self.callPause]
            quietest = min(quietest, sum)
        }
        // Both are sums over 300 ms.
        return 10 * log10(Double(max(word, 1e-9) / max(quietest, 1e-9)))
    }

    /// Measures the newest audio; nil in the first 1.2 s.
    package var evidence: WordEvidence? {
        guard powers.count >= Self.word else { return nil }
        let sorted = powers.suffix(Self.levels).sorted()
        // The level in the pauses: the room, or whatever plays in it.
        let floor = max(sorted[sorted.count / 5], 1e-9)
        let loud = powers.suffix(Self.word).sorted().suffix(Self.loudest).reduce(0, +) / Float(Self.loudest)
        return WordEvidence(level: 10 * log10(Double(max(loud, 1e-10))), overNoise: 10 * log10(Double(loud / floor)))
    }
}
