internal import VoiceBase
internal import VoiceReply

/// An input of the local voice: a request of the conversation, or an event of turn detection or speech.
package enum LocalEvent: Equatable, Sendable {
    case asked(ServiceRequest)
    /// The user begins to speak, `at` ms into the session.
    case began(at: Int)
    /// The sound was mistaken for speech.
    /// - resumes: whether an answer was cut for the sound and continues.
    case dropped(at: Int, resumes: Bool)
    /// The user continues the completed turn: its request is void.
    case superseded(at: Int)
    case given(LocalUtterance, at: Int)
    /// The user spoke, but the recogniser failed.
    /// - answers: whether the recogniser did answer, with something that is not text.
    case notRecognised(at: Int, answers: Bool)
    /// The user spoke, and the recogniser returned no words, or only words that it makes up from noise.
    case noWords(at: Int, WordlessTurns.Notice)
    /// The first audio of this sentence of the current speech was received.
    case sentenceBegan(Int)
    /// The last audio of this sentence was received: it will be heard, whatever becomes of the session.
    case sentenceEnded(Int)
    /// All audio of the speech was received.
    case speechEnded
    /// All sentences received so far were played, and none came for a while.
    case speechStarved
    case speechFailed(String)
}

package enum LocalEffect: Equatable, Sendable {
    case report(ConversationEvent)
    /// Speak the sentences in order.
    case speak(LocalSpeech)
    /// Append these sentences to the current speech.
    case speakOn([String])
    /// The current speech gets no further sentences.
    case speechIsWhole
    /// Stop speaking.
    case stopSpeaking
    /// Discard the current turn of the user.
    case forgetTurn
    /// The last turn's request may have begun to change something: it is not withdrawn if the user continues.
    case acts
    /// No further speech follows for the last turn.
    case answered
    case close
}

/// Text to be spoken, sentence by sentence; each is a part of the item.
package struct LocalSpeech: Equatable, Sendable {
    package var response: String
    package var item: String
    package var sentences: [String]
    /// Whether more sentences may follow.
    package var isOpen: Bool

    package init(response: String, item: String, sentences: [String], isOpen: Bool = false) {
        self.response = response
        self.item = item
        self.sentences = sentences
        self.isOpen = isOpen
    }

    package func part(_ index: Int) -> SpokenPart {
        SpokenPart(responseID: response, itemID: item, contentIndex: index)
    }
}

