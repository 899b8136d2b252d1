import VoiceSimulator

extension FaultKind {
    /// The service closes the socket, with a reason.
    static let closedWithReason = FaultKind("closedWithReason", endsSession: true)
    static let resumptionRefused = FaultKind("resumptionRefused", endsSession: true)
    static let schedulingRefused = FaultKind("schedulingRefused", endsSession: true)
    static let lostInCall = FaultKind("lostInCall", endsSession: true)
    static let withdrawnCall = FaultKind("withdrawnCall")
    static let repeatedCall = FaultKind("repeatedCall")
    static let emptyTurn = FaultKind("emptyTurn")
    static let wordsBehindReply = FaultKind("wordsBehindReply")
}
