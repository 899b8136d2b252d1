@testable import VoiceConversation

/// Scenes with more than one session.
extension Scene {
    enum Role {
        case system, user, assistant
    }

    /// In `listening`, with the next session ready beside it.
    static func rotating(
        lifetime: Duration? = nil,
        _ change: (inout ConversationMachine.Options) -> Void = { _ in }
    ) -> Scene {
        var scene = Scene(change)
        scene.on(.activate)
        scene.server(.sessionCreated(id: "sess", expiresAt: nil))
        if let lifetime { scene.on(.lifetime(lifetime)) }
        scene.server(.sessionUpdated(settings.json))
        scene.on(.timer(.rotate))
        scene.beside(.server(.sessionCreated(id: "next", expiresAt: nil)))
        scene.beside(.server(.sessionUpdated(settings.json)))
        scene.effects = []
        return scene
    }

    mutating func beside(_ event: ConversationEvent) {
        now += .milliseconds(10)
        latest = machine.handle(event, at: now, from: .standby)
        effects += latest
    }

    /// A whole turn with known words, up to the last sample.
    mutating func say(_ responseID: String, question: String, answer: String) {
        userTurn()
        begin(responseID)
        speak(responseID)
        server(.spokenTranscript(responseID: responseID, itemID: "item_voice", text: answer))
        server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: question))
        done(responseID)
        on(.voiceDrained)
    }

    /// The duration with which the timer was last started.
    func timer(_ timer: ConversationTimer) -> Duration? {
        let all = effects + latest
        return all.compactMap { if case .startTimer(timer, let length) = $0 { length } else { nil } }.last
    }

    /// Text items sent to any session that carried the conversation.
    func texts(_ role: Role) -> [String] {
        // What the daemon itself has to say goes with a single response.
        role == .system
            ? remarks
            : sent().compactMap { event in
                switch (event, role) {
                case (.userMessage(let text, _), .user), (.assistantMessage(let text, _), .assistant): text
                default: nil
                }
            }
    }
}
