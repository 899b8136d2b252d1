internal import VoiceBase
internal import VoiceConversation

/// Calls of the model, and texts that it has to know or to say.
extension GeminiTranslator {
    // MARK: Calls

    private static let mostSeen = 256
    private static let mostWithdrawn = 16

    /// How long a call that arrives while the user speaks is held back: the user may be taking it back.
    private static let longestHeld = Duration.seconds(1)

    mutating func called(_ message: GeminiServerMessage, _ now: Duration) {
        if message.unreadCalls > 0 { trouble("call_unread", "a call without an id or a name came from the service") }
        guard !message.calls.isEmpty else { return }
        answered()
        let batch = (openCalls.map(\.batch).max() ?? 0) + 1
        for call in message.calls where !seenCalls.contains(call.id) {
            seenCalls.append(call.id)
            if seenCalls.count > Self.mostSeen { seenCalls.removeFirst() }
            let isRepeated = openCalls.contains {
                $0.call.name == call.name && $0.batch != batch && $0.questions == questions
            }
            let heldSince = turns.open == nil ? nil : now
            openCalls.append(OpenCall(call: call, batch: batch, questions: questions, heldSince: heldSince))
            if isRepeated {
                reply(call.id, "This is being worked on already; do not call again, and do not mention this.", .silent)
            } else if turns.open == nil {
                begin(call, now)
            }
        }
    }

    private mutating func begin(_ call: GeminiCall, _ now: Duration) {
        endTurn(now, isSure: true)
        reportUser(now, isDue: true)
        let response = (speech ?? begin(now)).response
        speech?.calls += 1
        speech?.lastOutput = now
        report(.call(response: response, call: FunctionCall(call), isComplete: true))
    }

    mutating func settleCalls(_ now: Duration) {
        while let index = openCalls.firstIndex(where: { $0.heldSince != nil }), let since = openCalls[index].heldSince,
            turns.open == nil || now - since >= Self.longestHeld
        {
            openCalls[index].heldSince = nil
            begin(openCalls[index].call, now)
        }
    }

    /// The service no longer waits for these calls. A call that has begun continues, and its effects stay: only the
    /// user's words decide about that. A call that has not begun is not made.
    mutating func withdrawn(_ ids: [String]) {
        for id in ids {
            guard let index = openCalls.firstIndex(where: { $0.call.id == id }) else { continue }
            let open = openCalls.remove(at: index)
            let hasBegun = open.heldSince == nil
            if hasBegun {
                withdrawnCalls.append(open.call)
                if withdrawnCalls.count > Self.mostWithdrawn {
                    withdrawnCalls.removeFirst()
                    report(.dropped(.agent))
                }
            }
            let state = hasBegun ? "it continues, and its result follows" : "it had not begun, and does not"
            report(.news("withdrew its call of \(open.call.name): \(state)"))
        }
    }

    mutating func answer(_ id: String, _ output: ToolResult, _ now: Duration) {
        let text = output.forModel
        let isSpoken = output.wantsReply && !text.allSatisfy(\.isWhitespace)
        if let index = withdrawnCalls.firstIndex(where: { $0.id == id }) {
            let call = withdrawnCalls.remove(at: index)
            if isSpoken { keep(Self.result(of: call.arguments, text)) }
            return
        }
        guard openCalls.contains(where: { $0.call.id == id }) else { return }
        guard isSpoken else {
            return reply(id, text.allSatisfy(\.isWhitespace) ? "This is done; say nothing about it." : text, .silent)
        }
        // The next speech is about the answer, not about the call.
        if let speech, !speech.sounds, speech.calls > 0 { endSpeech(.completed) }
        if drop == .stopped { drop = nil }
        reply(id, withNote(text), .whenIdle, isError: output.isFailure)
        unsaid.append(text)
        if unsaid.count > 8 { unsaid.removeFirst() }
    }

    /// Sends the final answer to a call; every call needs one.
    private mutating func reply(
        _ id: String,
        _ text: String,
        _ scheduling: GeminiAnswer.Scheduling,
        isError: Bool = false
    ) {
        guard let index = openCalls.firstIndex(where: { $0.call.id == id }) else { return }
        let call = openCalls.remove(at: index).call
        var answer = GeminiAnswer(call, text, isError: isError, scheduling: scheduling)
        if !start.schedules {
            answer.scheduling = nil
            if scheduling == .silent { answer.text = GeminiLine.program("Do not mention: \(text)") }
        }
        emit(.send(.answers([answer])))
        sentCalls.append(call)
        if sentCalls.count > Self.mostWithdrawn { sentCalls.removeFirst() }
    }

