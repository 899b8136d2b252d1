extension MediaNews {
    /// What the model is told; nil for what needs no words.
    package var text: String? {
        switch self {
        case .failed(let title, let reason):
            """
            The media player of this box could not play \(Self.quoted(title)): \(reason). Tell the user so in one short \
            sentence.
            """
        case .queueEnded(let last):
            """
            \(Self.quoted(last)) is over and nothing waits in the queue of the media player. If the user wanted more than \
            this, ask Jarvis with ask_jarvis what comes next and play it; if not, call stay_silent.
            """
        case .interlude(let ended, let next):
            "\(Self.quoted(ended)) is over, \(Self.quoted(next)) begins. Say one short sentence about that, like a host."
        case .slept: nil
        }
    }

    private static func quoted(_ title: String) -> String { title.isEmpty ? "The item" : "\"\(title)\"" }
}
