extension Configuration {
    /// The table of one wake word: what differs from the rest of the configuration when that word opens a conversation.
    package struct Word: ConfigurationSection {
        package static let name = "words"
        package static let documentation =
            "An assistant of its own for a wake word, in a table named after it: [words.okay_nabu] for \"okay nabu\". "
            + "The word must be among activation.wake_words. A key that is not set is as in the other sections."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Word {
    package struct Keys: Sendable {
        package let name = Setting(
            "words.name", "", as: .text(mayBeEmpty: true),
            "What the voice, page, log and agent call this assistant. Empty: the word without \"hey\" or \"okay\"."
        )
        package let url = Setting(
            "words.url", "", as: .url(schemes: ["http", "https"], takesQuery: false),
            "Address of its agent, as jarvis.url. Empty: the same agent."
        )
        package let tokenFile = Setting(
            "words.token_file",
            "",
            as: .file,
            "File with the token of its agent, which the daemon's user must own (chown jarvis-voiced, mode 600). Empty: "
                + "\"jarvis-token-WORD\" beside the other secrets, with \"_\" for a blank. The token of [jarvis] is never "
                + "sent to another address."
        )
        package let session = Setting(
            "words.session",
            "",
            as: .text(mayBeEmpty: true),
            "Name of its conversation with the agent. Words with the same address, token and name share one. "
                + "Empty: the word's own if it has an address or a token file, else the same as without a table."
        )
        package let instructions = Setting(
            "words.instructions", "", as: .text(mayBeEmpty: true), "Added to the instructions of the voice."
        )
        package let voice = Setting(
            "words.voice", "", as: .text(mayBeEmpty: true), "Voice of the first service in service.use."
        )
        package let language = Setting(
            "words.language", "", as: .text(mayBeEmpty: true),
            "Language to recognise and to speak, for instance \"de\", with a service that has the setting."
        )
    }

    /// Converts a wake word, or the name of its model or table, to lower case with spaces between the words.
    package static func plain(_ name: some StringProtocol) -> String {
        name.split { $0 == " " || $0 == "_" }.joined(separator: " ").lowercased()
    }

    /// The word as a name of a table or file: "okay_nabu".
    static func tag(of word: String) -> String { String(word.map { $0 == " " || $0 == "/" ? "_" : $0 }) }

    /// The name of a word's table: "words.okay_nabu".
    static func table(of word: String) -> String { name + "." + tag(of: word) }

    /// The keys for the documentation.
    package static let allKeys: [ConfigurationKey] = Mirror(reflecting: keys).children.compactMap {
        ($0.value as? any AnySetting)?.key
    }

    /// Stores a value of the table; otherwise returns a sentence that states what was expected.
    ///
    /// - Parameters:
    ///   - name: of the key in the table.
    ///   - path: of the key in the file.
    package mutating func set(_ value: ConfigurationValue, for name: some StringProtocol, at path: String) -> String? {
        guard let key = Self.allKeys.first(where: { $0.name == name }) else {
            return "unknown key \(path): the table of a wake word takes "
                + Self.allKeys.map(\.name).joined(separator: ", ")
        }
        if value == .text("") {
            self[key] = value
            return nil
        }
        guard let accepted = key.kind.accept(value) else {
            if let problem = key.kind.problem(ofAddress: value) { return "\(path) \(problem)" }
            return "\(path) must be \(key.kind.wanted), got \(key.kind.shown(value))"
        }
        self[key] = accepted
        return nil
    }
}

/// The assistant that a wake word opens, with the settings of its table and all inherited ones.
package struct Assistant: Sendable, Equatable {
    /// The wake word in plain form: "okay nabu".
    package var word: String
    package var name: String
    /// The whole configuration as it applies to this assistant, except voice and language.
    package var configuration: Configuration
    /// Name of its conversation with the agent; nil if it shares agent and conversation with the rest of the box.
    package var session: String?
    /// Whether its agent takes another token than that of [jarvis].
    package var hasOwnToken: Bool
    /// Added to the instructions of the voice; empty for none.
    package var instructions: String
    /// Voice and language of the service that speaks for it; empty for those of the box.
    package var voice: String
    package var language: String

    init(_ word: String, _ table: Configuration.Word, in base: Configuration) {
        self.word = word
        var spoken = word.split(separator: " ")
        if spoken.count > 1, ["hey", "okay", "ok", "hi"].contains(spoken[0]) { spoken.removeFirst() }
        let called = spoken.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
        name = table.name.isEmpty ? called : table.name
        configuration = base
        instructions = table.instructions
        voice = table.voice
        language = table.language
        if !table.url.isEmpty { configuration.jarvis.url = table.url }
        // Compares parsed addresses, because a slash at the end does not make another agent.
        let isElsewhere = ServerURL(configuration.jarvis.url) != ServerURL(base.jarvis.url)
        hasOwnToken = isElsewhere || !table.tokenFile.isEmpty
        if hasOwnToken { configuration.jarvis.tokenFile = table.tokenFile }
        session = !table.session.isEmpty ? table.session : hasOwnToken ? word : nil
    }

    /// Name of its table: "words.okay_nabu".
    package var table: String { Configuration.Word.table(of: word) }
    /// The word in file names: "okay_nabu".
    package var tag: String { Configuration.Word.tag(of: word) }
}

extension Configuration {
    /// The assistants of wake words that have a table, in the order of the words.
    package var assistants: [Assistant] {
        words.sorted { $0.key < $1.key }.map { Assistant($0.key, $0.value, in: self) }
    }
}
