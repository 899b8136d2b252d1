internal import VoiceBase
internal import VoiceReply

/// A sentence that the local voice speaks.
struct LocalSentence: Equatable, Sendable {
    var text: String
    /// The call that it answers; nil for other speech.
    var call: String?
    /// Its number in the answer, see `ServiceReport.answerSaid`; nil for words of the box around it.
    var number: Int?
    /// Whether the rest of that sentence of the answer follows in the next one here.
    var continues = false

    static func split(_ text: String, call: String? = nil) -> [Self] {
        SpeechParts.split(text).filter(\.isSayable).map { Self(text: $0, call: call) }
    }

    /// The output of a call in words for the user.
    ///
    /// - Parameter first: number of its first sentence in the answer.
    static func answer(_ output: ToolResult, to call: String, from first: Int) -> [Self] {
        let opening = split(output.opening, call: call)
        switch output.content {
        case .answer, .list:
            return opening
                + output.sentences.enumerated().flatMap { pieces($1, call: call, number: first + $0) }
        default: return opening + pieces(output.words, call: call, number: first)
        }
    }

    /// One sentence of an answer, in pieces if it is long.
    private static func pieces(_ text: String, call: String, number: Int) -> [Self] {
        var pieces = split(text, call: call)
        for index in pieces.indices {
            pieces[index].number = number
            pieces[index].continues = index < pieces.count - 1
        }
        return pieces
    }
}

/// The responses of the local voice, one at a time: the spoken answer, the waiting sentences, and the answer that the user cut.
///
///     tell, begin --> waiting --> spoken --> last
///                        ^           | cut by the user
///                        |           v
///                        |      interrupted --> goOn
///                        +-- cut before its first word
///
/// The local voice is on the far side of the connection, as a model would be, so it cannot read the ledgers of `PendingCalls`. It
/// keeps its own, of the text that it was given to speak: several answers and its own words in one row.
struct LocalResponses: Sendable {
    /// The part of an answer that one or more responses spoke.
    private struct Answer: Equatable {
        /// The item of the latest response; nil once reports about it come too late.
        var item: String?
        /// Index of that response's first sentence.
        var first = 0
        var ledger = AnswerLedger<LocalSentence>()
        /// The user did not hear all of it: the mark no longer follows the sound.
        var isCut = false

        var sentences: [LocalSentence] { ledger.sentences }
        /// Whether any sound of the latest response was received.
        var isBegun: Bool { ledger.begun > first }

        /// Whether its last sentence answers this call.
        func answers(_ call: String?) -> Bool { call != nil && sentences.last?.call == call }
    }

    /// An answer that is still being written.
    private struct Flow: Equatable {
        var call: String
        /// Number of sentences received.
        var count = 0
        /// Whether the user interrupted it: the rest is kept for "go on".
        var isCut = false
    }

    /// Prefix of every name.
    private let session: String
    private var number = 0
    private var speech: LocalSpeech?
    /// Issued once the current speech has been received.
    private var callBehind: FunctionCall?
    /// The latest answer, for "again".
    private var last: Answer?
    /// The answer that the user cut last, for "go on"; its mark is at the cut.
    private var interrupted: Answer?
    private var flow: Flow?
    /// Sentences that no response has spoken yet.
    private var waiting: [LocalSentence] = []
    /// Arguments of the call that plays what the answer named, if the user wants to hear it: made behind the answer.
    var offer: JSONValue?

    /// Maximum amount of text waiting to be spoken, in bytes.
    private static let mostWaiting = 64 << 10

    init(session: String) { self.session = session }

    private mutating func name(_ kind: String) -> String {
        number += 1
        return "\(session)-\(kind)-\(number)"
    }

    private func report(_ report: ServiceReport) -> LocalEffect { .report(.service(report)) }

    /// The sentence at which the user cut the answer that waits to be continued.
    var cutSentence: String? { interrupted?.ledger.unsaid.first?.text }

    /// The user asks something else, or says "stop": forgets the answer that was cut, and the media named in it.
    private mutating func forgetLastAnswer() {
        interrupted = nil
        offer = nil
        last?.item = nil
    }

    private mutating func takeOffer() -> FunctionCall? {
        defer { offer = nil }
        return offer.map { makeCall("play_audio", $0) }
    }

    // MARK: The user

    /// The user begins to speak, which ends the open response.
    mutating func userBegan() -> [LocalEffect] {
        guard speech?.isOpen == true else { return [] }
        flow?.isCut = true
        return endSpeech()
    }

