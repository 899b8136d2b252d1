/// The tool calls of a conversation: each registered once, answered once, and delivered in the order of the requests.
///
///     begin --> answer --> takeDeliverable --> settle
///                              ^-- reopen --'
///
/// A delivered answer is kept until it has been spoken about: if its session ends before, it is delivered again. If the
/// service reports how much of it is said, only the rest is delivered.
package struct PendingCalls: Equatable, Sendable {
    package struct Call: Equatable, Sendable {
        /// The call, under an id unique here.
        package var call: FunctionCall
        /// The service's id for it.
        package var wireID: String
        /// Passed on to a later session, under an id assigned here.
        package var isRepeated = false
        package var responseID: String
        /// The voice session of the call; a later session does not know its id.
        package var session: Int
        /// The user's turn of the call.
        package var turn: Int
        package var output: ToolResult?
        /// How much of the output was said.
        fileprivate var ledger = AnswerLedger<String>()
        /// The service has an output for now; the answer is passed on as that of another call.
        package var isPutOff = false
        /// False while more of the output is to come.
        package var isWhole = true
        /// Whether an earlier session has spoken the beginning of the answer.
        fileprivate var isRest = false
        /// Sessions in a row that were lost after they received the answer, and before they said any of it.
        fileprivate var losses = 0
        /// Nil while the output is not delivered to the current session.
        fileprivate var delivery: Delivery?

        package var wantsReply: Bool { output?.wantsReply ?? true }
        fileprivate var isOpen: Bool { delivery == nil }
        /// The response that made the call.
        fileprivate var source: String { "\(session) \(responseID)" }
        fileprivate var isOwed: Bool { delivery?.isOwed == true }
    }

    /// An output that the service has.
    fileprivate struct Delivery: Equatable, Sendable {
        /// Delivered while it was still being written.
        var isInParts: Bool
        /// The service has the last part.
        var isPlaced: Bool
        /// A response has to speak about it.
        var isOwed: Bool
        var speech = Speech.none
    }

    /// How far a delivered output was spoken, if the service reports it.
    fileprivate enum Speech: Equatable, Sendable {
        case none
        /// This response speaks it, or did last.
        case spoken(by: String)
        /// That response ended early: unless the user asks for the rest, it is unwanted.
        case cut(String)
        /// The user has asked for the rest, and this response speaks it.
        case resumed(by: String)

        var response: String? {
            switch self {
            case .none: nil
            case .spoken(let response), .cut(let response), .resumed(let response): response
            }
        }

        var isCut: Bool { if case .cut = self { true } else { false } }
        var isResumed: Bool { if case .resumed = self { true } else { false } }
    }

    /// The calls, oldest first.
    private var calls: [Call] = []
    /// The latest calls that seem to be spoken to their ends; the service may still report that one of them waits.
    private var over: [Call] = []
    private static let mostOver = 16
    /// A call as named by a service, which may count ids anew in each session or in each response.
    private struct Name: Equatable {
        var callID: String
        var responseID: String
        var session: Int
    }

    /// The latest calls seen: the same call is announced up to three times.
    private var seen: [Name] = []
    /// The latest ids assigned here.
    private var given: [String] = []
    private var renamed = 0
    private var excluded: [String] = []
    private static let remembered = 256

    /// Calls without a delivered output, oldest first.
    package var open: [Call] { calls.filter(\.isOpen) }
    /// Calls whose output is delivered and not yet spoken about.
    package var unspoken: [Call] { calls.filter(\.isOwed) }

    /// Whether any call is still waiting for its answer, or for the rest of it.
    package var isWaiting: Bool {
        calls.contains { $0.delivery.map { !$0.isPlaced } ?? ($0.output == nil || !$0.isWhole) }
    }

    package func isWaiting(callID: String) -> Bool {
        calls.contains { $0.isOpen && $0.call.callID == callID && $0.output == nil }
    }

    /// Whether a call of this response was seen.
    package func knows(responseID: String, session: Int) -> Bool {
        seen.contains { $0.responseID == responseID && $0.session == session }
    }

    /// The turn of a call without a delivered output.
    package func turn(of callID: String) -> Int? { calls.first { $0.isOpen && $0.call.callID == callID }?.turn }

    /// Puts off the calls of a session that have no output.
    /// - Returns: the service's ids of those not put off before.
    package mutating func putOff(in session: Int) -> [String] {
        calls.indices.filter { calls[$0].isOpen && calls[$0].session == session && !calls[$0].isPutOff }.map {
            calls[$0].isPutOff = true
            return calls[$0].wireID
        }
    }

    /// Whether an answer is ready for delivery.
    package func hasDeliverable(in session: Int, oneByOne: Bool = false) -> Bool {
        var rest = self
        return !rest.takeDeliverable(in: session, oneByOne: oneByOne).isEmpty
    }

    package func contains(responseID: String, session: Int) -> Bool {
        calls.contains { $0.isOpen && $0.responseID == responseID && $0.session == session }
    }

    /// Whether an answer to be spoken about belongs to an earlier turn than `turn`.
    package func isLate(at turn: Int) -> Bool {
        calls.contains { $0.isOwed && $0.turn < turn }
    }

    /// - Returns: the call to make, under a unique id; nil if it is already known.
    package mutating func begin(
        _ call: FunctionCall,
        responseID: String,
        session: Int,
        turn: Int
    ) -> FunctionCall? {
        guard note(call.callID, responseID: responseID, session: session) else { return nil }
        var own = call
        if given.contains(call.callID) {
            renamed += 1
            own.callID += "~\(renamed)"
        }
        // The user asks for something else.
        if ToolRounds.asks(call) { forgetCut() }
        given.append(own.callID)
        if given.count > Self.remembered { given.removeFirst() }
        calls.append(Call(call: own, wireID: call.callID, responseID: responseID, session: session, turn: turn))
        return own
    }

    /// Excludes an id assigned here: a response that names it is not making a call.
    package mutating func exclude(_ callID: String) {
        excluded.append(callID)
        if excluded.count > Self.remembered { excluded.removeFirst() }
    }

    package func knows(_ callID: String, responseID: String, session: Int) -> Bool {
        excluded.contains(callID) || seen.contains(Name(callID: callID, responseID: responseID, session: session))
    }

    /// The ids assigned here of calls delivered to this session under the service's id.
    package func delivered(wireID: String, session: Int) -> [String] {
        unspoken.filter { $0.wireID == wireID && ($0.session == session || $0.isRepeated) }.map(\.call.callID)
    }

    /// Remembers a call that is not made, so that it is refused only once.
    /// - Returns: false if the call is already known.
    package mutating func note(_ callID: String, responseID: String, session: Int) -> Bool {
        guard !knows(callID, responseID: responseID, session: session) else { return false }
        seen.append(Name(callID: callID, responseID: responseID, session: session))
        if seen.count > Self.remembered { seen.removeFirst(seen.count - Self.remembered) }
        return true
    }

    /// - Returns: false if the call is not open or already has its answer.
    package mutating func answer(callID: String, _ output: ToolResult, isWhole: Bool = true) -> Bool {
        guard let index = calls.firstIndex(where: { $0.isOpen && $0.call.callID == callID && $0.output == nil }) else {
            return false
        }
        guard !(calls[index].isRest && output.isEmpty) else {
            // All of the answer was said before its session ended.
            if isWhole { calls.remove(at: index) }
            return true
        }
        calls[index].output = output
        calls[index].ledger = AnswerLedger(output.sentences)
        calls[index].isWhole = isWhole
        return true
    }

    /// Appends to a partial output.
    ///
    /// - Returns: the service's id of the call, if its output was delivered to the current session.
    package mutating func goOn(callID: String, with part: ToolResult, isLast: Bool) -> String? {
        guard let index = calls.firstIndex(where: { $0.call.callID == callID && !$0.isWhole }) else { return nil }
        calls[index].isWhole = isLast
        guard !part.isEmpty else { return calls[index].isOpen ? nil : calls[index].wireID }
        if calls[index].output?.add(part) == nil { calls[index].output = part }
        calls[index].ledger.add(part.sentences)
        return calls[index].isOpen ? nil : calls[index].wireID
    }

    /// The service has the last part of an output.
    package mutating func placed(wireID: String) {
        change { call, delivery in
            if delivery.isInParts, call.isWhole, call.wireID == wireID { delivery.isPlaced = true }
        }
    }

    /// The response has begun to speak a sentence of an output, or has spoken all of it: it resumes all outputs cut with it.
    package mutating func said(wireID: String, by response: String, sentence: Int, isWhole: Bool) {
        var resumed = Speech.none
        change { call, delivery in
            guard call.wireID == wireID else { return }
            if isWhole { call.ledger.ended(sentence) } else { call.ledger.began(sentence) }
            switch delivery.speech {
            case .none, .spoken: delivery.speech = .spoken(by: response)
            case .cut: resumed = delivery.speech
            case .resumed: delivery.speech = .resumed(by: response)
            }
        }
        guard resumed.isCut else { return }
        change { if $1.speech == resumed { $1.speech = .resumed(by: response) } }
    }

    /// A model has said the first `count` sentences of an output.
    package mutating func said(_ callID: String, first count: Int) {
        for index in calls.indices where calls[index].call.callID == callID { calls[index].ledger.said(first: count) }
    }

    /// The response has said everything that it had to say.
    package mutating func completed(_ response: String) {
        change { if $1.speech == .resumed(by: response) { $1.speech = .spoken(by: response) } }
    }

    /// The response, which was to speak of these calls, ended early: unless the user asks for the rest, it is unwanted.
    /// An output that was cut before is given up.
    package mutating func cut(_ response: String, telling callIDs: Set<String>) {
        let isTold = { (call: Call) in
            call.delivery.map { $0.speech.response == response || callIDs.contains(call.call.callID) } ?? false
        }
        guard calls.contains(where: isTold) else { return }
        forgetCut()
        change { if isTold($0) { $1.speech = .cut(response) } }
    }

    /// Forgets the calls whose answers were cut and not resumed.
    private mutating func forgetCut() {
        calls.removeAll { !$0.isOwed && $0.delivery?.speech.isCut == true && $0.delivery?.isPlaced == true }
    }

    /// Another response has to speak the rest of an answer.
    ///
    /// - Returns: the id assigned here; nil if no such answer is known.
    package mutating func waits(wireID: String) -> String? {
        let isMeant = { (call: Call) in !call.isOpen && call.wireID == wireID }
        if !calls.contains(where: isMeant), let index = over.lastIndex(where: isMeant) {
            calls.append(over.remove(at: index))
        }
        guard let index = calls.firstIndex(where: isMeant) else { return nil }
        calls[index].delivery?.isOwed = true
        if case .cut(let response)? = calls[index].delivery?.speech {
            calls[index].delivery?.speech = .spoken(by: response)
        }
        return calls[index].call.callID
    }

    /// Takes the answered calls that may be delivered; none overtakes an earlier call of its response. A
    /// partial output goes only to the session that made the call and waits for it.
    ///
    /// - Parameter oneByOne: an answer is taken only when those to calls of other responses have been spoken about: of two
    ///   answers, a model may speak about one.
    package mutating func takeDeliverable(in session: Int, oneByOne: Bool = false) -> [Call] {
        var held: Set<String> = []
        var taken: [Call] = []
        var told = oneByOne ? calls.first(where: \.isOwed)?.source : nil
        for index in calls.indices where calls[index].isOpen {
            let call = calls[index]
            let response = call.source
            let isSame = call.session == session && !call.isPutOff
            let isNext = !oneByOne || !call.wantsReply || told == nil || told == response
            guard call.output != nil, call.isWhole || isSame, isNext, !held.contains(response) else {
                held.insert(response)
                continue
            }
            if oneByOne, call.wantsReply { told = response }
            taken.append(call)
            calls[index].delivery = Delivery(
                isInParts: !call.isWhole, isPlaced: call.isWhole, isOwed: call.wantsReply
            )
        }
        // A whole answer without a reply needs nothing more.
        calls.removeAll { call in call.delivery.map { !$0.isInParts && !call.wantsReply } ?? false }
        return taken
    }

    /// A delivered answer was passed on to a later session under another id.
    package mutating func repeated(_ callID: String, as newID: String) {
        for index in calls.indices where calls[index].isOwed && calls[index].call.callID == callID {
            calls[index].call.callID = newID
            calls[index].wireID = newID
            calls[index].isRepeated = true
        }
    }

    /// Drops all but these: the others have been spoken about, or never will be.
    package mutating func settle(allBut callIDs: Set<String>) {
        change { if !callIDs.contains($0.call.callID) { $1.isOwed = false } }
        let isOver = { (call: Call) in
            call.delivery.map { !$0.isOwed && $0.isPlaced && !$0.speech.isCut && !$0.speech.isResumed } ?? false
        }
        over = (over + calls.filter(isOver)).suffix(Self.mostOver)
        calls.removeAll(where: isOver)
    }

    /// Withdraws the calls: those of the session to keep get this output, which is not spoken about; all others get none.
    ///
    /// - Returns: the ids of the calls whose output was delivered to that session, in part or as a whole, and not spoken to its
    ///   end.
    @discardableResult
    package mutating func withdraw(keeping session: Int?, output: ToolResult) -> (inPart: [String], whole: [String]) {
        let inPart = calls.filter { $0.delivery?.isInParts == true && $0.session == session }.map(\.wireID)
        let whole = unspoken.filter { ($0.session == session || $0.isRepeated) && !inPart.contains($0.wireID) }
        calls.removeAll { !$0.isOpen || $0.session != session }
        over = []
        for index in calls.indices {
            calls[index].output = output
            calls[index].isWhole = true
        }
        return (inPart, whole.map(\.wireID))
    }

    /// How many sessions in a row may be lost after they received an answer: the answer may be the reason.
    private static let mostLosses = 2

    /// The session is over: outputs that it received and did not speak about are delivered again. Further parts are appended.
    ///
    /// - Returns: the answers that are not delivered again, because two sessions in a row were lost over them.
    package mutating func reopen() -> [ToolResult] {
        (calls, over) = (calls.compactMap(\.rest), [])
        defer { calls.removeAll { $0.losses >= Self.mostLosses } }
        return calls.filter { $0.losses >= Self.mostLosses }.compactMap(\.output)
    }

    /// The conversation is over: no one waits for these calls.
    package mutating func abandon() { (calls, over) = ([], []) }

    /// Changes the delivered calls.
    private mutating func change(_ body: (inout Call, inout Delivery) -> Void) {
        for index in calls.indices {
            guard var delivery = calls[index].delivery else { continue }
            body(&calls[index], &delivery)
            calls[index].delivery = delivery
        }
    }
}

