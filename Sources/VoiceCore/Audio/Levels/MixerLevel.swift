/// What to write into a mixer element for a volume in percent.
///
/// With a decibel scale: 100 % is the element's 0 dB, or its top if that is lower or there is nothing above the bottom
/// below 0 dB; less follows the taper of `Volumes`. Without one: in a straight line between bottom and top.
package enum MixerLevel: Sendable, Equatable {
    /// Hundredths of a decibel.
    case decibels(Int)
    case raw(Int)

    /// - Parameters:
    ///   - decibels: the element's scale in hundredths of a decibel; nil when it has none.
    ///   - raw: the element's own range.
    ///   - direction: a microphone's 100 % is the top: 0 dB says nothing about what it gives.
    package init(
        percent: Int,
        decibels: ClosedRange<Int>?,
        raw: ClosedRange<Int>,
        direction: AudioDirection = .playback
    ) {
        let percent = min(100, max(0, percent))
        guard let decibels, decibels.lowerBound < decibels.upperBound else {
            self = .raw(raw.lowerBound + (raw.upperBound - raw.lowerBound) * percent / 100)
            return
        }
        let hasZero = direction == .playback && decibels.lowerBound < 0
        let top = hasZero ? min(0, decibels.upperBound) : decibels.upperBound
        guard let below = Volumes.decibels(percent: percent) else {
            self = .decibels(decibels.lowerBound)
            return
        }
        // Some cards call their bottom -99999.99 dB: that is silence, and the taper never gets there.
        self = .decibels(max(decibels.lowerBound, top + Int((below * 100).rounded())))
    }
}