    private static func result(of arguments: String, _ text: String) -> String {
        let question = OutsideJSON.decode(JSONValue.self, from: arguments.utf8, atMost: 64 << 10)?["query"]?.stringValue
        let of = question.map { " \"\($0.prefix(200))\"" } ?? " an earlier request"
        return GeminiLine.program("Jarvis has answered\(of): \(text) Tell the user.")
    }

    // MARK: Texts

    private static let mostKept = 16

    mutating func keep(_ text: String) {
        guard !text.allSatisfy(\.isWhitespace) else { return }
        kept.append(text)
        guard kept.count > Self.mostKept else { return }
        kept.removeFirst()
        report(.dropped(.agent))
    }

    mutating func inform(_ value: ForeignReport) {
        if value.isSpoken { return keep(Self.result(of: value.arguments, value.output.forModel)) }
        known.append(value.output.forModel)
        if known.count > Self.mostKept { known.removeFirst() }
    }

    /// An order to speak is about the latest news, if there is any.
    mutating func tell(_ text: String) {
        keep(GeminiLine.program(known.popLast().map { "\(text) The result: \($0)" } ?? text))
    }

    /// Adds the note on how much of the cut speech was heard, once.
    private mutating func withNote(_ text: String) -> String {
        defer { note = nil }
        return (note.map { GeminiLine.program($0) + " " } ?? "") + text
    }

    /// Sends a text in the next quiet moment.
    mutating func put(_ text: String, _ now: Duration) {
        if outgoing.isEmpty { outgoingSince = now }
        outgoing.append(text)
        sendOutgoing(now)
    }

    /// How long a text waits for a pause: a television never pauses.
    private static let longestOutgoing = Duration.seconds(10)

    /// Sends the waiting texts as one: each text completes a turn of the user, and would interrupt the answer to the one before.
    mutating func sendOutgoing(_ now: Duration) {
        guard !outgoing.isEmpty, !turn.isOpen, !isUserTalking || now - outgoingSince >= Self.longestOutgoing else {
            return
        }
        var texts = outgoing
        if !known.isEmpty {
            texts.insert(
                GeminiLine.program(
                    "For you to know, not to be mentioned unless asked: " + known.joined(separator: " ")
                ),
                at: 0
            )
        }
        known = []
        outgoing = []
        let text = withNote(texts.joined(separator: "\n"))
        emit(.send(.content([GeminiLine(.user, text)])))
        drop = nil
        // A turn of the model is on its way.
        turn = ModelTurn(isOpen: true, lastOutput: now)
        awaited?.since = now
        awaited?.text = text
    }

    // MARK: Responses

    mutating func respond(_ id: String, _ now: Duration) {
        let texts = kept
        kept = []
        awaited = Awaited(request: id, since: now)
        if !texts.isEmpty { return put(texts.joined(separator: "\n"), now) }
        // The service says an answer without being told to.
        if !unsaid.isEmpty || !outgoing.isEmpty { return }
        if let last = turns.last, !last.text.isEmpty, reaction.answer == nil { return put(last.text, now) }
        if !told.isEmpty { return put(Self.again(told), now) }
        answerInSilence(.completed)
    }

    private static func again(_ answers: [String]) -> String {
        GeminiLine.program(
            "The user has not heard this result yet: \(answers.joined(separator: " ")) Tell the user now."
        )
    }

    /// How long the service may take to speak about a text it was sent.
    private static let speaksWithin = Duration.seconds(10)

    mutating func settleAwaited(_ now: Duration) {
        guard let awaited, outgoing.isEmpty, speech == nil, !isUserTalking,
            now - max(awaited.since, turns.last?.endedAt ?? .zero) >= Self.speaksWithin
        else { return }
        if !awaited.isRepeated, let again = awaited.text ?? (unsaid.isEmpty ? nil : Self.again(unsaid)) {
            self.awaited?.isRepeated = true
            return put(again, now)
        }
        trouble("nothing_said", "the service said nothing of what it was given to say")
        answerInSilence(.failed)
    }

    private mutating func answerInSilence(_ status: ResponseEnd.Status) {
        guard let awaited else { return }
        self.awaited = nil
        (told, unsaid) = (unsaid, [])
        respondInSilence(awaited.request, status)
    }
}

extension FunctionCall {
    fileprivate init(_ call: GeminiCall) {
        self.init(callID: call.id, name: call.name, arguments: call.arguments)
    }
}