extension PendingCalls.Call {
    /// The call with the part of its output that the session has not said; nil if there is none.
    fileprivate var rest: Self? {
        guard let delivery else { return self }
        let speech = delivery.speech
        guard !speech.isCut, delivery.isOwed || delivery.isInParts || speech.isResumed else { return nil }
        var rest = self
        rest.delivery = nil
        guard ledger.begun > 0 else {
            rest.losses += 1
            return rest
        }
        guard !ledger.isSaid || !isWhole else { return nil }
        (rest.isRest, rest.losses) = (true, 0)
        rest.ledger = AnswerLedger(ledger.unsaid)
        rest.output = ledger.isSaid ? nil : output?.with(unsaid: ledger.unsaid)
        return rest
    }
}

/// Calls with complete arguments that were not reported as complete: some services leave that to the end of the response.
struct WrittenCalls: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var responseID: String
        var itemID: String
        var call: FunctionCall
        var isWritten = false
    }

    /// Maximum number kept; beyond it the oldest is dropped.
    private static let most = 32
    private var entries: [Entry] = []

    /// An item begins; `call` is its known part, usually without arguments.
    mutating func begun(_ call: FunctionCall, itemID: String, of responseID: String) {
        entries.append(Entry(responseID: responseID, itemID: itemID, call: call))
        if entries.count > Self.most { entries.removeFirst() }
    }

    /// Its arguments are complete; fields left empty keep their initial values.
    mutating func ended(_ call: FunctionCall, itemID: String, of responseID: String) {
        let known = entries.firstIndex { $0.responseID == responseID && $0.itemID == itemID }
        let index = known ?? entries.count
        if known == nil { begun(call, itemID: itemID, of: responseID) }
        guard entries.indices.contains(index) else { return }
        entries[index].call.arguments = call.arguments
        if !call.name.isEmpty { entries[index].call.name = call.name }
        if !call.callID.isEmpty { entries[index].call.callID = call.callID }
        entries[index].isWritten = true
    }

    /// The response is over: returns its complete calls, in order.
    mutating func dequeue(_ responseID: String) -> [FunctionCall] {
        defer { entries.removeAll { $0.responseID == responseID } }
        return entries.filter { $0.responseID == responseID && $0.isWritten && !$0.call.callID.isEmpty }.map(\.call)
    }
}
