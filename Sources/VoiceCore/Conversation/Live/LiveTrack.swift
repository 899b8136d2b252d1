internal import VoiceBase

/// The continuous track of a GPT-Live session, cut into stretches of speech by its level. Pure.
///
/// A delta of 100 ms comes every 100 ms, nearly always of silence: that one came says nothing. Speech begins with the first
/// loud block; it is over after `pause` of silence in which no words came either. What is silent outside of speech is not
/// played, and in speech not where too much waits at the player already.
package struct LiveTrack: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// Somebody begins to speak.
        case began
        /// These samples of the delta are to be played.
        case play(Range<Int>)
        /// So long it has been silent.
        case ended
    }

    /// 20 ms at 24 kHz.
    static let block = 480
    /// Mean square of a block, in units of 16 bits: 0.0006 of full scale.
    static let loud = 386.0
    /// Silence after which speech is over, what was cut does not come back, and speech is over where more is to come. In
    /// samples.
    static let pause = 19_200
    static let quiet = 7200
    static let shortPause = 6000
    /// The longest that is discarded after a cut.
    static let longestDiscard = Duration.seconds(3)
    /// Sound that may wait at the player before silence is left out: what 100 ms blocks and a wavering network need.
    static let reserve = 7200

    package private(set) var isSpeaking = false
    /// Something new was given to be said: a shorter silence ends what is being said now.
    package var isHurried = false
    private var silent = pause
    /// Samples since the last words came.
    private var wordless = pause
    /// Since when what comes is discarded.
    private var discardingSince: Duration?
    /// Loud samples of the present stretch of speech.
    package private(set) var loudSamples = 0
    /// Samples of it that are played.
    package private(set) var playedSamples = 0

    package init() {}

    package var isDiscarding: Bool { discardingSince != nil }

    /// Takes in the samples of a delta.
    ///
    /// - Parameter waiting: samples that wait to be played.
    package mutating func take(
        _ samples: UnsafeBufferPointer<Int16>,
        waiting: Int,
        at now: Duration
    ) -> [Step] {
        var steps: [Step] = []
        var played: Range<Int>?
        var start = 0
        while start < samples.count {
            let end = min(samples.count, start + Self.block)
            let isLoud = Self.isLoud(samples[start..<end])
            silent = isLoud ? 0 : min(silent + end - start, Self.pause)
            wordless = min(wordless + end - start, Self.pause)
            let isKept = keep(isLoud: isLoud, waiting: waiting + (played?.count ?? 0), at: now, &steps)
            if isKept {
                if let range = played, range.upperBound == start {
                    played = range.lowerBound..<end
                } else {
                    if let played { steps.append(.play(played)) }
                    played = start..<end
                }
                playedSamples += end - start
                if isLoud { loudSamples += end - start }
            }
            let pause = isHurried ? Self.shortPause : Self.pause
            if isSpeaking, silent >= pause, wordless >= pause {
                if let range = played { steps.append(.play(range)) }
                played = nil
                steps.append(.ended)
                isSpeaking = false
            }
            start = end
        }
        if let played { steps.append(.play(played)) }
        return steps
    }

    private mutating func keep(isLoud: Bool, waiting: Int, at now: Duration, _ steps: inout [Step]) -> Bool {
        if let since = discardingSince {
            guard silent >= Self.quiet || now - since >= Self.longestDiscard else { return false }
            discardingSince = nil
        }
        if isSpeaking { return isLoud || waiting < Self.reserve }
        guard isLoud else { return false }
        isSpeaking = true
        isHurried = false
        loudSamples = 0
        playedSamples = 0
        steps.append(.began)
        return true
    }

    /// Words of the model have come in.
    package mutating func words() { wordless = 0 }

    /// The stretch of speech counts as over; what is loud from now on is another one.
    package mutating func split() { isSpeaking = false }

    /// The user does not want to hear the rest: until it is silent.
    package mutating func discard(at now: Duration) {
        isSpeaking = false
        if silent < Self.quiet { discardingSince = now }
    }

    /// The mean of the block taken off: a constant is no sound.
    private static func isLoud(_ samples: Slice<UnsafeBufferPointer<Int16>>) -> Bool {
        var sum = 0
        var squares = 0
        for sample in samples {
            sum += Int(sample)
            squares += Int(sample) * Int(sample)
        }
        let count = Double(max(1, samples.count))
        let mean = Double(sum) / count
        return Double(squares) / count - mean * mean > loud
    }
}
