import VoiceSimulator

extension FaultKind {
    /// The audio that is sent no longer reaches the session's clock.
    static let frozenClock = FaultKind("frozenClock", endsSession: true)
    static let deferredAppends = FaultKind("deferredAppends")
    static let lateWords = FaultKind("lateWords")
    static let lostAcknowledgements = FaultKind("lostAcknowledgements")
    static let replayedDelegation = FaultKind("replayedDelegation")
    static let unknownDelay = FaultKind("unknownDelay", endsSession: true)
    static let lostInDelegation = FaultKind("lostInDelegation", endsSession: true)
}
