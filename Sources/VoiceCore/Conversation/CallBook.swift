/// The tool calls of a conversation: each found once, answered once, delivered in the order it was asked.
///
///     begin --> answer --> takeDeliverable --> settle
///                              ^-- reopen --'
///
/// An answer that was delivered is kept until it has been spoken about: a session that ends before takes it along.
package struct CallBook: Equatable, Sendable {
    package struct Call: Equatable, Sendable {
        package var call: FunctionCall
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
    /// Ids already seen, the latest ones: the same call is announced up to three times.
    private var seen: [String] = []
    private static let remembered = 256

    package init() {}

    /// Calls still waiting for their answer.
    package var isWaiting: Bool { open.contains { $0.output == nil } }

    package func isWaiting(responseID: String) -> Bool {
        open.contains { $0.responseID == responseID && $0.output == nil }
    }

    package func contains(responseID: String) -> Bool {
        open.contains { $0.responseID == responseID }
    }

    /// Whether the answers to be spoken about belong to an earlier turn of the user than `turn`.
    package func isLate(at turn: Int) -> Bool {
        unspoken.contains { $0.turn < turn }
    }

    /// - Returns: false where the call is known already.
    package mutating func begin(_ call: FunctionCall, responseID: String, session: Int, turn: Int) -> Bool {
        guard note(call.callID) else { return false }
        open.append(Call(call: call, responseID: responseID, session: session, turn: turn))
        return true
    }

    /// Remembers a call that is not made, so that it is refused once.
    /// - Returns: false where the call is known already.
    package mutating func note(_ callID: String) -> Bool {
        guard !seen.contains(callID) else { return false }
        seen.append(callID)
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
            guard call.output != nil, !held.contains(call.responseID) else {
                held.insert(call.responseID)
                return false
            }
            taken.append(call)
            return true
        }
        unspoken += taken.filter(\.wantsReply)
        return taken
    }

    /// All but these have been spoken about, or never will be.
    package mutating func settle(allBut callIDs: Set<String>) {
        unspoken.removeAll { !callIDs.contains($0.call.callID) }
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
