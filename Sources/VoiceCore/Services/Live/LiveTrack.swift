internal import VoiceBase
internal import VoiceConversation

/// Cuts the continuous track of a GPT-Live session into stretches of speech by level. Pure.
///
/// A 100 ms delta arrives every 100 ms, nearly always silent, so its arrival means nothing. Speech begins with the first
/// loud block and ends after `pause` of silence without words. Silence outside speech is not played; silence within speech
/// is left out if too much is queued at the player.
package struct LiveTrack: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// Speech begins.
        case began
        /// Play these samples of the delta.
        case play(Range<Int>)
        /// Speech is over: the silence has lasted long enough.
        case ended
    }

    /// 20 ms at 24 kHz.
    static let block = 480
    /// Mean square above which a block is loud, in squared 16-bit units: an RMS of 0.0006 of full scale.
    static let loud = 386.0
    /// Silence, in samples: `pause` ends speech, `quiet` ends discarding after a cut, and `shortPause` ends speech if
    /// something new is to be said.
    static let pause = 19_200
    static let quiet = 7200
    static let shortPause = 6000
    /// Maximum time to discard after a cut.
    static let longestDiscard = Duration.seconds(3)
    /// Audio queued at the player above which silence is left out: the longest wait of `StartBuffer`, and a block of 100 ms.
    static let reserve = 9600

    package private(set) var isSpeaking = false
    /// Something new is to be said: a shorter silence ends the current speech.
    package var isHurried = false
    private var silent = pause
    /// Samples since the last words arrived.
    private var wordless = pause
    /// Since when incoming audio is discarded.
    private var discardingSince: Duration?
    /// Loud samples of the current stretch of speech.
    package private(set) var loudSamples = 0
    /// Played samples of the current stretch of speech.
    package private(set) var playedSamples = 0

    package var isDiscarding: Bool { discardingSince != nil }

    /// Takes in the samples of a delta.
    ///
    /// - Parameter waiting: samples queued at the player.
    package mutating func receive(
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

    /// Notes that words of the model arrived.
    package mutating func words() { wordless = 0 }

    /// Ends the current stretch of speech; the next loud block begins another.
    package mutating func split() { isSpeaking = false }

    /// Discards the rest of the speech, up to the next silence.
    package mutating func discard(at now: Duration) {
        isSpeaking = false
        if silent < Self.quiet { discardingSince = now }
    }

    /// Subtracts the block's mean: a DC offset is not sound.
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
