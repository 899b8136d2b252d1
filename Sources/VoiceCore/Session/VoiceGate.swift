/// Whether a place of the microphone's stream is near enough to speech to be sent. Pure; positions in samples at 24 kHz.
///
/// The service's turn detection has to hear the silence after the words, so the gate stays open for longer than that, and
/// whoever asks it lets everything out while the service hears a turn; while it is shut the newest moments wait, so that no word loses its beginning.
package struct VoiceGate: Equatable, Sendable {
    /// How long it stays open after the last sign of a voice: 2 s.
    package var hangover: UInt64 = 48_000
    /// How much from before the first sign is sent: 400 ms.
    package var lead = 9_600

    package init() {}

    /// - Parameter voiceUntil: the place of the latest sign of a voice; 0 for none yet.
    package func isOpen(at position: UInt64, voiceUntil: UInt64) -> Bool {
        voiceUntil > 0 && position < voiceUntil + hangover
    }
}
