package import Logging
package import VoiceBase

/// The conversation with the agent in its saved form.
///
///     id = "voice-0123"
///     previous = "resp_msg_17"
///     used_at = 1795208889      seconds since 1970
///     knows_mouth = true        the agent has shown that it has the voice prompt
package struct SavedJarvisSession: Sendable, Equatable {
    package var id: String
    package var previous: String?
    package var usedAt: Int
    package var knowsVoiceMode = false

    package init(id: String, previous: String? = nil, usedAt: Int, knowsVoiceMode: Bool = false) {
        self.id = id
        self.previous = previous
        self.usedAt = usedAt
        self.knowsVoiceMode = knowsVoiceMode
    }

    /// Returns nil if the text has another form; a fresh conversation then begins.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= 4096, let document = try? ConfigurationDocument(parsing: bytes) else { return nil }
        var id: String?
        var previous: String?
        var usedAt = 0
        var knowsVoiceMode = false
        for entry in document.entries {
            switch (entry.path, entry.value) {
            case ("id", .text(let text)): id = text
            case ("previous", .text(let text)): previous = text
            case ("knows_mouth", .flag(let flag)): knowsVoiceMode = flag
            case ("used_at", .integer(let seconds)): usedAt = min(max(seconds, 0), Self.latest)
            default: continue
            }
        }
        guard let id, Self.isID(id), id.hasPrefix("voice-") else { return nil }
        if let previous, !Self.isID(previous) { return nil }
        self.init(id: id, previous: previous, usedAt: usedAt, knowsVoiceMode: knowsVoiceMode)
    }

    package var text: String {
        StateStore.header + "id = \"\(id)\"\n"
            + (previous.map { Self.isID($0) ? "previous = \"\($0)\"\n" : "" } ?? "") + "used_at = \(usedAt)\n"
            + (knowsVoiceMode ? "knows_mouth = true\n" : "")
    }

    /// The last second of the year 9999.
    private static let latest = 253_402_300_799

    private static func isID(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && text.allSatisfy(\.isOfID)
    }
}

/// Storage for the conversation.
package struct JarvisSessionStore: Sendable {
    package var load: @Sendable () -> SavedJarvisSession?
    package var save: @Sendable (SavedJarvisSession) -> Void

    /// Stores nothing: every start begins a fresh conversation.
    package static let none = JarvisSessionStore(load: { nil }, save: { _ in })

    /// Stores it in a file of a folder. An unreadable file is logged and kept aside.
    package static func folder(
        _ folder: String,
        name: String = "conversation",
        logger: Logger,
        files: FileReader = .system
    ) -> JarvisSessionStore {
        let store = StateStore(folder + "/" + name, limit: 4096, logger: logger, files: files)
        return JarvisSessionStore(
            load: {
                let found = store.load { bytes throws(Unreadable) in
                    guard let saved = SavedJarvisSession(parsing: bytes) else {
                        throw Unreadable("it is damaged")
                    }
                    return saved
                } lost: { _ in
                    "a new conversation with Jarvis begins"
                }
                return found.value
            },
            save: {
                store.save(Array($0.text.utf8), failing: "the conversation with Jarvis will not survive a restart")
            }
        )
    }
}
