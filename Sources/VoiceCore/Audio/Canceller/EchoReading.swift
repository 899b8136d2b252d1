/// What one period of 10 ms tells about echo: levels along the path, in dBFS (mean power, -120 ... 0).
///
/// Plain numbers of the audio thread; whoever judges the echo canceller takes one per period.
package struct EchoReading: Sendable, Equatable {
    /// An amplitude from here on counts as full scale.
    package static let fullScale: Float = 0.985

    /// The microphone as captured.
    package var microphone: Float = -120
    /// What the loudspeaker plays, as the canceller gets it (aligned).
    package var reference: Float = -120
    /// The echo as the linear canceller estimates it.
    package var echo: Float = -120
    /// What the linear canceller leaves.
    package var residual: Float = -120
    /// What goes on to the wire, after suppression of the rest.
    package var output: Float = -120
    /// Whether the output holds speech.
    package var hasVoice = false
    /// Whether the linear canceller leaves more than echo and noise explain; false without one.
    package var hasTalker = false
    /// Whether samples of the microphone were at full scale.
    package var isClipped = false
    /// Whether so much echo is left for so long that it must come by another way than the one that was learned; true for one
    /// period each second.
    package var hasPathChanged = false
    /// Whether an echo path of before was found to be the right one and is in force.
    package var hasRecalled = false

    package init() {}
}
