package import VoiceConfiguration

/// What the echo canceller is asked to do.
///
/// The defaults are those that measured best with a reference aligned to within a few milliseconds. Without the linear
/// stage, low suppression by version 0.3 still takes 45 dB off the echo and leaves most of the talker.
package struct EchoCancellerOptions: Sendable, Equatable {
    package typealias Suppression = Configuration.Echo.Suppression
    package typealias NoiseSuppression = Configuration.Echo.NoiseSuppression

    package var echoCancellation: Bool
    /// With the linear stage: that over a talker, and high where only echo is heard. Without effect in version 1.3 of the
    /// library.
    package var suppression: Suppression
    /// A filter of 128 ms that forgives a delay reported too short, at the price of more harm to the talker.
    /// Version 0.3 of the library only.
    package var extendedFilter = false
    /// Lets the library look for the delay itself. It does nothing for the first 15 seconds and as long after a jump.
    /// Version 0.3 of the library only.
    package var delayAgnostic = false
    package var noiseSuppression: NoiseSuppression
    package var highPass: Bool
    /// Adaptive digital gain. It raises echo and noise with the talker.
    package var gainControl: Bool
    /// The gate that tells talkers from echo needs it.
    package var voiceDetection: Bool
    /// A linear canceller before the library, which is then left with the residue.
    package var linearStage = true
    /// Whether a suppressor that spares the talker takes over from the library while one is heard over echo. Needs the
    /// linear stage.
    package var doubleTalkPath = true

    package init(_ echo: Configuration.Echo = .init()) {
        echoCancellation = echo.enabled
        suppression = echo.suppression
        noiseSuppression = echo.noiseSuppression
        highPass = echo.highPass
        gainControl = echo.gainControl
        voiceDetection = echo.enabled
    }

    /// Whether anything is left to do that is worth the library's work and its delay.
    package var needsProcessing: Bool {
        echoCancellation || noiseSuppression != .off || gainControl
    }
}
