internal import VoiceBase

/// Typed questions, until nobody speaks.
struct TypedQuestions: Equatable, Sendable {
    static let capacity = 8

    private struct Question: Equatable, Sendable {
        var text: String
        var at: Duration
    }

    private var waiting: [Question] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// False when full: then it is not taken.
    mutating func add(_ text: String, at now: Duration) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append(Question(text: text, at: now))
        return true
    }

    mutating func next() -> (text: String, at: Duration)? {
        guard !waiting.isEmpty else { return nil }
        let question = waiting.removeFirst()
        return (question.text, question.at)
    }

    mutating func clear() { waiting = [] }
}

/// Typed questions: put like spoken ones, and answered by voice.
extension ConversationMachine {
    mutating func ask(_ text: String) {
        if link == .refused { activate() }
        guard link != .closed, link != .refused else { return note(.unexpected("ask without a session")) }
        guard typed.add(text, at: now) else { return note(.unexpected("too many typed questions wait")) }
    }

    /// Puts the next one once nobody speaks and no response is awaited.
    mutating func putTyped() {
        guard link == .ready, isQuiet, let question = typed.next() else { return }
        guard now - question.at <= options.askAgainWithin else {
            // Nobody waits for the answer any more.
            note(.unexpected("a typed question waited for too long"))
            return effects.append(.play(.error))
        }
        endTurn()
        turns += 1
        turn = TurnClock(number: turns, ended: now)
        failures = 0
        // It is not in any session's words: should this one be lost, it is asked again.
        let itemID = "typed-\(turns)"
        memory.began(itemID, by: .user)
        memory.said(question.text, in: itemID)
        var open = OpenQuestion()
        open.add(itemID)
        open.text = question.text
        self.question = open
        send({ .userMessage(text: question.text, eventID: $0) }, "ask")
        authority.turnWritten(at: now)
        askForResponse(for: .turn)
    }
}
