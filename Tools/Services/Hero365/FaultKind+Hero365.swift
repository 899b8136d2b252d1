import VoiceSimulator

extension FaultKind {
    static let lostPackets = FaultKind("lostPackets")
    static let latePackets = FaultKind("latePackets")
    static let duplicatePackets = FaultKind("duplicatePackets")
    static let sequenceJump = FaultKind("sequenceJump")
    /// An error with a pause to keep.
    static let retryAfter = FaultKind("retryAfter")
    static let agentTransfer = FaultKind("agentTransfer")
    static let missingStatus = FaultKind("missingStatus")
}
