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

/// The responses of the local voice, one at a time: what is spoken, what waits, and what the user has cut.
///
///     tell, begin --> waiting --> spoken --> last
///                        ^           | cut by the user
///                        |           v
///                        |      interrupted --> goOn
///                        +-- cut before its first word
struct LocalResponses: Sendable {
    /// The last answer, for "again" and "go on".
    private struct Answer: Equatable {
        var item: String
        var sentences: [LocalSentence]
        /// Index of the item's first sentence.
        var first = 0
        /// Index of the sentence that was cut.
        var cutAt: Int?
        /// The user has asked something else, or has said "stop": it is not continued, whatever is reported of it later.
        var isOver = false
        /// More of it is still being written.
        var flows = false
    }

    /// An answer that is spoken while it is being written. Its spoken sentences are in `last`, and in `interrupted` once it
    /// was cut.
    private struct Flow: Equatable {
        var call: String
        /// Sentences not yet spoken by any response.
        var waiting: [LocalSentence] = []
        /// Number of sentences received.
        private(set) var count = 0
        /// It is complete.
        var isWhole = false
        /// The user interrupted it: what follows is kept for "go on".
        var isCut = false

        init(call: String, waiting: [LocalSentence]) {
            (self.call, self.waiting) = (call, waiting)
            received(waiting)
        }

        mutating func received(_ more: [LocalSentence]) {
            if let number = more.last(where: { $0.number != nil })?.number { count = number + 1 }
        }
    }

    /// Prefix of every name.
    private let session: String
    private var number = 0
    private var speech: LocalSpeech?
    /// Number of sentences of the current speech whose audio has begun to arrive.
    private var begun = 0
    /// Issued once the current speech has been received.
    private var callBehind: FunctionCall?
    private var last: Answer?
    private var interrupted: Answer?
    private var flow: Flow?
    private var toSay: [LocalSentence] = []
    /// Arguments of the call that plays what the answer named, if the user wants to hear it: made behind the answer.
    var offer: JSONValue?

    /// Maximum amount of text waiting to be spoken, in bytes.
    private static let mostToSay = 64 << 10

    init(session: String) { self.session = session }

    private mutating func name(_ kind: String) -> String {
        number += 1
        return "\(session)-\(kind)-\(number)"
    }

    private func report(_ report: ServiceReport) -> LocalEffect { .report(.service(report)) }

    /// The sentence at which the user cut the answer that waits to be continued.
    var cutSentence: String? {
        guard let interrupted, let place = interrupted.cutAt else { return nil }
        return interrupted.sentences.dropFirst(place).first?.text
    }

    /// The user asks something else, or says "stop": forgets the answer that was cut, and the media it named.
    private mutating func forgetLastAnswer() {
        interrupted = nil
        offer = nil
        last?.isOver = true
    }

    private mutating func takeOffer() -> FunctionCall? {
        defer { offer = nil }
        return offer.map { makeCall("play_audio", $0) }
    }

    // MARK: The user

    /// The user begins to speak, which ends the open response.
    mutating func userBegan() -> [LocalEffect] {
        guard flow != nil, speech?.isOpen == true else { return [] }
        flow?.isCut = true
        return [.hush] + ended(.cancelled)
    }

    /// A voice that began as a turn of the user turned out to be noise.
    ///
    /// - Parameter resumes: an answer was cut for it and continues.
    mutating func noiseEnded(resumes: Bool) -> [LocalEffect] {
        var effects: [LocalEffect] = []
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
    }

    mutating func cancel(_ response: String?) -> [LocalEffect] {
        guard let speech, response == nil || response == speech.response else { return [] }
        if speech.isOpen { flow?.isCut = true }
        return [.hush] + ended(.cancelled)
    }

    /// Forgets everything that is being said, waits, or was cut.
    mutating func drop() -> [LocalEffect] {
        let effects = speech == nil ? [] : [.hush] + ended(.cancelled)
        endFlow()
        toSay = []
        forgetLastAnswer()
        return effects
    }

    /// Says the last answer once more.
    mutating func again(request: String?) -> [LocalEffect] {
        guard let last else { return say("I have not said anything yet.", request: request) }
        return speak(Answer(item: "", sentences: last.sentences.map { LocalSentence(text: $0.text) }), request: request)
    }

