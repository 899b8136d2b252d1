internal import VoiceBase
internal import VoiceReply

/// An input of the local voice: a request of the conversation, or an event of turn detection or speech.
package enum LocalEvent: Equatable, Sendable {
    case asked(ServiceRequest)
    /// The user begins to speak, `at` ms into the session.
    case began(at: Int)
    /// What was taken for speech was not.
    /// - resumes: an answer was cut for it and continues.
    case dropped(at: Int, resumes: Bool)
    /// The user continues the completed turn: its request is void.
    case superseded(at: Int)
    case given(LocalUtterance, at: Int)
    /// The user spoke, but the recogniser failed.
    /// - answers: it did answer, with something that is no text.
    case notRecognised(at: Int, answers: Bool)
    /// The user spoke, and the recogniser returned no words, or those it returns for noise.
    case noWords(at: Int, WordlessTurns.Notice)
    /// The first audio of this sentence of the current speech was received.
    case sentenceBegan(Int)
    /// The last audio of this sentence was received: it will be heard, whatever becomes of the session.
    case sentenceEnded(Int)
    /// All audio of the speech was received.
    case speechEnded
    /// All sentences received so far were played, and no more came for a while.
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
    case hush
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

    /// A sentence to be spoken.
    private struct Sentence: Equatable {
        var text: String
        /// The call that it answers; nil for other speech.
        var call: String?
        /// Its number in the answer; nil for words of the box around it.
        var number: Int?
        /// Whether the rest of that sentence of the answer follows in the next one here.
        var continues = false
    }

    /// The last answer, for "again" and "go on".
    private struct Answer: Equatable {
        var item: String
        var sentences: [Sentence]
        /// Index of the item's first sentence.
        var first = 0
        /// Index of the sentence that was cut.
        var cutAt: Int?
        /// More of it is still being written.
        var flows = false
    }

    /// An answer that is spoken while it is being written. Its spoken sentences are in `last`, and in `interrupted` once it
    /// was cut.
    private struct Flow: Equatable {
        var call: String
        /// Sentences not yet spoken by any response.
        var waiting: [Sentence] = []
        /// Number of sentences received.
        var count: Int
        /// It is complete.
        var isWhole = false
        /// The user interrupted it: what follows is kept for "go on".
        var isCut = false
    }

    private let options: Options
    private var number = 0
    private var userItem = ""
    private var isTurnOpen = false
    private var speech: LocalSpeech?
    /// Issued once the current speech has been received.
    private var callBehind: FunctionCall?
    private var last: Answer?
    private var interrupted: Answer?
    private var flow: Flow?
    /// Number of sentences of the current speech whose audio has begun to arrive.
    private var begun = 0
    /// What the agent has asked, until the user's next turn.
    private var prompt: AgentPrompt?
    private var isPromptRepeated = false
    /// The words that led to the last `ask_jarvis` call.
    private var words: [String] = []
    /// Whether they were a question.
    private var isQuestion = false
    /// Handles of the media named in an answer.
    private var offered: [String] = []
    private var wantsToPlay = false
    /// What the house announced since the user's last words.
    private var announced: String?
    private var asked: String?
    private var toSay: [Sentence] = []
    /// The order whose question, morning or evening, is open until the user's next turn.
    private var unsettled: SpokenCommand?

    /// Maximum amount of text waiting to be spoken, in bytes.
    private static let mostToSay = 64 << 10

    package init(_ options: Options = Options()) { self.options = options }

    package mutating func handle(_ event: LocalEvent) -> [LocalEffect] {
        switch event {
        case .asked(let request): return handle(request)
        case .began(let at): return began(at: at)
        case .superseded(let at): return [.report(.supersede)] + began(at: at)
        case .dropped(let at, let resumes):
            guard isTurnOpen else { return [] }
            isTurnOpen = false
            var effects = [report(.userStopped(at: at))]
            if resumes, let speech, interrupted?.item != speech.item, begun < speech.sentences.count {
                // Cut between two sentences, so that no sentence was reported as cut.
                effects += [.hush] + ended(.cancelled)
            }
            // The conversation takes this response for one that tells what has arrived meanwhile.
            if resumes, let resumed = goOn(request: nil) { return effects + resumed }
            let isWaiting = !toSay.isEmpty || flow?.waiting.isEmpty == false
            guard !isWaiting else { return effects + tellWaiting(request: nil) }
            let cut = flow.flatMap { $0.isCut ? $0.call : nil }
            return effects + silent() + (cut.map { [report(.answerWaits(call: $0))] } ?? [])
        case .given(let utterance, let at): return given(utterance, at: at)
        case .notRecognised(let at, let answers):
            return unheard(at: at, "the recogniser gave no text", answers ? Self.confused : Self.deaf)
        case .noWords(let at, let notice):
            return unheard(at: at, "no words", notice == .unclear ? Self.unclear : Self.wordless)
        case .sentenceBegan(let index):
            guard let speech, speech.sentences.indices.contains(index) else { return [] }
            let text = speech.sentences[index]
            begun = max(begun, index + 1)
            return [
                report(.said(response: speech.response, item: speech.item, part: index, text: text, isWhole: true))
            ] + answerSaid(index, of: speech, isEnded: false)
        case .sentenceEnded(let index):
            guard let speech, speech.sentences.indices.contains(index) else { return [] }
            return answerSaid(index, of: speech, isEnded: true)
        case .speechEnded: return ended(.completed)
        case .speechStarved:
            guard speech?.isOpen == true else { return [] }
            return [.speechIsWhole] + ended(.completed) + [.answered]
        case .speechFailed(let reason): return ended(.incomplete, reason)
        }
    }

    // MARK: What is said in fixed words

    private static let deaf = "I heard you, but could not make out the words. My recogniser does not answer."
    private static let confused = "I heard you, but my recogniser is out of order. The journal says what it did."
    private static let unclear = "I did not understand that."
    private static let wordless = """
        I hear you, but my recogniser makes no words of it. Please see whether it works, and for which language it is set.
        """
    private static let help = """
        I can tell the time and the date, set timers, alarms and reminders, and change the volume. Music you can pause, resume and skip. \
        Say stop to silence me, again to hear it once more, and go on for the rest. Everything else I pass on to Jarvis.
        """
    private static let nothingToRepeat = "I have not said anything yet."

    // MARK: Turns

    private mutating func name(_ kind: String) -> String {
        number += 1
        return "\(options.session)-\(kind)-\(number)"
    }

    private func report(_ report: ServiceReport) -> LocalEffect { .report(.service(report)) }

    private mutating func began(at milliseconds: Int) -> [LocalEffect] {
        userItem = name("turn")
        isTurnOpen = true
        return [report(.userStarted(item: userItem, at: milliseconds))] + cutFlow()
    }

    /// Ends a turn without words, and says why.
    private mutating func unheard(at milliseconds: Int, _ reason: String, _ notice: String) -> [LocalEffect] {
        guard isTurnOpen else { return [] }
        isTurnOpen = false
        return [report(.userStopped(at: milliseconds)), report(.notHeard(item: userItem, reason: reason))] + say(notice)
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
        let text = SpokenGrammar.withoutCall(text)
        let words = LocalTurn.words(text)
        guard !words.isEmpty else { return silent(request: request) }
        defer { announced = nil }
        if let settled = unsettled?.settled(by: text) { return perform(settled, request: request) }
        unsettled = nil
        let command = SpokenGrammar.command(in: text)
        if let effects = answerPrompt(text, command, isSure: isSure, request: request) { return effects }
        if let command { return perform(command, request: request) }
        if let what = play(words) {
            return call("play_audio", ["what": what], request: request)
        }
        return ask(text, words, request: request)
    }

    /// Not every recogniser writes question marks.
    private static let interrogatives: Set<String> = [
        "what", "what's", "which", "who", "who's", "when", "where", "why", "how", "is", "are", "was", "were", "do",
        "does", "did",
        "has", "have",
    ]

    private mutating func ask(_ text: String, _ words: [String], request: String?) -> [LocalEffect] {
        self.words = words
        isQuestion = text.contains("?") || words.first.map(Self.interrogatives.contains) ?? false
        var query = text
        if let cut = interrupted, let place = cut.cutAt, cut.sentences.indices.contains(place) {
            query += "\n(The user interrupted the last answer at: \"\(cut.sentences[place].text.prefix(200))\")"
        }
        // What the user says may answer it, and the agent does not know of it.
        if let announced { query += "\n(This box has just announced for the house: \(announced.quoted))" }
        interrupted = nil
        offered = []
        return call("ask_jarvis", ["query": .string(query)], request: request)
    }

    // MARK: Orders

    private mutating func perform(_ command: SpokenCommand, request: String?) -> [LocalEffect] {
        unsettled = nil
        if let question = command.question {
            unsettled = command
            return say(question, request: request)
        }
        switch command {
        case .again:
            guard let last else { return say(Self.nothingToRepeat, request: request) }
            return speak(Answer(item: "", sentences: last.sentences.map { Sentence(text: $0.text) }), request: request)
        case .more: return goOn(request: request) ?? call("continue_reading", [:], request: request)
        case .help: return say(Self.help, request: request)
        default:
            guard let order = command.call else { return silent(request: request) }
            return call(order.tool, order.arguments, request: request)
        }
    }

    /// Continues the answer that was cut, from the beginning of the sentence; nil if none was.
    private mutating func goOn(request: String?) -> [LocalEffect]? {
        guard var rest = interrupted, let place = rest.cutAt else { return nil }
        guard rest.flows || rest.sentences.indices.contains(place) else { return nil }
        interrupted = nil
        if rest.flows {
            flow?.isCut = false
        } else {
            // What has arrived meanwhile is told behind it.
            rest.sentences += toSay
            toSay = []
        }
        rest.first = place
        rest.cutAt = nil
        guard rest.sentences.indices.contains(place) else {
            // The next sentence is still being written.
            last = rest
            return silent(request: request)
        }
        return speak(rest, request: request)
    }

    /// What to play: a known station, or the media named in the last answer.
    private func play(_ words: [String]) -> JSONValue? {
        let orders: [[String]] = [["play"], ["put", "on"], ["listen", "to"], ["turn", "on"]]
        guard let order = orders.first(where: { words.starts(with: $0) }), words.count <= 8 else { return nil }
        var left = words.dropFirst(order.count)
        if left.first == "the" { left = left.dropFirst() }
        let name = left.joined(separator: " ")
        if !offered.isEmpty, ["it", "that", "this", "them", "first", "first one"].contains(name) {
            let isOne = name.hasPrefix("first")
            return .array((isOne ? Array(offered.prefix(1)) : offered).map { .string($0) })
        }
        guard !name.isEmpty, options.knowsStation(name) else { return nil }
        return .string(name)
    }

    // MARK: What the agent asks

    /// nil if nothing was asked, or the user turned to something else.
    private mutating func answerPrompt(
        _ text: String,
        _ command: SpokenCommand?,
        isSure: Bool,
        request: String?
    ) -> [LocalEffect]? {
        guard let meaning = prompt?.meaning(of: text, command, isSure: isSure) else { return nil }
        if case .isUnclear = meaning, !isPromptRepeated {
            isPromptRepeated = true
            return say("Please say yes or no.", request: request, reminds: true)
        }
        guard let reply = meaning.call else { return nil }
        prompt = nil
        return call(reply.tool, reply.arguments, request: request)
    }

    // MARK: Calls

    private mutating func call(_ tool: String, _ arguments: JSONValue, request: String?) -> [LocalEffect] {
        // One response at a time: what the user spoke over waits, or is left for "go on".
        var effects = speech == nil ? [] : [.hush] + ended(.cancelled)
        let response = name("response")
        effects += [report(.responseBegan(response: response, request: request))]
        effects.append(report(.call(response: response, call: makeCall(tool, arguments), isComplete: true)))
        effects.append(report(.responseEnded(ResponseEnd(response: response, status: .completed))))
        if tool != "ask_jarvis" { effects.append(.acts) }
        return effects + waits()
    }

    private mutating func makeCall(_ tool: String, _ arguments: JSONValue) -> FunctionCall {
        let id = name("call")
        return FunctionCall(callID: id, name: tool, arguments: arguments.encoded)
    }

    private mutating func answered(_ id: String, _ output: ToolResult) -> [LocalEffect] {
        if flow?.call == id {
            // The rest of it is not wanted.
            let wasOpen = speech?.isOpen == true
            endFlow()
            return [report(.answerPlaced(call: id))] + (wasOpen ? [.hush] + ended(.cancelled) : [])
        }
        guard output.wantsReply else {
            // What waits of it is not wanted any more.
            toSay.removeAll { $0.call == id }
            return [report(.answerPlaced(call: id)), .answered]
        }
        tell(answer(output, to: id))
        return [report(.answerPlaced(call: id))]
    }

    // MARK: An answer that is being written

    private mutating func beginFlow(_ id: String, _ output: ToolResult) -> [LocalEffect] {
        // Questions run one at a time: the previous answer is complete, or its end will never come. What nobody has spoken
        // of it yet comes first.
        if let flow, !flow.isCut { toSay += flow.waiting }
        endFlow()
        flow = Flow(call: id, waiting: answer(output, to: id), count: output.sentences.count)
        return [report(.answerPlaced(call: id))]
    }

    private mutating func goOnFlow(_ id: String, _ output: ToolResult, isLast: Bool) -> [LocalEffect] {
        guard var flow, flow.call == id, !flow.isWhole else { return [] }
        let more = output.isEmpty ? [] : answer(output, to: id, from: flow.count)
        flow.count += output.sentences.count
        flow.isWhole = isLast
        defer { if isLast, self.flow?.waiting.isEmpty ?? true { endFlow() } }
        if flow.isCut {
            if last?.flows == true { last?.sentences += more }
            if interrupted?.flows == true { interrupted?.sentences += more }
            wantsToPlay = false
            self.flow = flow
            return []
        }
        if let open = speech, open.isOpen {
            self.flow = flow
            last?.sentences += more
            speech?.sentences += more.map(\.text)
            if isLast {
                speech?.isOpen = false
                callBehind = callBehind ?? playOffered()
            }
            return (more.isEmpty ? [] : [.speakOn(more.map(\.text))]) + (isLast ? [.speechIsWhole] : [])
        }
        let isWaiting = !flow.waiting.isEmpty
        flow.waiting += more
        self.flow = flow
        let isNews = !more.isEmpty || isLast && wantsToPlay
        return isNews && !isWaiting ? [report(.answerWaits(call: id))] : []
    }

    /// Reports how much of an answer is said, if the sentence belongs to one.
    private func answerSaid(_ index: Int, of speech: LocalSpeech, isEnded: Bool) -> [LocalEffect] {
        guard let last, last.item == speech.item,
            let sentence = last.sentences.dropFirst(last.first + index).first,
            let call = sentence.call, let number = sentence.number
        else { return [] }
        let isWhole = isEnded && !sentence.continues
        return [report(.answerSaid(call: call, response: speech.response, sentence: number, isWhole: isWhole))]
    }

    /// Ends the open response because the user begins to speak.
    private mutating func cutFlow() -> [LocalEffect] {
        guard flow != nil, speech?.isOpen == true else { return [] }
        flow?.isCut = true
        return [.hush] + ended(.cancelled)
    }

    private mutating func endFlow() {
        flow = nil
        last?.flows = false
        interrupted?.flows = false
    }

    /// The call that plays what the answer named, if the user asked to play something.
    private mutating func playOffered() -> FunctionCall? {
        guard wantsToPlay, !offered.isEmpty else { return nil }
        wantsToPlay = false
        return makeCall("play_audio", ["what": .array(offered.map { .string($0) })])
    }

    private func sentences(_ text: String, call: String? = nil) -> [Sentence] {
        SpeechParts.split(text).filter(\.isSayable).map { Sentence(text: $0, call: call) }
    }

    private mutating func tell(_ sentences: [Sentence]) {
        let waiting = (toSay + sentences).reduce(0) { $0 + $1.text.utf8.count }
        guard waiting <= Self.mostToSay else { return }
        toSay += sentences
    }

    private static let playing: Set<String> = ["play", "listen", "put", "music", "radio", "podcast", "hear"]
    private static let howToPlay = "To hear it, say: play it."

    /// The output of a call in words for the user. What the agent names is played, in whatever language the user asked for it;
    /// after a question, the user is told how to hear it. What it asks or offers is kept for the user's reply.
    ///
    /// - Parameter first: number of its first sentence in the answer.
    private mutating func answer(_ output: ToolResult, to call: String, from first: Int = 0) -> [Sentence] {
        var spoken = sentences(output.opening, call: call)
        switch output.content {
        case .answer, .list:
            for (number, text) in output.sentences.enumerated() {
                spoken += said(text, call: call, number: first + number)
            }
        default: spoken += said(output.words, call: call, number: first)
        }
        switch output.content {
        case .prompt(let asked, _): (prompt, isPromptRepeated) = (asked, false)
        case .answer(_, let media?) where !media.handles.isEmpty:
            offered = media.handles
            wantsToPlay = !isQuestion || !Set(words).isDisjoint(with: Self.playing)
            if !wantsToPlay { spoken += sentences(Self.howToPlay, call: call) }
        default: break
        }
        return spoken
    }

    /// One sentence of an answer, in pieces if it is long.
    private func said(_ text: String, call: String, number: Int) -> [Sentence] {
        var pieces = sentences(text, call: call)
        for index in pieces.indices {
            pieces[index].number = number
            pieces[index].continues = index < pieces.count - 1
        }
        return pieces
    }

    // MARK: Requests

    private mutating func handle(_ request: ServiceRequest) -> [LocalEffect] {
        switch request {
        case .open: return [report(.ready(ServiceReadiness()))]
        case .recall: return []
        case .ask(let text):
            asked = text
            return []
        case .answer(let call, let output):
            switch output.part {
            case .whole: return answered(call, output)
            case .first: return beginFlow(call, output)
            case .next: return goOnFlow(call, output, isLast: false)
            case .last: return goOnFlow(call, output, isLast: true) + [report(.answerPlaced(call: call))]
            }
        case .inform(let id, let foreign):
            if foreign.name == ForeignReport.announcement {
                tell(sentences(foreign.output.aloud))
                announced = foreign.output.aloud
            } else if foreign.isSpoken || foreign.name == "ask_jarvis" {
                tell(answer(foreign.output, to: id))
            }
            return [report(.answerPlaced(call: id))]
        case .tell(let text, .exactly): tell(sentences(text))
        // Meant for a model; there is none.
        case .tell: break
        case .respond(let id, _): return respond(id)
        case .cancel(let response):
            guard let speech, response == nil || response == speech.response else { return [] }
            if speech.isOpen { flow?.isCut = true }
            return [.hush] + ended(.cancelled)
        case .truncate(let item, let part, let heard, let received): wasCut(item, part, heard, received)
        case .forget(let item): wasCut(item, 0, 0, 1)
        case .clearInput:
            guard isTurnOpen else { return [] }
            isTurnOpen = false
            return [.forgetTurn, report(.userStopped(at: 0))] + silent()
        case .close: return [.close]
        }
        return []
    }

    private mutating func respond(_ request: String) -> [LocalEffect] {
        if let text = asked {
            asked = nil
            return act(on: text, isSure: true, request: request)
        }
        return tellWaiting(request: request)
    }

    /// Speaks what waits to be spoken; a response without speech if nothing does.
    private mutating func tellWaiting(request: String?) -> [LocalEffect] {
        guard let speech, !speech.isOpen, begun > 0, let last, last.item == speech.item, last.cutAt == nil else {
            return tellAll(request: request)
        }
        // Requested twice, because the user spoke meanwhile: what the running response has not begun belongs to this one.
        toSay = last.sentences[(last.first + begun)...].filter { $0.call != nil } + toSay
        let effects = [.hush] + ended(.cancelled)
        interrupted = nil
        return effects + tellAll(request: request)
    }

    private mutating func tellAll(request: String?) -> [LocalEffect] {
        let told = toSay
        toSay = []
        if flow != nil, let effects = respondWithFlow(told, request) { return effects }
        if wantsToPlay, !offered.isEmpty {
            wantsToPlay = false
            let what = JSONValue.array(offered.map { .string($0) })
            guard !told.isEmpty else { return call("play_audio", ["what": what], request: request) }
            callBehind = makeCall("play_audio", ["what": what])
        }
        guard !told.isEmpty else { return silent(request: request) }
        return speak(Answer(item: "", sentences: told), request: request)
    }

    /// Speaks the waiting sentences of the answer; nil if there are none.
    private mutating func respondWithFlow(_ told: [Sentence], _ request: String?) -> [LocalEffect]? {
        guard let waiting = flow?.waiting, !waiting.isEmpty || wantsToPlay && flow?.isWhole == true else {
            // It was cut before its first word, perhaps by a cough.
            return told.isEmpty && flow?.isCut == true ? goOn(request: request) : nil
        }
        let isWhole = flow?.isWhole == true
        var answer = last?.flows == true ? last ?? Answer(item: "", sentences: []) : Answer(item: "", sentences: [])
        answer.first = answer.sentences.count
        answer.cutAt = nil
        answer.sentences += told + waiting
        answer.flows = !isWhole
        flow?.waiting = []
        flow?.isCut = false
        if isWhole { endFlow() }
        guard answer.first < answer.sentences.count else { return nil }
        if isWhole { callBehind = playOffered() }
        return speak(answer, request: request)
    }

    /// Notes that the sentence of a part, and all that follow, were not heard.
    private mutating func wasCut(_ item: String, _ part: Int, _ heard: Int, _ received: Int) {
        guard var answer = last, answer.item == item, heard < received else { return }
        let place = answer.first + part
        answer.cutAt = min(answer.cutAt ?? place, place)
        last = answer
        interrupted = answer
    }

    // MARK: Speech

    /// Makes a response without speech.
    private mutating func silent(request: String? = nil) -> [LocalEffect] {
        let response = name("response")
        return [
            report(.responseBegan(response: response, request: request)),
            report(.responseEnded(ResponseEnd(response: response, status: .completed))), .answered,
        ] + waits()
    }

    /// - Parameter reminds: whether it only reminds the user of the agent's open question.
    private mutating func say(_ text: String, request: String? = nil, reminds: Bool = false) -> [LocalEffect] {
        let sentences = sentences(text)
        guard !sentences.isEmpty else { return silent(request: request) }
        return speak(Answer(item: "", sentences: sentences), request: request, reminds: reminds)
    }

    private mutating func speak(_ answer: Answer, request: String?, reminds: Bool = false) -> [LocalEffect] {
        var effects: [LocalEffect] = []
        // One response at a time; the conversation does not request two.
        if speech != nil { effects = [.hush] + ended(.cancelled) }
        let response = name("response")
        var answer = answer
        answer.item = name("item")
        last = answer
        let made = LocalSpeech(
            response: response,
            item: answer.item,
            sentences: answer.sentences[answer.first...].map(\.text),
            isOpen: answer.flows
        )
        speech = made
        begun = 0
        effects.append(report(.responseBegan(response: response, request: request)))
        if reminds { effects.append(report(.reminds(response: response))) }
        return effects + [report(.speaks(response: response, item: made.item)), .speak(made)]
    }

    private mutating func ended(_ status: ResponseEnd.Status, _ reason: String? = nil) -> [LocalEffect] {
        guard let speech else { return [] }
        self.speech = nil
        var effects: [LocalEffect] = []
        if let call = callBehind, status == .completed {
            effects.append(report(.call(response: speech.response, call: call, isComplete: true)))
        }
        callBehind = nil
        if status == .cancelled, begun == 0, last?.item == speech.item {
            waitAgain()
        } else if status == .cancelled, last?.item == speech.item, last?.cutAt == nil {
            // Sentences not received were not heard either; `truncate` follows for those received.
            interrupted = last
            interrupted?.cutAt = last.map { $0.first + begun }
        }
        effects.append(report(.audioEnded(response: speech.response, item: speech.item)))
        effects.append(
            report(.responseEnded(ResponseEnd(response: speech.response, status: status, reason: reason)))
        )
        if status != .completed { effects.append(.answered) }
        return effects + waits()
    }

    /// The speech was cut before its first word, by a cough or an order: the answers in it wait again.
    private mutating func waitAgain() {
        guard var answer = last else { return }
        let unheard = answer.sentences[answer.first...].filter { $0.call != nil }
        answer.sentences.removeLast(answer.sentences.count - answer.first)
        answer.first = 0
        last = answer.sentences.isEmpty ? nil : answer
        let flowing = answer.flows ? flow?.call : nil
        toSay = unheard.filter { $0.call != flowing } + toSay
        guard var flow, flowing != nil else { return }
        flow.waiting = unheard.filter { $0.call == flowing } + flow.waiting
        flow.isCut = false
        self.flow = flow
    }

    /// Reports again which answers wait: the conversation takes any response that has ended for one that spoke them.
    private func waits() -> [LocalEffect] {
        var waiting: [String] = []
        for call in (toSay + (flow?.waiting ?? [])).compactMap(\.call) where !waiting.contains(call) {
            waiting.append(call)
        }
        return waiting.map { report(.answerWaits(call: $0)) }
    }
}
