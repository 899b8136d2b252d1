/// Echo measurements of one period of 10 ms: levels along the path, in dBFS (mean power, -120 ... 0).
///
/// Plain numbers from the audio thread; the assessment of the canceller takes one per period.
package struct EchoReading: Sendable, Equatable {
    /// Least amplitude that counts as full scale.
    package static let fullScale: Float = 0.985

    /// The microphone as captured.
    package var microphone: Float = -120
    /// The loudspeaker's signal as the canceller gets it (aligned).
    package var reference: Float = -120
    /// The echo as estimated by the linear canceller.
    package var echo: Float = -120
    /// The residual of the linear canceller.
    package var residual: Float = -120
    /// The signal for the wire, after residual suppression.
    package var output: Float = -120
    /// Whether the output holds speech.
    package var hasVoice = false
    /// Whether the linear canceller leaves more than echo and noise explain; false without that stage.
    package var hasTalker = false
    /// Whether the linear canceller leaves about the same share of the echo in every band, as after a change of the echo
    /// path; a talker's spectrum is another.
    package var isShapedLikeEcho = false
    /// Whether samples of the microphone were at full scale.
    package var isClipped = false
    /// Whether so much echo has been left for so long that the echo path must have changed; true for one period each second.
    package var hasPathChanged = false
    /// Whether a recalled echo path proved right and is in use.
    package var hasRecalled = false
}
