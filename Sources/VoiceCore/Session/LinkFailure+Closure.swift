internal import VoiceBase
internal import VoiceConversation
package import VoiceNetwork

extension LinkFailure {
    /// Classifies the end of a connection for the next attempt.
    ///
    /// A bad key or model is reported by an `error` event and a close with 3000 or 4000, not by an HTTP status; a proxy or
    /// an overloaded service may still answer with a status. What is not known to be final is retried.
    ///
    /// - Parameters:
    ///   - model: the model that the service was asked for, if it names its refusal in the closure.
    ///   - advice: what to check if the service refuses the handshake without a word of its own (HTTP 401 or 403).
    package init(_ closure: WebSocketClosure, model: String? = nil, advice: String? = nil) {
        let reason = closure.description
        switch closure {
        case .closed(let code, let text):
            let refusal = ModelRefusal.line(text, model: model)
            self.init(
                refusal == nil ? Self.kind(closeCode: code, ErrorClass(closeReason: text)) : .permanent,
                refusal ?? reason, retryAfter: StatedPause.read(text)
            )
        case .refused(let refusal)
        where ModelRefusal.line(refusal.body, model: model) != nil
            || model != nil && ErrorClass(body: refusal.body, status: refusal.status) == .configuration:
            self.init(.permanent, "set realtime.model to a model of this service (\(reason))")
        case .refused(let refusal):
            let isMute = [401, 403].contains(refusal.status) && refusal.message == nil
            self.init(
                Self.kind(status: refusal.status, ErrorClass(body: refusal.body, status: refusal.status)),
                isMute ? reason + (advice.map { ": " + $0 } ?? "") : reason,
                retryAfter: refusal.retryAfter.map { .seconds($0) } ?? StatedPause.read(refusal.body)
            )
        case .failed(.badURL): self.init(.permanent, reason)
        case .failed: self.init(.transient, reason)
        }
    }

    private static func kind(closeCode: UInt16, _ named: ErrorClass) -> Kind {
        switch named {
        case .account, .configuration: return .permanent
        case .expired: return .expired
        case .limited: return .limited
        case .service: return .transient
        default: break
        }
        // Unauthorized and forbidden (IANA registry of close codes; other servers add 4000 to the status of HTTP), and the
        // service's own code for a bad request.
        if closeCode == 4429 { return .limited }
        return [3000, 3003, 4000, 4401, 4403].contains(closeCode) ? .permanent : .transient
    }

    private static func kind(status: Int, _ named: ErrorClass) -> Kind {
        if named.isFatal { return .permanent }
        switch status {
        case 429: return .limited
        case 408, 409, 425: return .transient
        case 200..<500: return .permanent
        default: return .transient
        }
    }
}
