/// Limits what a model does between two turns of the user: one that calls a tool after every result would never end.
struct ToolRounds: Equatable, Sendable {
    /// Responses that call, and responses requested for results; the last of those gets no tools.
    static let most = 16
    /// Questions to the agent.
    static let mostQuestions = 8
    /// Calls in all these responses.
    static let mostCalls = 64

    /// A request for a response.
    enum Request: Equatable, Sendable {
        case next
        /// The model has to finish without tools.
        case last
        case over
    }

    private var turn = 0
    private var requests = 0
    private var questions = 0
    private var calls = 0
    private var callers = 0
    private var caller: String?
    private var isReported = false

    /// Whether the call is a question to the agent.
    static func asks(_ call: FunctionCall) -> Bool { call.name == "ask_jarvis" }

    /// - Parameter turn: the number of the user's turn; a new one begins the count anew.
    mutating func request(turn: Int) -> Request {
        begin(turn)
        requests += 1
        return requests < Self.most ? .next : requests == Self.most ? .last : .over
    }

    /// Whether a response may make another call.
    mutating func mayCall(in response: String, turn: Int) -> Bool {
        begin(turn)
        calls += 1
        if response != caller { callers += 1 }
        caller = response
        return calls <= Self.mostCalls && callers <= Self.most
    }

    /// Whether the agent may be asked another question in this turn.
    mutating func mayAsk() -> Bool {
        questions += 1
        return questions <= Self.mostQuestions
    }

    /// Whether to report that a limit is reached: once a turn.
    mutating func takeReport() -> Bool {
        defer { isReported = true }
        return !isReported
    }

    private mutating func begin(_ turn: Int) {
        if turn != self.turn { self = ToolRounds(turn: turn) }
    }

    init(turn: Int = 0) { self.turn = turn }
}
