/// What somebody outside the conversation wants said.
struct Announcements: Equatable, Sendable {
    static let capacity = 8
    private var waiting: [String] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Full: the oldest is dropped.
    mutating func add(_ text: String) {
        if waiting.count == Self.capacity { waiting.removeFirst() }
        waiting.append(text)
    }

    mutating func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

    mutating func clear() { waiting = [] }
}

/// Announcements: said when nobody speaks, one after another.
extension ConversationMachine {
    static func announcement(_ text: String) -> String {
        """
        The owner of this box wants the following said aloud now. Say it to the user word for word, and nothing else; \
        do not call a function: \(text)
        """
    }

    mutating func announces(_ announces: Bool) {
        self.announces = announces
        guard !announces else { return }
        announcements.clear()
        media.forget()
    }

    mutating func say(_ text: String) {
        guard announces else { return note(.unexpected("say in quiet hours")) }
        guard link != .closed, link != .refused else { return note(.unexpected("say without a session")) }
        announcements.add(text)
    }

    /// To be called while nobody speaks and no response is awaited.
    mutating func announce() {
        guard !calls.isWaiting, let text = announcements.next() else { return }
        send({ .systemMessage(text: Self.announcement(text), eventID: $0) }, "say")
        askForResponse(for: .remark)
    }
}
