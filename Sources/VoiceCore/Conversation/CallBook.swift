/// The tool calls of a conversation: each found once, answered once, delivered in the order it was asked.
package struct CallBook: Equatable, Sendable {
    package struct Call: Equatable, Sendable {
        package var call: FunctionCall
        package var responseID: String
        /// The voice session it was asked in; a later session does not know its id.
        package var session: Int
        package var output: String?
        package var wantsReply = true
    }

    /// Calls without a delivered output, oldest first.
    package private(set) var open: [Call] = []
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

    /// - Returns: false where the call is known already.
    package mutating func begin(_ call: FunctionCall, responseID: String, session: Int) -> Bool {
        guard !seen.contains(call.callID) else { return false }
        seen.append(call.callID)
        if seen.count > Self.remembered { seen.removeFirst(seen.count - Self.remembered) }
        open.append(Call(call: call, responseID: responseID, session: session))
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
        return taken
    }
}
