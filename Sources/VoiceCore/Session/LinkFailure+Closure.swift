extension LinkFailure {
    /// What the end of a connection means for the next attempt.
    ///
    /// A bad key or model is told by an `error` event and a close with 3000 or 4000, not by an HTTP status; statuses
    /// of a proxy or of an overloaded service stay possible.
    package init(_ closure: WebSocketClosure) {
        switch closure {
        case .closed(let code, let reason):
            switch code {
            case 3000, 4000: self.init(.permanent, closure.description)
            case 1001 where reason.contains("maximum duration"): self.init(.expired, closure.description)
            default: self.init(.transient, closure.description)
            }
        case .refused(let refusal):
            switch refusal.status {
            case 408, 409, 425, 429: self.init(.transient, closure.description)
            case 300..<500: self.init(.permanent, closure.description)
            default: self.init(.transient, closure.description)
            }
        case .failed(.badURL): self.init(.permanent, closure.description)
        case .failed: self.init(.transient, closure.description)
        }
    }
}
