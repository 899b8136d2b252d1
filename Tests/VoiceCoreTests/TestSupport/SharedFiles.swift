import FoundationEssentials

/// Recordings and rigs outside the project; tests that need them are skipped if they are not available.
enum SharedFiles {
    static let root = ProcessInfo.processInfo.environment["VOICE_SHARED"] ?? "../shared"
    static let areAtHand = FileManager.default.fileExists(atPath: "\(root)/realtime/samples/a_plain_turn.jsonl")
}