    /// A voice that began as a turn of the user turned out to be noise.
    ///
    /// - Parameter resumes: whether an answer was cut for the noise and continues.
    mutating func noiseEnded(resumes: Bool) -> [LocalEffect] {
        var effects: [LocalEffect] = []
        if resumes, speech != nil, let last, !last.isCut, last.ledger.begun < last.sentences.count {
            // The cut was between two sentences, so `wasCut` was not called.
            effects += endSpeech()
        }
        // The conversation assumes that this response also tells the sentences that arrived meanwhile.
        if resumes, let resumed = goOn(request: nil) { return effects + resumed }
        guard waiting.isEmpty else { return effects + tellWaiting(request: nil) }
        let cut = flow.flatMap { $0.isCut ? $0.call : nil }
        return effects + silent() + (cut.map { [report(.answerWaits(call: $0))] } ?? [])
    }

    mutating func cancel(_ response: String?) -> [LocalEffect] {
        guard let speech, response == nil || response == speech.response else { return [] }
        if speech.isOpen { flow?.isCut = true }
        return endSpeech()
    }

    /// Forgets everything that is being said, waits, or was cut.
    mutating func drop() -> [LocalEffect] {
        let effects = endSpeech()
        flow = nil
        waiting = []
        forgetLastAnswer()
        return effects
    }

    /// Says the last answer once more.
    mutating func again(request: String?) -> [LocalEffect] {
        guard let last else { return say("I have not said anything yet.", request: request) }
        return speak(last.sentences.map { LocalSentence(text: $0.text) }, request: request)
    }

    /// Continues the answer that was cut, from the beginning of the sentence; nil if none was.
    mutating func goOn(request: String?) -> [LocalEffect]? {
        guard var rest = interrupted else { return nil }
        let flows = rest.answers(flow?.call)
        guard flows || !rest.ledger.isSaid else { return nil }
        interrupted = nil
        if flows { flow?.isCut = false }
        // Sentences that arrived meanwhile follow the rest.
        rest.ledger.add(takeWaiting(onlyFlow: flows))
        guard !rest.ledger.isSaid else {
            // The next sentence is still being written.
            let effects = endSpeech()
            last = rest
            return effects + silent(request: request)
        }
        return speak(rest, request: request)
    }

    // MARK: Calls

    mutating func call(_ tool: String, _ arguments: JSONValue, request: String?) -> [LocalEffect] {
        call(makeCall(tool, arguments), request: request)
    }

    private mutating func call(_ call: FunctionCall, request: String?) -> [LocalEffect] {
        // One response at a time: speech that the user talked over waits, or is kept for "go on".
        var effects = endSpeech()
        if ToolRounds.asks(call) { forgetLastAnswer() }
        let response = name("response")
        effects += [report(.responseBegan(response: response, request: request))]
        effects.append(report(.call(response: response, call: call, isComplete: true)))
        effects.append(report(.responseEnded(ResponseEnd(response: response, status: .completed))))
        if !ToolRounds.asks(call) { effects.append(.acts) }
        return effects + waits()
    }

    private mutating func makeCall(_ tool: String, _ arguments: JSONValue) -> FunctionCall {
        let id = name("call")
        return FunctionCall(callID: id, name: tool, arguments: arguments.encoded)
    }

    // MARK: An answer that is being written

    /// Whether the answer to this call is, or was, spoken while it is written.
    func streams(_ call: String) -> Bool { flow?.call == call }

    /// Number of sentences received of the answer to this call; nil unless more is expected.
    func written(of call: String) -> Int? { flow.flatMap { $0.call == call ? $0.count : nil } }

    /// The first sentences of an answer that is still being written.
    mutating func begin(_ call: String, _ sentences: [LocalSentence]) -> [LocalEffect] {
        // Questions run one at a time: the previous answer is complete, or its end will never come. Its
        // unspoken sentences come first.
        let wasOpen = speech?.isOpen == true
        speech?.isOpen = false
        flow = Flow(call: call)
        note(sentences)
        waiting += sentences
        return wasOpen ? [.speechIsWhole] : []
    }

    private mutating func note(_ more: [LocalSentence]) {
        if let number = more.last(where: { $0.number != nil })?.number { flow?.count = number + 1 }
    }

