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
