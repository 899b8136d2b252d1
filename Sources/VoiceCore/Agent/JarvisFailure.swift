package import VoiceBase
package import VoiceNetwork
internal import VoiceReply

/// Why a call of the agent has no answer: the one error type from the wire to the speaking model, with a line for the log
/// and a sentence to speak.
///
///     HTTPFailure --> JarvisFailure <--JarvisReply, ResponsesRun-- status, body, events
///                          |  <-- CircuitBreaker, JarvisClient's queue, deadline
///                          v
///      JarvisAnswer.failure --> ToolResult (spokenSentence)
package enum JarvisFailure: Error, Sendable, Equatable {
    case authentication
    case offline(detail: String)
    case timedOut
    /// The server, or a proxy in front of it, gave up the run because its own limit was reached.
    case serverLimit
    /// The session is busy with another question.
    case busy
    /// Too many requests for the server, or for the model's provider; the pause that it asks for, if it states one.
    case limited(pause: Duration?)
    /// The account of the model is out of credit, or its quota is used up.
    case noCredit
    /// The question, with what has to be sent along, is longer than the model or the server accepts.
    case tooLong
    /// The server no longer knows the run: it was restarted.
    case lost
    /// The connection that carried the run ended before the answer; what was done by then is unknown.
    case cutOff(detail: String)
    /// The conversation has moved on without us.
    case staleConversation
    /// The address leads to something else: a redirect, a web page, nothing.
    case wrongBasePath(hint: String)
    /// The server, or the model behind it, failed. The detail is the provider's own text.
    case serverError(status: Int, detail: String)
    /// A failure of a run that had begun.
    case runFailed(detail: String)
    case badReply(detail: String)
    case emptyReply
    /// There are thoughts and no answer.
    case onlyThoughts(reachedLimit: Bool)
    /// The reply is a call of a tool that the server leaves to its client.
    case toolNotRun
    /// The server does not know the model it was asked for.
    case unknownModel
    case tooLarge
    case untrusted(detail: String)
    /// The clock of this machine is not set, so no certificate is valid yet.
    case noClock
    /// The token would have been sent unencrypted to this address outside the local network.
    case insecure(host: String, address: String)
    /// The server failed several times in a row and is not asked for this many seconds.
    case resting(seconds: Int)
    /// More questions are waiting than the queue holds.
    case tooManyQuestions
    case cancelled
    /// A newer question replaced it.
    case superseded
    /// An answer or a permission that nothing waits for.
    case nothingPending
    /// An answer that does not fit the question.
    case unfitAnswer
    /// A permission for something other than what was asked.
    case otherCommand
    /// A remark that no run accepts: none is active, or this backend takes no remarks.
    case notAddable

    /// One line for the log that names the remedy, which for a wrong address is `Configuration.Jarvis.addressAdvice`. Contains
    /// no secret and nothing the provider wrote.
    package var logLine: String {
        switch self {
        case .authentication:
            "Jarvis refused the token: compare jarvis.token_file with the server's TERM_LLM_SERVE_TOKEN"
        case .offline(let detail): "Jarvis cannot be reached (\(detail)): check jarvis.url and that the server runs"
        case .timedOut: "Jarvis did not answer in time: raise jarvis.timeout_s if its agent needs longer"
        case .serverLimit:
            "Jarvis gave up: a time limit of its server (serve.response_timeout) or of a proxy in front of it was "
                + "reached"
        case .busy: "Jarvis is busy with another question of this session"
        case .limited(let pause):
            "Jarvis or the provider of its model gets too many requests"
                + (pause.map { ": it asks for a pause of \($0.inSeconds)" }
                    ?? ": raise the limit there, or ask less often")
        case .noCredit:
            "the account of Jarvis's model has no credit or quota left: top it up with the provider, or choose another model"
        case .tooLong:
            "the question is too long for Jarvis's model: give the model a larger context on its server, or the agent a "
                + "shorter prompt and fewer tools"
        case .lost: "Jarvis was restarted while it worked on a question"
        case .cutOff(let detail):
            "the connection to Jarvis broke while it worked on a question (\(detail)); the question is not repeated, "
                + "because part of it may be done"
        case .staleConversation: "Jarvis does not know the conversation to be continued"
        case .wrongBasePath(let hint):
            "jarvis.url does not lead to the agent (\(hint))"
        case .serverError(let status, _): "Jarvis failed with status \(status): see the log of its server"
        case .runFailed: "Jarvis could not finish what it had begun: see the log of its server"
        case .resting(let seconds):
            "Jarvis is not asked for \(seconds) s, because it failed \(CircuitBreaker.failuresToOpen) times in a row"
        case .badReply(let detail): "Jarvis sent a reply that cannot be read (\(detail))"
        case .emptyReply: "Jarvis sent an empty reply"
        case .onlyThoughts(true):
            "Jarvis reached its token limit while it was still thinking: raise the limit of its server (max_tokens, context "
                + "length), or let its model think less"
        case .onlyThoughts(false): "Jarvis was cut off while it was still thinking: see the log of its server"
        case .toolNotRun:
            "Jarvis wrote a tool call that its server did not carry out: turn on the server's parser for the tool calls of "
                + "this model, or give the agent no tools"
        case .unknownModel:
            "the server of Jarvis does not know its model: install it there, or correct its name there or in jarvis.model"
        case .tooLarge: "Jarvis sent a reply longer than \(JarvisRequest.maximumReplyBytes) bytes"
        case .untrusted(let detail):
            "no trusted connection to Jarvis (\(detail)): check jarvis.ca_file, jarvis.client_certificate_file and jarvis.url"
        case .noClock: "no trusted connection to Jarvis, because the clock of this machine is not set yet"
        case .insecure(let host, let address):
            "the token is not sent to \(host) over plain http, because \(address) is outside this network: use https, "
                + "an address in this network, or jarvis.allow_plain_http"
        case .tooManyQuestions: "too many questions wait for Jarvis"
        case .cancelled: "the question to Jarvis was cancelled"
        case .superseded: "the question to Jarvis was replaced by a newer one"
        case .nothingPending: "an answer for Jarvis came, but it had not asked anything"
        case .unfitAnswer: "an answer did not match Jarvis's question"
        case .otherCommand: "a permission did not match Jarvis's request"
        case .notAddable: "a remark for Jarvis came, but no running request accepts one"
        }
    }

    /// The provider's text, shortened, for the log at debug level; nil if there is nothing.
    package var providerText: String? {
        switch self {
        case .serverError(_, let detail), .runFailed(let detail): return detail.isEmpty ? nil : detail
        default: return nil
        }
    }

    /// One sentence for the user, or for the model that speaks to the user.
    package var spokenSentence: String {
        switch self {
        case .authentication: "Authentication to Jarvis failed; the token may need updating."
        case .offline: "Jarvis appears to be offline right now."
        case .timedOut: "I wasn't able to reach Jarvis, the request timed out."
        case .serverLimit: "Jarvis ran out of time and gave up."
        case .busy: "Jarvis is still busy with an earlier request. Please ask again in a moment."
        case .limited(let pause):
            "Jarvis is being asked too much right now. Please ask again in \(Self.spoken(pause))."
        case .noCredit: "Jarvis cannot answer: the account of its model has no credit left."
        case .tooLong:
            "That is too long for Jarvis's model. Please make it shorter, or give the model a larger context."
        case .lost: "Jarvis was restarted while working on that; it may have done part of it."
        case .cutOff: "Jarvis was cut off while working on that; it may have done part of it."
        case .staleConversation: "I lost the thread of our conversation with Jarvis. Please ask again."
        case .wrongBasePath: "I can't talk to Jarvis; its address needs to be corrected in the settings."
        case .serverError: "Jarvis ran into a problem and could not answer."
        case .runFailed: "Jarvis ran into a problem and could not finish."
        case .resting(let seconds):
            seconds > 0
                ? "Jarvis does not answer. I will try again in \(seconds) seconds." : "Jarvis does not answer."
        case .badReply: "Jarvis sent an answer that I could not understand."
        case .emptyReply: "Jarvis had nothing to say to that."
        case .onlyThoughts(let reachedLimit):
            "Jarvis was cut off while it was still thinking"
                + (reachedLimit ? ", because it had reached its token limit." : ".")
        case .toolNotRun: WrittenReply.call
        case .unknownModel: "Jarvis's server does not know its model; the model needs to be corrected in the settings."
        case .tooLarge: "Jarvis sent an answer that is far too long."
        case .untrusted: "I can't talk to Jarvis; its certificate is not trusted."
        case .noClock: "I can't talk to Jarvis yet; the clock of this box is not set."
        case .insecure: "I can't talk to Jarvis; the connection to it is not encrypted."
        case .tooManyQuestions: "I am still waiting for Jarvis to answer your earlier questions."
        case .cancelled: "The request to Jarvis was cancelled."
        case .superseded: "That request was replaced by the newer one."
        case .nothingPending: "Jarvis is not waiting for an answer right now."
        case .unfitAnswer: "That did not fit what Jarvis asked. Please answer again."
        case .otherCommand:
            "That is not exactly what Jarvis asked permission for, so nothing was allowed. Please say it again."
        case .notAddable: "That could not be added: pass it on with ask_jarvis, as a request of its own."
        }
    }

    private static func spoken(_ pause: Duration?) -> String {
        guard let pause, pause > .seconds(10) else { return "a moment" }
        let seconds = Int(pause.components.seconds)
        if seconds < 90 { return "\(seconds) seconds" }
        return seconds < 5400 ? "about \((seconds + 59) / 60) minutes" : "about \((seconds + 3599) / 3600) hours"
    }

    /// How long to wait before the same question is sent once more; nil if that cannot help, or is longer than a user waits.
    var pauseBeforeRepeating: Duration? {
        guard case .limited(let pause) = self else { return nil }
        let wait = pause ?? .seconds(2)
        return wait <= .seconds(10) ? wait : nil
    }

    /// Whether it is a failure of the server that may pass with time; the circuit breaker counts these.
    package var isServerTrouble: Bool {
        switch self {
        case .offline, .timedOut, .serverLimit, .serverError, .runFailed, .untrusted, .lost, .cutOff: true
        default: false
        }
    }

    /// Whether the same question may succeed with less of the conversation before it: it is too long, or refused as it is for a
    /// reason that the server's words leave open.
    var mayBeLength: Bool {
        switch self {
        case .tooLong, .serverError(status: 400, _), .serverError(status: 422, _): true
        default: false
        }
    }

    /// Whether a check without a question fails in the same way.
    var isSeenByCheck: Bool {
        switch self {
        case .authentication, .offline, .wrongBasePath, .untrusted, .noClock, .insecure: true
        default: false
        }
    }

    /// What is wrong with the agent, and what a household can do about it.
    package func forHousehold(of agent: AgentName = AgentName()) -> (text: String, fix: String) {
        let (text, fix) = household
        // The setup knows only [jarvis].
        let key = self == .authentication ? "token_file" : "url"
        let isOfSetup = fix.hasSuffix("setup")
        return (agent.told(text), isOfSetup ? agent.table.map { "correct \($0).\(key)" } ?? fix : fix)
    }

    private var household: (text: String, fix: String) {
        switch self {
        case .authentication: ("Jarvis refuses the token of this box", "enter it again: sudo jarvis-voiced setup")
        case .wrongBasePath:
            ("the address of Jarvis leads to something else", "correct it: sudo jarvis-voiced setup")
        case .untrusted, .insecure: ("the connection to Jarvis is not safe", Health.Problem.askDoctor)
        case .noClock: ("the connection to Jarvis waits for the clock of this box", "")
        case .serverError, .runFailed, .serverLimit: ("Jarvis fails with every question", "see the log of its server")
        case .noCredit: ("the account of Jarvis's model has no credit left", "top it up with the provider")
        default: ("Jarvis does not answer", "see that its server runs")
        }
    }

    /// The same failure for a request that starts no work: a broken connection has then cut nothing off, so the server
    /// counts as offline.
    var withoutRun: JarvisFailure {
        if case .cutOff(let detail) = self { .offline(detail: detail) } else { self }
    }

    /// Why a server could not be reached, as part of another message.
    var reason: String {
        switch self {
        case .offline(let detail), .cutOff(let detail), .untrusted(let detail): detail
        case .timedOut: "no answer"
        default: logLine
        }
    }

    /// Whether the question was withdrawn: there is nothing to say about it.
    package var isWithdrawal: Bool { self == .cancelled || self == .superseded }

    /// Whether a reply to the agent was not passed on or not accepted, so that the prompt is still pending.
    package var leavesPrompt: Bool { self == .nothingPending || self == .unfitAnswer || self == .otherCommand }

    /// Whether the daemon, not the server, refused it.
    package var isLocal: Bool {
        switch self {
        case .cancelled, .superseded, .resting, .tooManyQuestions, .nothingPending, .unfitAnswer, .otherCommand,
            .notAddable, .insecure:
            true
        default: false
        }
    }
}

