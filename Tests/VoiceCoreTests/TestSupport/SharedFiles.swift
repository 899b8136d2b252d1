import FoundationEssentials

/// Recordings and rigs that live beside the project; tests that need them are skipped where they are not at hand.
enum SharedFiles {
    static let root = ProcessInfo.processInfo.environment["VOICE_SHARED"] ?? "../shared"
    static let areAtHand = FileManager.default.fileExists(atPath: "\(root)/realtime/samples/a_plain_turn.jsonl")
}