    /// Continues the answer that was cut, from the beginning of the sentence; nil if none was.
    mutating func goOn(request: String?) -> [LocalEffect]? {
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

    // MARK: Calls

    mutating func call(_ tool: String, _ arguments: JSONValue, request: String?) -> [LocalEffect] {
        call(makeCall(tool, arguments), request: request)
    }

    private mutating func call(_ call: FunctionCall, request: String?) -> [LocalEffect] {
        // One response at a time: what the user spoke over waits, or is left for "go on".
        var effects = speech == nil ? [] : [.hush] + ended(.cancelled)
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
    func written(of call: String) -> Int? { flow.flatMap { $0.call == call && !$0.isWhole ? $0.count : nil } }

    /// The first sentences of an answer that is still being written.
    mutating func begin(_ call: String, _ sentences: [LocalSentence]) {
        // Questions run one at a time: the previous answer is complete, or its end will never come. Its
        // unspoken sentences come first.
        if let flow, !flow.isCut { toSay += flow.waiting }
        endFlow()
        flow = Flow(call: call, waiting: sentences)
    }

    /// More of the answer that is being written.
    mutating func goOn(with more: [LocalSentence], isLast: Bool) -> [LocalEffect] {
        guard var flow else { return [] }
        flow.received(more)
        flow.isWhole = isLast
        defer { if isLast, self.flow?.waiting.isEmpty ?? true { endFlow() } }
        if flow.isCut {
            if last?.flows == true { last?.sentences += more }
            if interrupted?.flows == true { interrupted?.sentences += more }
            offer = nil
            self.flow = flow
            return []
        }
        if let open = speech, open.isOpen {
            self.flow = flow
            last?.sentences += more
            speech?.sentences += more.map(\.text)
            if isLast {
                speech?.isOpen = false
                callBehind = callBehind ?? takeOffer()
            }
            return (more.isEmpty ? [] : [.speakOn(more.map(\.text))]) + (isLast ? [.speechIsWhole] : [])
        }
        let isWaiting = !flow.waiting.isEmpty
        flow.waiting += more
        self.flow = flow
        let isNews = !more.isEmpty || isLast && offer != nil
        return isNews && !isWaiting ? [report(.answerWaits(call: flow.call))] : []
    }

    /// What waits of this answer is not wanted any more.
    mutating func withdraw(_ call: String) -> [LocalEffect] {
        guard flow?.call == call else {
            toSay.removeAll { $0.call == call }
            return [report(.answerPlaced(call: call)), .answered]
        }
        let wasOpen = speech?.isOpen == true
        endFlow()
        return [report(.answerPlaced(call: call))] + (wasOpen ? [.hush] + ended(.cancelled) : [])
    }

    private mutating func endFlow() {
        flow = nil
        last?.flows = false
        interrupted?.flows = false
    }

    // MARK: What waits

    mutating func tell(_ sentences: [LocalSentence], from source: SpeechSource) -> [LocalEffect] {
        let waiting = (toSay + sentences).reduce(0) { $0 + $1.text.utf8.count }
        guard waiting <= Self.mostToSay else { return [report(.dropped(source))] }
        toSay += sentences
        return []
    }

    /// Speaks what waits to be spoken; a response without speech if nothing does.
    mutating func tellWaiting(request: String?) -> [LocalEffect] {
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
        if let offered = takeOffer() {
            guard !told.isEmpty else { return call(offered, request: request) }
            callBehind = offered
        }
        guard !told.isEmpty else { return silent(request: request) }
        return speak(Answer(item: "", sentences: told), request: request)
    }

    /// Speaks the waiting sentences of the answer; nil if there are none.
    private mutating func respondWithFlow(_ told: [LocalSentence], _ request: String?) -> [LocalEffect]? {
        guard let waiting = flow?.waiting, !waiting.isEmpty || offer != nil && flow?.isWhole == true else {
            // It was cut before its first word, perhaps by a cough.
            return told.isEmpty && flow?.isCut == true ? goOn(request: request) : nil
        }
        let isWhole = flow?.isWhole == true
        var answer = last?.flows == true ? last ?? Answer(item: "", sentences: []) : Answer(item: "", sentences: [])
        answer.first = answer.sentences.count
        (answer.cutAt, answer.isOver) = (nil, false)
        answer.sentences += told + waiting
        answer.flows = !isWhole
        flow?.waiting = []
        flow?.isCut = false
        if isWhole { endFlow() }
        guard answer.first < answer.sentences.count else { return nil }
        if isWhole { callBehind = takeOffer() }
        return speak(answer, request: request)
    }

    /// Notes that the sentence of a part, and all that follow, were not heard.
    mutating func wasCut(_ item: String, _ part: Int, _ heard: Int, _ received: Int) {
        guard var answer = last, answer.item == item, !answer.isOver, heard < received else { return }
        let place = answer.first + part
        answer.cutAt = min(answer.cutAt ?? place, place)
        last = answer
        interrupted = answer
    }

    // MARK: Speech

    mutating func sentenceBegan(_ index: Int) -> [LocalEffect] {
        guard let speech, speech.sentences.indices.contains(index) else { return [] }
        begun = max(begun, index + 1)
        let text = speech.sentences[index]
        return [report(.said(response: speech.response, item: speech.item, part: index, text: text, isWhole: true))]
            + answerSaid(index, of: speech, isEnded: false)
    }

    mutating func sentenceEnded(_ index: Int) -> [LocalEffect] {
        guard let speech, speech.sentences.indices.contains(index) else { return [] }
        return answerSaid(index, of: speech, isEnded: true)
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

    /// All sentences received so far were played: what follows gets a response of its own.
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
            response: response, item: answer.item, sentences: answer.sentences[answer.first...].map(\.text),
            isOpen: answer.flows
        )
        speech = made
        begun = 0
        effects.append(report(.responseBegan(response: response, request: request)))
        if reminds { effects.append(report(.reminds(response: response))) }
        return effects + [report(.speaks(response: response, item: made.item)), .speak(made)]
    }

    mutating func ended(_ status: ResponseEnd.Status, _ reason: String? = nil) -> [LocalEffect] {
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
