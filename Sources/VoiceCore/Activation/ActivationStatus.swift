/// Activation at one instant.
package struct ActivationStatus: Equatable, Sendable {
    package var mode: ActivationMode
    package var phase: ActivationPhase
    package var isMuted: Bool
    /// Quiet hours.
    package var isQuiet: Bool
    package var listening: LocalListening
    /// The conversation's state, by its name.
    package var conversation: String

    package init(
        mode: ActivationMode,
        phase: ActivationPhase,
        isMuted: Bool,
        isQuiet: Bool,
        listening: LocalListening,
        conversation: String
    ) {
        self.mode = mode
        self.phase = phase
        self.isMuted = isMuted
        self.isQuiet = isQuiet
        self.listening = listening
        self.conversation = conversation
    }
}
