import VoiceBase
import VoiceConversation
import VoiceSimulator

/// What became of the requests of a service that delegates them: each question is put to the agent at most once, and its
/// answer is given to the service.
///
/// Questions are named by the simulator: "Question 3 c2" is the third of the script, on the second connection.
struct RequestLedger: Sendable {
    private struct Request: Sendable {
        var questions: [String]
        /// Name it where its words were cut.
        var arguments: String
        var began: Duration
        var isOpen = true
        var isReported = false
    }

    private var requests: [String: Request] = [:]
    /// Questions that the agent was asked.
    private var asked: Set<String> = []
    private var excused: Set<String> = []
    /// Closing texts of each delegation of each connection.
    private var closed: [String: Int] = [:]
    private(set) var violations: [String] = []

    var started: Int { requests.count }
    var isSettled: Bool { !requests.values.contains(where: \.isOpen) }

    /// Requests whose answers never reached the service.
    var lost: [String] {
        requests.filter { !$1.isOpen && !$1.isReported && !$1.questions.isEmpty && !excused.contains($0) }.keys.sorted()
    }

    func knows(_ id: String) -> Bool { requests[id] != nil }

    mutating func note(_ effect: ConversationEffect, at now: Duration) {
        switch effect {
        case .startCall(let call, _):
            // Garbled delegations have ids that may occur again on another connection.
            requests[call.callID] = Request(
                questions: Self.questions(in: call.arguments), arguments: call.arguments, began: now
            )
        case .send(.answer(let call, let output)):
            requests[call]?.isOpen = false
            // What is not to be spoken was refused or stopped.
            if !output.wantsReply { excused.insert(call) }
        case .send(.inform(_, let report)):
            let reported = Self.questions(in: report.arguments + " " + report.output.forModel)
            for (id, request) in requests
            where request.arguments == report.arguments || !Set(request.questions).isDisjoint(with: reported) {
                requests[id]?.isOpen = false
            }
        case .cancelCalls: excuse()
        default: break
        }
    }

    /// The agent is asked. Whatever it does then, it must not do twice.
    mutating func asked(_ query: String) {
        for question in Self.questions(in: query) where !asked.insert(question).inserted {
            violations.append("the agent was asked \(question) twice")
        }
    }

    mutating func client(_ event: SimulatedJSON, on connection: Int) {
        guard event["type"] == "session.commentary.append", let text = event["content"]?.string else { return }
        let reported = Set(Self.questions(in: text))
        for (id, request) in requests where !reported.isDisjoint(with: request.questions) {
            requests[id]?.isReported = true
        }
        guard let delegation = event["delegation_id"]?.string, !reported.isEmpty else { return }
        let name = "\(connection) \(delegation) \(reported.sorted())"
        closed[name, default: 0] += 1
        if closed[name] != 1 { violations.append("session \(connection) was given an answer to \(delegation) twice") }
    }

    /// The user ended the conversation, or wants quiet: no one waits for an answer.
    mutating func excuse() {
        excused.formUnion(requests.keys)
        for id in requests.keys { requests[id]?.isOpen = false }
    }

    /// Returns a request that has waited for longer than this.
    func overdue(_ limit: Duration, at now: Duration) -> String? {
        requests.first { $1.isOpen && now - $1.began > limit }?.key
    }

    /// The names of the questions in a text.
    static func questions(in text: String) -> [String] {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        return words.indices.filter { words[$0] == "Question" && $0 + 2 < words.count }.map {
            words[$0...$0 + 2].joined(separator: " ")
        }
    }
}
