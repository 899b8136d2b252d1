/// Decides whether a position of the microphone stream is close enough to speech to be sent. Pure; positions in samples at
/// 24 kHz.
///
/// The service's turn detection needs the silence after the words, so the hangover is longer than that. The caller bypasses
/// the gate while the service hears a turn. While the gate is shut the newest sound is kept, so that no word loses its
/// onset.
package struct VoiceGate: Equatable, Sendable {
    /// Hangover after the last voice activity: 2 s.
    package var hangover: UInt64 = 48_000
    /// How much sound from before the first voice activity is sent: 400 ms.
    package var lead = 9_600

    /// - Parameter voiceUntil: the position of the latest voice activity; 0 if there was none yet.
    package func isOpen(at position: UInt64, voiceUntil: UInt64) -> Bool {
        voiceUntil > 0 && position < voiceUntil + hangover
    }
}