/// Translates between the conversation and the local voice: a recognised sentence becomes a command of the local
/// grammar, or a call of `ask_jarvis`; the output of a call becomes sentences. Without model, I/O, clock or task.
///
/// A response either consists of one call without speech, or of speech, followed by at most one call. The translator
/// generates the names of items, responses and calls.
package struct LocalTranslator: Sendable {
    package struct Options: Sendable {
        /// Prefix of every name, so that the names of two sessions differ.
        package var session = "local"
        /// Whether this is the name of a known station.
        package var knowsStation: @Sendable (String) -> Bool = { _ in false }

        package init() {}
    }

    private let session: String
    private var turns = 0
    private var userItem = ""
    private var isTurnOpen = false
    /// A typed question, until a response to it is requested.
    private var asked: String?
    private var dialog: LocalDialog
    private var responses: LocalResponses

    package init(_ options: Options = Options()) {
        session = options.session
        dialog = LocalDialog(knowsStation: options.knowsStation)
        responses = LocalResponses(session: options.session)
    }

    package mutating func handle(_ event: LocalEvent) -> [LocalEffect] {
        switch event {
        case .asked(let request): return handle(request)
        case .began(let at): return began(at: at)
        case .superseded(let at): return [.report(.supersede)] + began(at: at)
        case .dropped(let at, let resumes):
            guard isTurnOpen else { return [] }
            isTurnOpen = false
            return [report(.userStopped(at: at))] + responses.noiseEnded(resumes: resumes)
        case .given(let utterance, let at): return given(utterance, at: at)
        case .notRecognised(let at, let answers):
            return unheard(at: at, "the recogniser gave no text", answers ? Self.confused : Self.deaf)
        case .noWords(let at, let notice):
            return unheard(at: at, "no words", notice == .unclear ? Self.unclear : Self.wordless)
        case .sentenceBegan(let index): return responses.sentenceBegan(index)
        case .sentenceEnded(let index): return responses.sentenceEnded(index)
        case .speechEnded: return responses.ended(.completed)
        case .speechStarved: return responses.starved()
        case .speechFailed(let reason): return responses.ended(.incomplete, reason)
        }
    }

    // MARK: What is said in fixed words

    private static let deaf = "I heard you, but could not make out the words. My recogniser does not answer."
    private static let confused = "I heard you, but my recogniser is out of order. The journal says what it did."
    private static let unclear = "I did not understand that."
    private static let wordless = """
        I hear you, but my recogniser makes no words of it. Please see whether it works, and for which language it is set.
        """

    // MARK: Turns

    private func report(_ report: ServiceReport) -> LocalEffect { .report(.service(report)) }

    private mutating func began(at milliseconds: Int) -> [LocalEffect] {
        turns += 1
        userItem = "\(session)-turn-\(turns)"
        isTurnOpen = true
        return [report(.userStarted(item: userItem, at: milliseconds))] + responses.userBegan()
    }

    /// Ends a turn without words, and says why.
    private mutating func unheard(at milliseconds: Int, _ reason: String, _ notice: String) -> [LocalEffect] {
        guard isTurnOpen else { return [] }
        isTurnOpen = false
        return [report(.userStopped(at: milliseconds)), report(.notHeard(item: userItem, reason: reason))]
            + responses.say(notice)
    }

    private mutating func given(_ utterance: LocalUtterance, at milliseconds: Int) -> [LocalEffect] {
        guard isTurnOpen else { return [] }
        isTurnOpen = false
        return [
            report(.userStopped(at: milliseconds)), report(.userTurn(item: userItem, after: nil)),
            report(.heard(item: userItem, part: 0, text: utterance.text, isWhole: true)),
        ] + act(on: utterance.text, isSure: utterance.isSure, request: nil)
    }

    /// - Parameters:
    ///   - isSure: false if it may have been noise, so that it must not approve anything.
    ///   - request: ID of the request this response answers.
    private mutating func act(on text: String, isSure: Bool, request: String?) -> [LocalEffect] {
        switch dialog.move(for: text, isSure: isSure, cut: responses.cutSentence) {
        case .nothing: return responses.silent(request: request)
        case .say(let words, let reminds): return responses.say(words, request: request, reminds: reminds)
        case .again: return responses.again(request: request)
        case .more: return responses.goOn(request: request) ?? responses.call("continue_reading", [:], request: request)
        case .call(let tool, let arguments): return responses.call(tool, arguments, request: request)
        }
    }

    /// The sentences of an output; keeps its question or offer for the user's reply.
    ///
    /// - Parameter first: number of its first sentence in the answer.
    private mutating func sentences(_ output: ToolResult, to call: String, from first: Int = 0) -> [LocalSentence] {
        let sentences = LocalSentence.answer(output, to: call, from: first)
        switch dialog.received(output) {
        case .nothing: return sentences
        case .play(let what):
            responses.offer = what
            return sentences
        case .say(let words):
            responses.offer = nil
            return sentences + LocalSentence.split(words, call: call)
        }
    }

    // MARK: Requests

    private mutating func handle(_ request: ServiceRequest) -> [LocalEffect] {
        switch request {
        case .open: return [report(.ready(ServiceReadiness()))]
        case .recall: return []
        case .ask(let text):
            asked = text
            return []
        case .answer(let call, let output): return answered(call, output)
        case .inform(let id, let foreign):
            var effects: [LocalEffect] = []
            if foreign.name == ForeignReport.announcement {
                effects = responses.tell(LocalSentence.split(foreign.output.aloud), from: .announcement)
                dialog.houseAnnounced(foreign.output.aloud)
            } else if foreign.isSpoken || foreign.name == "ask_jarvis" {
                effects = responses.tell(sentences(foreign.output, to: id), from: .agent)
            }
            return effects + [report(.answerPlaced(call: id))]
        case .tell(let text, .exactly): return responses.tell(LocalSentence.split(text), from: .announcement)
        // A text for a model; the local voice has none.
        case .tell: break
        case .respond(let id, _): return respond(id)
        case .cancel(let response): return responses.cancel(response)
        case .truncate(let item, let part, let heard, let received):
            responses.wasCut(item, part, heard, received)
        case .forget(let item): responses.wasUnheard(item)
        case .clearInput:
            guard isTurnOpen else { return [] }
            isTurnOpen = false
            return [.forgetTurn, report(.userStopped(at: 0))] + responses.silent()
        case .dropSpeech: return responses.drop()
        case .close: return [.close]
        }
        return []
    }

    private mutating func answered(_ call: String, _ output: ToolResult) -> [LocalEffect] {
        let placed = report(.answerPlaced(call: call))
        switch output.part {
        case .whole:
            // A whole answer to a call whose answer was being written means that the rest is not wanted.
            guard output.wantsReply, !responses.streams(call) else { return responses.withdraw(call) }
            return responses.tell(sentences(output, to: call), from: .agent) + [placed]
        case .first:
            return responses.begin(call, sentences(output, to: call)) + [placed]
        case .next, .last:
            let isLast = output.part == .last
            let end = isLast ? [placed] : []
            guard let written = responses.written(of: call) else { return end }
            let more = output.isEmpty ? [] : sentences(output, to: call, from: written)
            return responses.goOn(with: more, isLast: isLast) + end
        }
    }

    private mutating func respond(_ request: String) -> [LocalEffect] {
        if let text = asked {
            asked = nil
            return act(on: text, isSure: true, request: request)
        }
        return responses.tellWaiting(request: request)
    }
}