    /// More of the answer that is being written.
    mutating func goOn(with more: [LocalSentence], isLast: Bool) -> [LocalEffect] {
        guard let flow else { return [] }
        note(more)
        defer { if isLast { self.flow = nil } }
        if flow.isCut {
            if last?.answers(flow.call) == true { last?.ledger.add(more) }
            if interrupted?.answers(flow.call) == true { interrupted?.ledger.add(more) }
            offer = nil
            return []
        }
        if speech?.isOpen == true {
            last?.ledger.add(more)
            speech?.sentences += more.map(\.text)
            if isLast {
                speech?.isOpen = false
                callBehind = callBehind ?? takeOffer()
            }
            return (more.isEmpty ? [] : [.speakOn(more.map(\.text))]) + (isLast ? [.speechIsWhole] : [])
        }
        let isWaiting = waiting.contains { $0.call == flow.call }
        waiting += more
        let isNews = !more.isEmpty || isLast && offer != nil
        return isNews && !isWaiting ? [report(.answerWaits(call: flow.call))] : []
    }

    /// The waiting sentences of this answer are no longer wanted.
    mutating func withdraw(_ call: String) -> [LocalEffect] {
        waiting.removeAll { $0.call == call }
        guard flow?.call == call else { return [report(.answerPlaced(call: call)), .answered] }
        let wasOpen = speech?.isOpen == true
        flow = nil
        return [report(.answerPlaced(call: call))] + (wasOpen ? endSpeech() : [])
    }

    // MARK: What waits

    mutating func tell(_ sentences: [LocalSentence], from source: SpeechSource) -> [LocalEffect] {
        let size = (waiting + sentences).reduce(0) { $0 + $1.text.utf8.count }
        guard size <= Self.mostWaiting else { return [report(.dropped(source))] }
        waiting += sentences
        return []
    }

    /// Takes the waiting sentences, or only those of the answer being written. That answer comes last, as it continues.
    private mutating func takeWaiting(onlyFlow: Bool = false) -> [LocalSentence] {
        let flowing = waiting.filter { $0.call != nil && $0.call == flow?.call }
        let others = waiting.filter { $0.call == nil || $0.call != flow?.call }
        waiting = onlyFlow ? others : []
        return onlyFlow ? flowing : others + flowing
    }

    /// Speaks the waiting sentences; makes a response without speech if there are none.
    mutating func tellWaiting(request: String?) -> [LocalEffect] {
        guard let speech, !speech.isOpen, let last, last.isBegun, !last.isCut else { return tellAll(request: request) }
        // Requested twice, because the user spoke meanwhile: sentences not begun by the running response belong to this one.
        waiting = last.sentences[last.ledger.begun...].filter { $0.call != nil } + waiting
        let effects = endSpeech()
        interrupted = nil
        self.last = Answer(ledger: AnswerLedger(Array(last.sentences.prefix(last.ledger.begun))))
        return effects + tellAll(request: request)
    }

    private mutating func tellAll(request: String?) -> [LocalEffect] {
        // The answer was cut before its first word, perhaps by a cough.
        if waiting.isEmpty, flow?.isCut == true, let effects = goOn(request: request) { return effects }
        let told = takeWaiting()
        let flows = flow.map { flow in told.contains { $0.call == flow.call } } ?? false
        if flows { flow?.isCut = false }
        let offered = flows ? nil : takeOffer()
        guard !told.isEmpty else { return offered.map { call($0, request: request) } ?? silent(request: request) }
        var answer = Answer()
        // The rest of an answer whose beginning was spoken: "again" says all of it.
        if speech == nil, let last, told.contains(where: { last.answers($0.call) }) { answer = last }
        answer.ledger.said(first: answer.sentences.count)
        answer.ledger.add(told)
        return speak(answer, request: request, behind: offered)
    }

    /// Notes that the sentence of a part, and all that follow, were not heard.
    mutating func wasCut(_ item: String, _ part: Int, _ heard: Int, _ received: Int) {
        guard var answer = last, answer.item == item, heard < received else { return }
        let place = answer.first + part
        answer.ledger.cut(at: answer.isCut ? min(place, answer.ledger.said) : place)
        answer.isCut = true
        last = answer
        interrupted = answer
    }

    /// Notes that nothing of an item was heard. If no sound of it was received either, the end of its response makes it wait again.
    mutating func wasUnheard(_ item: String) {
        if last?.isBegun == true { wasCut(item, 0, 0, 1) }
    }

    // MARK: Speech

    mutating func sentenceBegan(_ index: Int) -> [LocalEffect] {
        guard let speech, speech.sentences.indices.contains(index) else { return [] }
        if let last, !last.isCut { self.last?.ledger.began(last.first + index) }
        let text = speech.sentences[index]
        return [report(.said(response: speech.response, item: speech.item, part: index, text: text, isWhole: true))]
            + answerSaid(index, of: speech, isEnded: false)
    }

