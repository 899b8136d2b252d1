package import VoiceBase

/// Configuration of the echo canceller.
///
/// The defaults measured best with a reference aligned to within a few milliseconds. Without the linear stage, low
/// suppression of version 0.3 still takes 45 dB off the echo and leaves most of the talker.
package struct EchoCancellerOptions: Sendable, Equatable {
    package typealias NoiseSuppression = Configuration.Echo.NoiseSuppression

    package var echoCancellation: Bool
    package var noiseSuppression: NoiseSuppression
    package var highPass: Bool
    /// Required by the gate that distinguishes talkers from echo.
    package var voiceDetection: Bool
    /// A linear canceller in front of the library, which then handles only the residue.
    package var linearStage = true
    /// Whether a suppressor that spares the talker replaces the library's while a talker is heard over echo. Needs the linear
    /// stage.
    package var doubleTalkPath = true
    /// Whether all but the linear stage rests once nothing has sounded for 15 s, until something does. Needs the linear stage.
    package var rests = true

    package init(_ echo: Configuration.Echo = .init()) {
        echoCancellation = echo.cancels
        noiseSuppression = echo.noiseSuppression
        highPass = echo.highPass
        voiceDetection = echo.cancels
    }

    /// Whether any remaining task is worth the library's work and delay.
    package var needsProcessing: Bool {
        echoCancellation || noiseSuppression != .off
    }
}
