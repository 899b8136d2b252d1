/// The tool calls of a conversation: each registered once, answered once, and delivered in the order of the requests.
///
///     begin --> answer --> takeDeliverable --> settle
///                              ^-- reopen --'
///
/// A delivered answer is kept until it has been spoken about: if its session ends before, it is delivered again.
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
        package var output: String?
        package var wantsReply = true
        /// False while more of the output is to come.
        package var isWhole = true
    }

    /// Calls without a delivered output, oldest first.
    package private(set) var open: [Call] = []
    /// Calls whose output is delivered and not yet spoken about.
    package private(set) var unspoken: [Call] = []
    /// Delivered calls with more of their output to come.
    private var flowing: [Call] = []
    /// The latest of them; it may be complete by now and not fully spoken.
    private var latestInParts: Call?
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
    package var isWaiting: Bool { !flowing.isEmpty || open.contains { $0.output == nil || !$0.isWhole } }

    package func isWaiting(callID: String) -> Bool {
        open.contains { $0.call.callID == callID && $0.output == nil }
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
    package mutating func answer(callID: String, output: String, wantsReply: Bool, isWhole: Bool = true) -> Bool {
        guard let index = open.firstIndex(where: { $0.call.callID == callID && $0.output == nil }) else {
            return false
        }
        open[index].output = output
        open[index].wantsReply = wantsReply
        open[index].isWhole = isWhole
        return true
    }

    /// Appends to a partial output.
    ///
    /// - Returns: the service's id of the call, if its output was delivered to this session.
    package mutating func goOn(callID: String, with text: String, isLast: Bool, in session: Int) -> String? {
        func isIt(_ call: Call) -> Bool { call.call.callID == callID && !call.isWhole }
        if let index = open.firstIndex(where: isIt) {
            open[index].add(text, isLast: isLast)
            return nil
        }
        if let index = unspoken.firstIndex(where: isIt) { unspoken[index].add(text, isLast: isLast) }
        guard let index = flowing.firstIndex(where: isIt) else { return nil }
        let call = flowing[index]
        // Removed once the service has it: until then more is to come.
        flowing[index].isWhole = isLast
        guard call.session != session else { return call.wireID }
        // The session that spoke the beginning is over.
        guard !text.isEmpty else {
            if isLast { flowing.remove(at: index) }
            return nil
        }
        var rest = call
        rest.output = text
        rest.isWhole = isLast
        flowing.remove(at: index)
        open.append(rest)
        return nil
    }

    /// The service has the last part of an output.
    package mutating func placed(wireID: String, session: Int) {
        flowing.removeAll { $0.isWhole && $0.wireID == wireID && $0.session == session }
    }

    /// Another response has to speak the rest of an answer.
    ///
    /// - Returns: the id assigned here; nil if no such answer is known.
    package mutating func waits(wireID: String, session: Int) -> String? {
        guard let call = latestInParts, call.wireID == wireID, call.session == session else { return nil }
        if !unspoken.contains(where: { $0.call.callID == call.call.callID }) { unspoken.append(call) }
        return call.call.callID
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
        for call in taken where !call.isWhole {
            flowing.append(call)
            latestInParts = call
        }
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
        unspoken.removeAll { !callIDs.contains($0.call.callID) }
    }

    /// Withdraws the calls: those of the session to keep get this output, which is not spoken about; all others get none.
    ///
    /// - Returns: the ids of the calls whose output was delivered to that session in part.
    @discardableResult
    package mutating func withdraw(keeping session: Int?, output: String) -> [String] {
        let cut = flowing.filter { $0.session == session }.map(\.wireID)
        flowing = []
        latestInParts = nil
        open.removeAll { $0.session != session }
        for index in open.indices {
            open[index].output = output
            open[index].wantsReply = false
            open[index].isWhole = true
        }
        unspoken = []
        return cut
    }

    /// The session is over: answers it received and did not speak about have to be delivered again.
    package mutating func reopen() {
        let unsaid = unspoken.map(\.call.callID)
        // Further parts are appended to the reopened call.
        flowing.removeAll { $0.isWhole || unsaid.contains($0.call.callID) }
        latestInParts = nil
        open = unspoken + open
        unspoken = []
    }

    /// The conversation is over: nobody waits for these calls any more.
    package mutating func abandon() {
        open = []
        unspoken = []
        flowing = []
        latestInParts = nil
    }
}

extension PendingCalls.Call {
    fileprivate mutating func add(_ text: String, isLast: Bool) {
        if !text.isEmpty { output = output.map { $0.isEmpty ? text : $0 + " " + text } ?? text }
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
    mutating func take(_ responseID: String) -> [FunctionCall] {
        defer { entries.removeAll { $0.responseID == responseID } }
        return entries.filter { $0.responseID == responseID && $0.isWritten && !$0.call.callID.isEmpty }.map(\.call)
    }
}
