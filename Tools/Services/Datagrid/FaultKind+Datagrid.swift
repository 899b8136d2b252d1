import VoiceSimulator

extension FaultKind {
    static let handoffRefused = FaultKind("handoffRefused", endsSession: true)
    static let tokenExpired = FaultKind("tokenExpired", endsSession: true)
    static let endedInAnswer = FaultKind("endedInAnswer", endsSession: true)
    static let unfinishedTool = FaultKind("unfinishedTool")
    static let ignoredInterrupt = FaultKind("ignoredInterrupt")
    static let cutByItself = FaultKind("cutByItself")
    static let forgottenConversation = FaultKind("forgottenConversation", endsSession: true)
}
