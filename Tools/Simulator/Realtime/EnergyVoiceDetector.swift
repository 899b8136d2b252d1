internal import Glibc

/// Finds speech in 24 kHz PCM16 by its energy.
///
/// Time is counted in received samples, never on a clock: a client that stops sending audio also stops time, as with
/// the real service. Frames of 10 ms are compared with a threshold above a noise floor that falls immediately and rises
/// slowly.
package struct EnergyVoiceDetector: Sendable {
    /// A change; positions are in milliseconds of audio received since the detector was created.
    package enum Change: Sendable, Equatable {
        case started(atMilliseconds: Int)
        case stopped(atMilliseconds: Int)
    }

    /// Frames quieter than this are never speech, in dBFS.
    package var thresholdDecibels: Double
    /// Margin of speech above the noise floor, in dB.
    package var marginDecibels = 10.0
    /// Loud audio needed to start speech.
    package var attackMilliseconds: Int
    /// Quiet audio needed to end speech.
    package var releaseMilliseconds: Int
    /// Whether speech is in progress.
    package private(set) var isSpeaking = false

    private static let frame = 240
    private var partial: [Int16] = []
    private var frames = 0
    private var floorDecibels = -70.0
    private var loudRun = 0
    private var quietRun = 0

    package init(thresholdDecibels: Double = -45, attackMilliseconds: Int = 70, releaseMilliseconds: Int = 500) {
        self.thresholdDecibels = thresholdDecibels
        self.attackMilliseconds = attackMilliseconds
        self.releaseMilliseconds = releaseMilliseconds
    }

    /// Processes the next samples and returns where speech began or ended in them.
    package mutating func process(_ samples: [Int16]) -> [Change] {
        partial.append(contentsOf: samples)
        var changes: [Change] = []
        var start = 0
        while partial.count - start >= Self.frame {
            let level = Self.decibels(partial[start..<start + Self.frame])
            start += Self.frame
            frames += 1
            if let change = step(level) { changes.append(change) }
        }
        partial.removeFirst(start)
        return changes
    }

    /// Discards speech in progress; keeps the clock and the noise floor.
    package mutating func reset() {
        isSpeaking = false
        loudRun = 0
        quietRun = 0
    }

    private mutating func step(_ level: Double) -> Change? {
        let loud = level > max(thresholdDecibels, floorDecibels + marginDecibels)
        track(level)
        if isSpeaking {
            quietRun = loud ? 0 : quietRun + 1
            guard quietRun * 10 >= releaseMilliseconds else { return nil }
            let end = (frames - quietRun) * 10
            reset()
            return .stopped(atMilliseconds: end)
        }
        // A gap inside a syllable only reduces the count, and single clicks never add up to speech.
        loudRun = loud ? loudRun + 1 : max(0, loudRun - 2)
        guard loudRun * 10 >= attackMilliseconds else { return nil }
        let start = max(0, frames - loudRun) * 10
        isSpeaking = true
        loudRun = 0
        return .started(atMilliseconds: start)
    }

    private mutating func track(_ level: Double) {
        if level < floorDecibels {
            floorDecibels = max(-90, level)
        } else {
            let rise = isSpeaking ? 0.005 : 0.03
            floorDecibels = min(-30, min(level, floorDecibels + rise))
        }
    }

    private static func decibels(_ samples: ArraySlice<Int16>) -> Double {
        var sum = 0.0
        for sample in samples {
            let value = Double(sample) / 32768
            sum += value * value
        }
        return 10 * log10(sum / Double(samples.count) + 1e-12)
    }
}
