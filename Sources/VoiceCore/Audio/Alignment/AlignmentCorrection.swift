/// What the search for the delay found: which frame played is heard at which frame of the microphone.
package struct AlignmentCorrection: Sendable, Equatable {
    /// The epoch of the blocks it was found in; it says nothing of others.
    package var epoch: UInt64 = 0
    /// Frames of the microphone at which `offset` holds.
    package var position = 0
    /// Frame played that is heard at `position`, less `position`.
    package var offset = 0.0
    /// By how much the loudspeaker's clock is faster than the microphone's, in frames per frame.
    package var drift = 0.0

    package init() {}

    /// `offset` at another place.
    func offset(at place: Int) -> Double {
        offset + drift * Double(place - position)
    }
}
