import VoiceSimulator

/// The fate of the calls, as performed by the daemon and as seen by the service.
///
/// Each call is started once. Its answer goes once to the session that asked; if that session is over, a later one is
/// informed. After "stop" only the session that asked is told, while it lasts.
struct CallLedger: Sendable {
    private struct Call {
        var query: String
        var started: Duration
        /// The daemon's session that asked.
        var session: Int
        var isDelivered = false
        var isReported = false
        var isWithdrawn = false
    }

    private var calls: [String: Call] = [:]
    /// Counts the sessions as the daemon changes them, which may be before or after the service notices.
    private var session = 0
    private var open: Set<String> = []
    /// The connection on which the service asked, and the number of answers it received.
    private var asked: [String: Int] = [:]
    private var answered: [String: Int] = [:]
    /// How often a session was sent a call of an earlier one.
    private var sent: [String: Int] = [:]
    /// Answers that reached the service but that no response has seen yet, by connection.
    private var unseen: [Int: Set<String>] = [:]
    private var seen: Set<String> = []
    private var excused: Set<String> = []
    /// Ids chosen by the daemon for calls of earlier sessions that it sent to a later one.
    private var resent: Set<String> = []
    /// Calls that the daemon refused instead of starting them, of a response that the user has stopped or cut off; true once
    /// that was answered.
    private var refused: [String: Bool] = [:]
    private(set) var violations: [String] = []

    var started: Int { calls.count }
    /// Number of calls that wait for their answer.
    var waiting: Int { open.count }
    /// The call that has waited longest, if any.
    var oldestOpen: String? {
        open.compactMap { id in calls[id].map { (id, $0.started) } }.min { $0.1 < $1.1 }?.0
    }
    /// Answers that no response has seen, in any session.
    var lost: [String] {
        calls.keys.filter { !open.contains($0) && !seen.contains($0) && !excused.contains($0) }.sorted()
    }

    func knows(_ id: String) -> Bool { calls[id] != nil || refused[id] != nil }

    // MARK: The daemon

    mutating func start(_ id: String, arguments: String, at now: Duration) {
        if calls[id] != nil { violations.append("call \(id) was started twice") }
        if refused[id] != nil { violations.append("call \(id) was refused, and started") }
        let query = arguments.split(separator: "\"").dropFirst(3).first.map(String.init) ?? arguments
        calls[id] = Call(query: query, started: now, session: session)
        open.insert(id)
    }

    mutating func refuse(_ id: String) {
        if calls[id] != nil { violations.append("call \(id) was started, and refused") }
        if refused.updateValue(false, forKey: id) != nil { violations.append("call \(id) was refused twice") }
    }

    mutating func deliver(_ id: String) {
        guard !resent.contains(id) else { return }
        if let isAnswered = refused[id] {
            if isAnswered { violations.append("the refused call \(id) was answered twice") }
            refused[id] = true
            return
        }
        guard calls[id] != nil else { return violations.append("an answer to \(id), which was never started") }
        if calls[id]?.isDelivered == true { violations.append("call \(id) was answered twice") }
        if calls[id]?.isReported == true { violations.append("call \(id) was answered after it had been reported") }
        if calls[id]?.isWithdrawn == true { violations.append("call \(id) was answered after it had been withdrawn") }
        calls[id]?.isDelivered = true
        open.remove(id)
    }

    /// Records that a session is sent a call of an earlier one, under another id.
    mutating func resend(_ arguments: String, as newID: String) {
        resent.insert(newID)
        for (id, call) in calls where !call.query.isEmpty && arguments.contains(call.query) {
            if call.isWithdrawn { violations.append("call \(id) was reported after it had been withdrawn") }
            calls[id]?.isReported = true
            open.remove(id)
        }
    }

    /// The user ended the conversation: answers are no longer expected.
    mutating func excuse() {
        excused.formUnion(calls.keys)
        open = []
    }

    /// The daemon's session is over, or another one takes its place.
    mutating func sessionChanged() {
        session += 1
    }

    /// The user said "stop": no answer has to be spoken any more. A call of the session that continues still gets its output,
    /// or the model would wait for it. A call of an earlier session gets none, as the continuing one does not know it: the
    /// daemon owes nothing, and may not tell of it either.
    mutating func withdraw() {
        excused.formUnion(calls.keys)
        for id in open where calls[id]?.session != session {
            calls[id]?.isWithdrawn = true
            open.remove(id)
        }
    }

    /// The user asked for quiet: answers delivered so far need not be spoken.
    mutating func excuseAnswered() {
        for (id, call) in calls where call.isDelivered || call.isReported { excused.insert(id) }
    }

    /// - Returns: a call that has waited for longer than `limit`, if any.
    func overdue(_ limit: Duration, at now: Duration) -> String? {
        oldestOpen.flatMap { id in calls[id].map { now - $0.started > limit } ?? false ? id : nil }
    }

    // MARK: The service

    mutating func service(_ event: SimulatedJSON, on connection: Int) {
        switch event["type"]?.string {
        case "response.output_item.done":
            guard event["item"]?["type"] == "function_call", let id = event["item"]?["call_id"]?.string else { return }
            asked[id] = connection
        case "response.created":
            seen.formUnion(unseen.removeValue(forKey: connection) ?? [])
        default: break
        }
    }

    mutating func client(_ event: SimulatedJSON, on connection: Int) {
        guard event["type"] == "conversation.item.create", let item = event["item"] else { return }
        if item["type"] == "function_call_output", let id = item["call_id"]?.string, !resent.contains(id) {
            if asked[id] != connection {
                violations.append("session \(connection) got an answer to \(id), not its own")
            }
            answered[id, default: 0] += 1
            if answered[id] != 1 { violations.append("the service got the answer to \(id) twice") }
            unseen[connection, default: []].insert(id)
        } else if item["name"] == "recall_conversation", let id = item["call_id"]?.string {
            // What was said in an earlier session, which answers nothing.
            resent.insert(id)
        } else if item["type"] == "function_call", let arguments = item["arguments"]?.string {
            for (id, call) in calls where arguments.contains(call.query) {
                unseen[connection, default: []].insert(id)
                sent["\(id) \(connection)", default: 0] += 1
                if sent["\(id) \(connection)"] != 1 { violations.append("session \(connection) was sent \(id) twice") }
            }
        }
    }

    mutating func disconnected(_ connection: Int) {
        unseen[connection] = nil
    }

    /// Whether every call that this session requested has its answer.
    func isSettled(_ connection: Int) -> Bool {
        asked.allSatisfy { $1 != connection || answered[$0] == 1 || calls[$0] == nil }
    }
}
