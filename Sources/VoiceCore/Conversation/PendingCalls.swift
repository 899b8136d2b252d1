/// The tool calls of a conversation: each found once, answered once, delivered in the order it was asked.
///
///     begin --> answer --> takeDeliverable --> settle
///                              ^-- reopen --'
///
/// An answer that was delivered is kept until it has been spoken about: a session that ends before takes it along.
package struct PendingCalls: Equatable, Sendable {
    package struct Call: Equatable, Sendable {
        /// Under an id that no other call here has had.
        package var call: FunctionCall
        /// The id by which the service knows it.
        package var wireID: String
        /// Told to a later session, under an id that we gave it.
        package var isRepeated = false
        package var responseID: String
        /// The voice session it was asked in; a later session does not know its id.
        package var session: Int
        /// The user's turn it was asked in.
        package var turn: Int
        package var output: String?
        package var wantsReply = true
    }

    /// Calls without a delivered output, oldest first.
    package private(set) var open: [Call] = []
    /// Calls whose output is delivered and not yet spoken about.
    package private(set) var unspoken: [Call] = []
    /// How a service names a call: its ids may be counted anew in each session, or in each response.
    private struct Name: Equatable {
        var callID: String
        var responseID: String
        var session: Int
    }

    /// Calls already seen, the latest ones: the same call is announced up to three times.
    private var seen: [Name] = []
    /// Ids that were given here, the latest ones.
    private var given: [String] = []
    private var renamed = 0
    private var excluded: [String] = []
    private static let remembered = 256

    package init() {}

    /// Calls still waiting for their answer.
    package var isWaiting: Bool { open.contains { $0.output == nil } }

    package func isWaiting(callID: String) -> Bool {
        open.contains { $0.call.callID == callID && $0.output == nil }
    }

    /// Whether an answer is there that could be delivered.
    package var hasDeliverable: Bool {
        var rest = self
        return !rest.takeDeliverable().isEmpty
    }

    package func contains(responseID: String, session: Int) -> Bool {
        open.contains { $0.responseID == responseID && $0.session == session }
    }

    /// Whether the answers to be spoken about belong to an earlier turn of the user than `turn`.
    package func isLate(at turn: Int) -> Bool {
        unspoken.contains { $0.turn < turn }
    }

    /// - Returns: the call as it is to be made, under an id of its own; nil where it is known already.
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

    /// This id is ours: whoever names it does not call.
    package mutating func exclude(_ callID: String) {
        excluded.append(callID)
        if excluded.count > Self.remembered { excluded.removeFirst() }
    }

    package func knows(_ callID: String, responseID: String, session: Int) -> Bool {
        excluded.contains(callID) || seen.contains(Name(callID: callID, responseID: responseID, session: session))
    }

    /// Calls that were delivered to this session under the service's id, by ours.
    package func delivered(wireID: String, session: Int) -> [String] {
        unspoken.filter { $0.wireID == wireID && ($0.session == session || $0.isRepeated) }.map(\.call.callID)
    }

    /// Remembers a call that is not made, so that it is refused once.
    /// - Returns: false where the call is known already.
    package mutating func note(_ callID: String, responseID: String, session: Int) -> Bool {
        guard !knows(callID, responseID: responseID, session: session) else { return false }
        seen.append(Name(callID: callID, responseID: responseID, session: session))
        if seen.count > Self.remembered { seen.removeFirst(seen.count - Self.remembered) }
        return true
    }

    /// - Returns: false for a call that is not open, or has its answer.
    package mutating func answer(callID: String, output: String, wantsReply: Bool) -> Bool {
        guard let index = open.firstIndex(where: { $0.call.callID == callID && $0.output == nil }) else {
            return false
        }
        open[index].output = output
        open[index].wantsReply = wantsReply
        return true
    }

    /// Takes out the answered calls that may be delivered: none overtakes an earlier call of its response.
    package mutating func takeDeliverable() -> [Call] {
        var held: Set<String> = []
        var taken: [Call] = []
        open.removeAll { call in
            let response = "\(call.session) \(call.responseID)"
            guard call.output != nil, !held.contains(response) else {
                held.insert(response)
                return false
            }
            taken.append(call)
            return true
        }
        unspoken += taken.filter(\.wantsReply)
        return taken
    }

    /// A later session was told of a delivered answer under another id.
    package mutating func repeated(_ callID: String, as newID: String) {
        for index in unspoken.indices where unspoken[index].call.callID == callID {
            unspoken[index].call.callID = newID
            unspoken[index].wireID = newID
            unspoken[index].isRepeated = true
        }
    }

    /// All but these have been spoken about, or never will be.
    package mutating func settle(allBut callIDs: Set<String>) {
        unspoken.removeAll { !callIDs.contains($0.call.callID) }
    }

    /// Nobody wants the answers any more: calls of the session that goes on get this output and no word about it, all
    /// others nothing.
    package mutating func withdraw(keeping session: Int?, output: String) {
        open.removeAll { $0.session != session }
        for index in open.indices {
            open[index].output = output
            open[index].wantsReply = false
        }
        unspoken = []
    }

    /// The session is over: what it was told and did not speak of has to be told again.
    package mutating func reopen() {
        open = unspoken + open
        unspoken = []
    }

    /// The conversation is over: nobody waits for these any more.
    package mutating func abandon() {
        open = []
        unspoken = []
    }
}

/// Calls whose arguments are written and that were not told to be complete: some services never tell it, and leave it to
/// the end of the response.
struct WrittenCalls: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var responseID: String
        var itemID: String
        var call: FunctionCall
        var isWritten = false
    }

    /// More are not kept: the oldest goes.
    private static let most = 32
    private var entries: [Entry] = []

    /// An item begins; `call` is what is known of it, usually without arguments.
    mutating func begun(_ call: FunctionCall, itemID: String, of responseID: String) {
        entries.append(Entry(responseID: responseID, itemID: itemID, call: call))
        if entries.count > Self.most { entries.removeFirst() }
    }

    /// Its arguments are written; what is left out is as it was at the beginning.
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

    /// The response is over: its calls that are written, in their order.
    mutating func take(_ responseID: String) -> [FunctionCall] {
        defer { entries.removeAll { $0.responseID == responseID } }
        return entries.filter { $0.responseID == responseID && $0.isWritten && !$0.call.callID.isEmpty }.map(\.call)
    }
}