    mutating func sentenceEnded(_ index: Int) -> [LocalEffect] {
        guard let speech, speech.sentences.indices.contains(index) else { return [] }
        if let last, !last.isCut { self.last?.ledger.ended(last.first + index) }
        return answerSaid(index, of: speech, isEnded: true)
    }

    /// Reports how much of an answer is said, if the sentence belongs to one.
    private func answerSaid(_ index: Int, of speech: LocalSpeech, isEnded: Bool) -> [LocalEffect] {
        guard let last, let sentence = last.sentences.dropFirst(last.first + index).first,
            let call = sentence.call, let number = sentence.number
        else { return [] }
        let isWhole = isEnded && !sentence.continues
        return [report(.answerSaid(call: call, response: speech.response, sentence: number, isWhole: isWhole))]
    }

    /// All sentences received so far were played: later ones get a response of their own.
    mutating func starved() -> [LocalEffect] {
        guard speech?.isOpen == true else { return [] }
        return [.speechIsWhole] + ended(.completed) + [.answered]
    }

    /// Makes a response without speech.
    mutating func silent(request: String? = nil) -> [LocalEffect] {
        let response = name("response")
        return [
            report(.responseBegan(response: response, request: request)),
            report(.responseEnded(ResponseEnd(response: response, status: .completed))), .answered,
        ] + waits()
    }

    /// - Parameter reminds: whether it only reminds the user of the agent's open question.
    mutating func say(_ text: String, request: String? = nil, reminds: Bool = false) -> [LocalEffect] {
        let sentences = LocalSentence.split(text)
        guard !sentences.isEmpty else { return silent(request: request) }
        return speak(sentences, request: request, reminds: reminds)
    }

    private mutating func speak(
        _ sentences: [LocalSentence],
        request: String?,
        reminds: Bool = false
    ) -> [LocalEffect] {
        speak(Answer(ledger: AnswerLedger(sentences)), request: request, reminds: reminds)
    }

    /// Speaks an answer from its mark on.
    private mutating func speak(
        _ answer: Answer,
        request: String?,
        reminds: Bool = false,
        behind call: FunctionCall? = nil
    ) -> [LocalEffect] {
        // One response at a time; the conversation does not request two.
        var effects = endSpeech()
        let made = LocalSpeech(
            response: name("response"), item: name("item"), sentences: answer.ledger.unsaid.map(\.text),
            isOpen: answer.answers(flow?.call)
        )
        last = Answer(item: made.item, first: answer.ledger.said, ledger: answer.ledger)
        speech = made
        callBehind = call
        effects.append(report(.responseBegan(response: made.response, request: request)))
        if reminds { effects.append(report(.reminds(response: made.response))) }
        return effects + [report(.speaks(response: made.response, item: made.item)), .speak(made)]
    }

    /// Stops speaking.
    private mutating func endSpeech() -> [LocalEffect] { speech == nil ? [] : [.stopSpeaking] + ended(.cancelled) }

    mutating func ended(_ status: ResponseEnd.Status, _ reason: String? = nil) -> [LocalEffect] {
        guard let speech else { return [] }
        self.speech = nil
        var effects: [LocalEffect] = []
        if let call = callBehind, status == .completed {
            effects.append(report(.call(response: speech.response, call: call, isComplete: true)))
        }
        callBehind = nil
        if status == .cancelled, let last, !last.isCut {
            if last.isBegun {
                // Sentences not received were not heard either; `truncate` follows for those received.
                interrupted = last
                interrupted?.ledger.said(first: last.ledger.begun)
            } else {
                waitAgain(last)
            }
        }
        effects.append(report(.audioEnded(response: speech.response, item: speech.item)))
        effects.append(
            report(.responseEnded(ResponseEnd(response: speech.response, status: status, reason: reason)))
        )
        if status != .completed { effects.append(.answered) }
        return effects + waits()
    }

    /// The speech was cut before its first word, by a cough or an order: the answers in it wait again.
    private mutating func waitAgain(_ cut: Answer) {
        if cut.answers(flow?.call) { flow?.isCut = false }
        waiting = cut.ledger.unsaid.filter { $0.call != nil } + waiting
        let before = Array(cut.sentences.prefix(cut.first))
        last = before.isEmpty ? nil : Answer(ledger: AnswerLedger(before))
    }

    /// Reports again which answers wait: the conversation assumes that any response that has ended spoke all of them.
    private func waits() -> [LocalEffect] {
        var calls: [String] = []
        for call in waiting.compactMap(\.call) where !calls.contains(call) { calls.append(call) }
        return calls.map { report(.answerWaits(call: $0)) }
    }
}
