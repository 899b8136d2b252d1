/// Why a question has no answer, with a line for the log and a sentence for the ear.
package enum JarvisFailure: Error, Sendable, Equatable {
    case authentication
    case offline(detail: String)
    case timedOut
    /// The session is at work on another question.
    case busy
    /// The address leads to something else: a redirect, a web page, nothing.
    case wrongBasePath(hint: String)
    /// The server, or the model behind it, failed. The detail is the provider's own text.
    case serverError(status: Int, detail: String)
    case badReply(detail: String)
    case emptyReply
    case tooLarge
    case untrusted(detail: String)
    /// The token would have travelled in the open.
    case insecure(host: String)
    /// More questions wait than are kept.
    case tooManyQuestions
    case cancelled

    /// One line that names the way out. Holds no secret and nothing the provider wrote.
    package var logLine: String {
        switch self {
        case .authentication:
            "Jarvis refused the token: compare jarvis.token_file with the --token of the server"
        case .offline(let detail): "Jarvis cannot be reached (\(detail)): check jarvis.url and that the server runs"
        case .timedOut: "Jarvis did not answer in time: raise jarvis.timeout_s if its agent needs longer"
        case .busy: "Jarvis is busy with another question of this session"
        case .wrongBasePath(let hint):
            "jarvis.url does not lead to the agent (\(hint)): it must end with the base path, usually /ui"
        case .serverError(let status, _): "Jarvis failed with status \(status): see the log of its server"
        case .badReply(let detail): "Jarvis sent a reply that cannot be read (\(detail))"
        case .emptyReply: "Jarvis sent an empty reply"
        case .tooLarge: "Jarvis sent a reply beyond \(JarvisRequest.maximumReplyBytes) bytes"
        case .untrusted(let detail):
            "Jarvis has no trusted certificate (\(detail)): check jarvis.ca_file and jarvis.url"
        case .insecure(let host):
            "the token is not sent to \(host) over plain http: use https, or an address of this network"
        case .tooManyQuestions: "too many questions wait for Jarvis"
        case .cancelled: "the question to Jarvis was cancelled"
        }
    }

    /// What the provider wrote, shortened, for the log at debug; nil when there is nothing.
    package var providerText: String? {
        guard case .serverError(_, let detail) = self, !detail.isEmpty else { return nil }
        return detail
    }

    /// One sentence for the user.
    package var spokenSentence: String {
        switch self {
        case .authentication: "Authentication to Jarvis failed; the token may need updating."
        case .offline: "Jarvis appears to be offline right now."
        case .timedOut: "I wasn't able to reach Jarvis, the request timed out."
        case .busy: "Jarvis is still busy with an earlier request. Please ask again in a moment."
        case .wrongBasePath, .insecure: "I can't talk to Jarvis; its address needs to be corrected in the settings."
        case .serverError: "Jarvis ran into a problem and could not answer."
        case .badReply, .tooLarge: "Jarvis sent an answer that I could not understand."
        case .emptyReply: "Jarvis had nothing to say to that."
        case .untrusted: "I can't talk to Jarvis; its certificate is not trusted."
        case .tooManyQuestions: "I am still waiting for Jarvis to answer your earlier questions."
        case .cancelled: "The request to Jarvis was cancelled."
        }
    }

    /// True when the server is to blame in a way that waiting may mend; what a circuit breaker counts.
    package var isServerTrouble: Bool {
        switch self {
        case .offline, .timedOut, .serverError, .untrusted: true
        default: false
        }
    }
}
