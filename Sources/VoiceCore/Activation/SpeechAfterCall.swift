internal import Glibc

/// Decides whether a caller speaks on, by the level of the sound after the word. Pure.
///
/// The end of the word itself, and its reverberation, does not count.
package struct SpeechAfterCall: Equatable, Sendable {
    private static let rate = 16
    /// In ms: the word's end, which does not count; the longest stretch to judge; the speech needed in it.
    private static let ending = 80
    private static let longest = 360
    private static let wanted = 120
    /// Speech is at most this far below the word's loudest part, as a ratio of powers: 15 dB.
    private static let below = 0.0316
    /// Speech is at least this far above the room's noise, as a ratio of powers: 6 dB.
    private static let overNoise = 4.0

    private let least: Double
    private var milliseconds = 0
    private var spoken = 0

    /// - Parameter word: the measurements of the word; nil if there are none.
    package init?(_ word: WordEvidence?) {
        guard let word else { return nil }
        let loudest = Self.power(word.level)
        least = max(loudest * Self.below, loudest / Self.power(word.overNoise) * Self.overNoise)
    }

    /// - Returns: whether the user speaks on; nil while undecided.
    package mutating func consume(_ samples: UnsafeBufferPointer<Int16>) -> Bool? {
        let length = samples.count / Self.rate
        milliseconds += length
        let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        let power = sum / Double(max(1, samples.count)) / (32_768 * 32_768)
        if milliseconds > Self.ending, power >= least { spoken += length }
        if spoken >= Self.wanted { return true }
        return milliseconds >= Self.longest ? false : nil
    }

    private static func power(_ decibels: Double) -> Double { pow(10, decibels / 10) }
}