extension Configuration.Jarvis {
    /// How to correct an address that does not lead to the agent.
    package var addressAdvice: String {
        guard self.api != .openai else { return "it must be what stands before /v1/chat/completions on that server" }
        guard self.api != .homeAssistant else {
            return "it must be the address of Home Assistant, such as http://homeassistant.local:8123"
        }
        guard ServerURL(self.url)?.path.hasSuffix("/ui") == true else {
            return "it must end with the base path of term-llm serve, usually /ui"
        }
        return
            "check its host and port, and compare its path with the base path of term-llm serve (--base-path); for a server "
            + "of another kind, set jarvis.api = \"openai\""
    }
}

extension JarvisFailure {
    /// Maps an HTTP failure to a failure of the agent; the only place that does.
    package init(_ failure: HTTPFailure) { self.init(failure, now: .now()) }

    init(_ failure: HTTPFailure, now: ClockInstant) {
        let detail = JarvisReply.shortened(failure.description)
        self =
            switch failure {
            case .cannotResolve, .cannotConnect, .badURL, .timedOut(.connecting): .offline(detail: detail)
            case .tls: now.isPlausible ? .untrusted(detail: detail) : .noClock
            case .exposed(let host, let address): .insecure(host: host, address: address)
            case .timedOut: .timedOut
            case .replyTooLarge: .tooLarge
            case .cancelled: .cancelled
            // TLS 1.3 completes the handshake with a client that has no certificate, and closes the connection afterwards.
            case .reset(let reason) where reason.contains("certificate required"): .untrusted(detail: detail)
            case .reset, .other, .badHeader, .badCoding: .cutOff(detail: detail)
            }
    }
}
