/// The tool calls of a conversation: each registered once, answered once, and delivered in the order of the requests.
///
///     begin --> answer --> takeDeliverable --> settle
///                              ^-- reopen --'
///
/// A delivered answer is kept until it has been spoken about: if its session ends before, it is delivered again. If the service
/// reports how much of it is said, only the rest is.
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
        /// The service has an output for now; the answer is passed on as that of another call.
        package var isPutOff = false
        /// False while more of the output is to come.
        package var isWhole = true
        /// Whether an earlier session has spoken the beginning of the answer.
        fileprivate var isRest = false
        /// What the service has not yet said of a whole output; nil if it has not begun, or does not report it.
        fileprivate var unsaid: ToolResult?

        package var wantsReply: Bool { output?.wantsReply ?? true }
    }

    /// An answer whose output is delivered to the current session in parts.
    private struct Flow: Equatable, Sendable {
        var call: Call
        /// The parts delivered; how many of them the service has begun to speak, and what it has not yet spoken of the last of
        /// those.
        var parts: [ToolResult]
        var begun = 0
        var unsaid = ToolResult(.answer(""))
        /// The service has the last part.
        var isPlaced = false
        /// The response that speaks it, or did last; whether that ended early; whether the user asked to go on.
        var response = ""
        var isCut = false
        var isResumed = false

        /// The call with what is left to say; nil if nothing will be.
        var rest: Call? {
            let isSaid = call.isWhole && begun >= parts.count && unsaid.isEmpty
            guard !isCut, !isSaid else { return nil }
            var rest = call
            let left = ([unsaid] + parts.dropFirst(begun)).filter { !$0.isEmpty }
            rest.output = left.first
            for part in left.dropFirst() { rest.output?.add(part) }
            rest.isRest = begun > 0
            return rest
        }
    }

    /// Calls without a delivered output, oldest first.
    package private(set) var open: [Call] = []
    /// Calls whose output is delivered and not yet spoken about.
    package private(set) var unspoken: [Call] = []
    /// Answers in parts that are not spoken to their end; all of the current session.
    private var flowing: [Flow] = []
    /// The latest that seem to be spoken to their ends; the service may still report that some of them waits.
    private var ended: [Flow] = []
    /// The latest whole answers that seem to be spoken; the service may still report that they wait.
    private var told: [Call] = []
    private static let mostTold = 8
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

    package init() {}

    /// Whether any call is still waiting for its answer, or for the rest of it.
    package var isWaiting: Bool {
        flowing.contains { !$0.isPlaced } || open.contains { $0.output == nil || !$0.isWhole }
    }

    package func isWaiting(callID: String) -> Bool {
        open.contains { $0.call.callID == callID && $0.output == nil }
    }

    /// Whether a call of this response was seen.
    package func knows(responseID: String, session: Int) -> Bool {
        seen.contains { $0.responseID == responseID && $0.session == session }
    }

    /// The turn of a call without a delivered output.
    package func turn(of callID: String) -> Int? { open.first { $0.call.callID == callID }?.turn }

    /// Puts off the calls of a session that have no output.
    /// - Returns: the service's ids of those not put off before.
    package mutating func putOff(in session: Int) -> [String] {
        open.indices.filter { open[$0].session == session && !open[$0].isPutOff }.map {
            open[$0].isPutOff = true
            return open[$0].wireID
        }
    }

    /// Whether an answer is ready for delivery.
    package func hasDeliverable(in session: Int) -> Bool {
        var rest = self
        return !rest.takeDeliverable(in: session).isEmpty
    }

    package func contains(responseID: String, session: Int) -> Bool {
        open.contains { $0.responseID == responseID && $0.session == session }
    }

    /// Whether an answer to be spoken about belongs to an earlier turn than `turn`.
    package func isLate(at turn: Int) -> Bool {
        unspoken.contains { $0.turn < turn }
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
        // Another request: nobody goes on with what was cut.
        flowing.removeAll { $0.isCut && $0.isPlaced }
        given.append(own.callID)
        if given.count > Self.remembered { given.removeFirst() }
        open.append(Call(call: own, wireID: call.callID, responseID: responseID, session: session, turn: turn))
        return own
    }

    /// Excludes an id assigned here: whoever names it is not making a call.
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
        guard let index = open.firstIndex(where: { $0.call.callID == callID && $0.output == nil }) else {
            return false
        }
        guard !(open[index].isRest && output.isEmpty) else {
            // All of the answer was said before its session ended.
            if isWhole { open.remove(at: index) }
            return true
        }
        open[index].output = output
        open[index].isWhole = isWhole
        return true
    }

    /// Appends to a partial output.
    ///
    /// - Returns: the service's id of the call, if its output was delivered to the current session.
    package mutating func goOn(callID: String, with part: ToolResult, isLast: Bool) -> String? {
        if let index = open.firstIndex(where: { $0.call.callID == callID && !$0.isWhole }) {
            open[index].add(part, isLast: isLast)
            return nil
        }
        guard let index = flowing.firstIndex(where: { $0.call.call.callID == callID && !$0.call.isWhole }) else {
            return nil
        }
        if !part.isEmpty { flowing[index].parts.append(part) }
        flowing[index].call.isWhole = isLast
        return flowing[index].call.wireID
    }

    /// The service has the last part of an output.
    package mutating func placed(wireID: String) {
        for index in flowing.indices where flowing[index].call.isWhole && flowing[index].call.wireID == wireID {
            flowing[index].isPlaced = true
        }
    }

    /// The service has begun to speak this many parts of an output.
    ///
    /// - Parameter unsaid: what follows in the last of them.
    package mutating func said(wireID: String, by response: String, parts: Int, unsaid: String) {
        let unsaid = ToolResult(.answer(unsaid))
        for index in flowing.indices where flowing[index].call.wireID == wireID {
            flowing[index].response = response
            flowing[index].begun = min(parts, flowing[index].parts.count)
            flowing[index].unsaid = unsaid
            if flowing[index].isCut { flowing[index].isResumed = true }
            flowing[index].isCut = false
        }
        for index in unspoken.indices where unspoken[index].wireID == wireID { unspoken[index].unsaid = unsaid }
    }

    /// Of a whole output, only this is left to say.
    package mutating func said(_ callID: String, unsaid: ToolResult) {
        for index in unspoken.indices where unspoken[index].call.callID == callID { unspoken[index].unsaid = unsaid }
    }

    /// The response has said all that it had.
    package mutating func completed(_ response: String) {
        for index in flowing.indices where flowing[index].response == response { flowing[index].isResumed = false }
    }

    /// The response, which was to speak of these calls, ended early: unless the user asks for the rest, nobody wants it.
    package mutating func cut(_ response: String, telling callIDs: Set<String>) {
        for index in flowing.indices {
            let flow = flowing[index]
            if flow.response == response || callIDs.contains(flow.call.call.callID) { flowing[index].isCut = true }
        }
    }

    /// Another response has to speak the rest of an answer.
    ///
    /// - Returns: the id assigned here; nil if no such answer is known.
    package mutating func waits(wireID: String) -> String? {
        if let index = ended.lastIndex(where: { $0.call.wireID == wireID }) {
            flowing.append(ended.remove(at: index))
        }
        if let index = told.lastIndex(where: { $0.wireID == wireID }) { unspoken.append(told.remove(at: index)) }
        guard let flow = flowing.first(where: { $0.call.wireID == wireID }) else {
            return unspoken.first { $0.wireID == wireID }?.call.callID
        }
        let callID = flow.call.call.callID
        if !unspoken.contains(where: { $0.call.callID == callID }) { unspoken.append(flow.call) }
        return callID
    }

    /// Takes the answered calls that may be delivered; none overtakes an earlier call of its response. A
    /// partial output goes only to the session that made the call.
    package mutating func takeDeliverable(in session: Int) -> [Call] {
        var held: Set<String> = []
        var taken: [Call] = []
        open.removeAll { call in
            let response = "\(call.session) \(call.responseID)"
            guard call.output != nil, call.isWhole || call.session == session, !held.contains(response) else {
                held.insert(response)
                return false
            }
            taken.append(call)
            return true
        }
        unspoken += taken.filter(\.wantsReply)
        flowing += taken.filter { !$0.isWhole }.map { Flow(call: $0, parts: $0.output.map { [$0] } ?? []) }
        return taken
    }

    /// A delivered answer was passed on to a later session under another id.
    package mutating func repeated(_ callID: String, as newID: String) {
        for index in unspoken.indices where unspoken[index].call.callID == callID {
            unspoken[index].call.callID = newID
            unspoken[index].wireID = newID
            unspoken[index].isRepeated = true
        }
    }

    /// Drops all but these: the others have been spoken about, or never will be.
    package mutating func settle(allBut callIDs: Set<String>) {
        let isTold = { (call: Call) in !callIDs.contains(call.call.callID) }
        told = (told + unspoken.filter { isTold($0) && $0.isWhole }).suffix(Self.mostTold)
        unspoken.removeAll(where: isTold)
        let isOver = { (flow: Flow) in
            flow.isPlaced && !flow.isCut && !flow.isResumed && !callIDs.contains(flow.call.call.callID)
        }
        ended = (ended + flowing.filter(isOver)).suffix(Self.mostTold)
        flowing.removeAll(where: isOver)
    }

    /// Withdraws the calls: those of the session to keep get this output, which is not spoken about; all others get none.
    ///
    /// - Returns: the ids of the calls whose output was delivered to that session, in part or as a whole, and not spoken to its
    ///   end.
    @discardableResult
    package mutating func withdraw(keeping session: Int?, output: ToolResult) -> (inPart: [String], whole: [String]) {
        let inPart = flowing.filter { $0.call.session == session }.map(\.call.wireID)
        let whole = unspoken.filter { ($0.session == session || $0.isRepeated) && !inPart.contains($0.wireID) }
        flowing = []
        ended = []
        told = []
        open.removeAll { $0.session != session }
        for index in open.indices {
            open[index].output = output
            open[index].isWhole = true
        }
        unspoken = []
        return (inPart, whole.map(\.wireID))
    }

    /// The session is over: what it received and did not speak about has to be delivered again.
    package mutating func reopen() {
        let flows = flowing
        // Their further parts are appended to the reopened calls.
        flowing = []
        ended = []
        told = []
        let isInParts = { (call: Call) in flows.contains { $0.call.call.callID == call.call.callID } }
        open = unspoken.filter { !isInParts($0) }.compactMap(\.rest) + flows.compactMap(\.rest) + open
        unspoken = []
    }

    /// The conversation is over: nobody waits for these calls any more.
    package mutating func abandon() {
        open = []
        unspoken = []
        flowing = []
        ended = []
        told = []
    }
}

extension PendingCalls.Call {
    /// The call with what is left to say of a whole output; nil if nothing is.
    fileprivate var rest: Self? {
        guard let unsaid else { return self }
        guard !unsaid.isEmpty else { return nil }
        var rest = self
        (rest.output, rest.isRest, rest.unsaid) = (unsaid, true, nil)
        return rest
    }

    fileprivate mutating func add(_ part: ToolResult, isLast: Bool) {
        if output == nil, !part.isEmpty { output = part } else { output?.add(part) }
        isWhole = isLast
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
