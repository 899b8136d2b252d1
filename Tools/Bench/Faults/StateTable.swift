import VoiceConversation

/// The state transitions that are allowed whatever goes wrong.
enum StateTable {
    /// A new session may find activity from before: calls in progress, speech still being played.
    private static let ongoing: Set<String> = [
        "listening", "processing", "waitingForJarvis", "fillerSpeaking", "aiSpeaking",
    ]
    /// A session can end at any time: without a cause, by a refusal or by a command.
    private static let ends: Set<String> = ["connecting", "error", "idle"]

    private static let successors: [String: Set<String>] = [
        "idle": ["connecting"],
        // The service is probed silently: it accepts the daemon again or does not.
        "error": ongoing.union(["connecting", "idle", "error"]),
        "connecting": ongoing.union(["error", "idle"]),
        "listening": ongoing.union(ends).union(["userSpeaking"]),
        // A speaking user has silenced the voice; only the end of speech, or a command, leads on.
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
