import VoiceConversation

/// Which state of the conversation may follow which, whatever goes wrong.
enum StateTable {
    /// A session that is opened meets what goes on from before: calls that are out, speech that is still being played.
    private static let ongoing: Set<String> = [
        "listening", "processing", "waitingForJarvis", "fillerSpeaking", "aiSpeaking",
    ]
    /// A session can end at any time, by itself, by a refusal or by command.
    private static let ends: Set<String> = ["connecting", "error", "idle"]

    private static let successors: [String: Set<String>] = [
        "idle": ["connecting"],
        // The service is probed without a word; it takes us again, or does not.
        "error": ongoing.union(["connecting", "idle", "error"]),
        "connecting": ongoing.union(["error", "idle"]),
        "listening": ongoing.union(ends).union(["userSpeaking"]),
        // Who speaks has silenced what was being said; only the end of speech, or a command, leads on.
        "userSpeaking": ends.union(["processing", "listening", "waitingForJarvis", "aiSpeaking", "fillerSpeaking"]),
        "processing": ongoing.union(ends).union(["userSpeaking"]),
        "waitingForJarvis": ongoing.union(ends).union(["userSpeaking"]),
        "fillerSpeaking": ongoing.union(ends).union(["userSpeaking"]),
        "aiSpeaking": ongoing.union(ends).union(["userSpeaking"]),
    ]

    static func allows(_ next: ConversationState, after previous: ConversationState) -> Bool {
        successors[previous.name]?.contains(next.name) ?? false
    }
}
