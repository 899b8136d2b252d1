package import VoiceBase
internal import VoiceConfiguration

/// What the daemon wants a Realtime session to be; becomes the `session` object of `session.update`.
///
/// Keep it byte-identical from session to session: the service caches the prefix of a conversation.
package struct RealtimeSettings: Equatable, Sendable {
    package enum TurnDetection: Equatable, Sendable {
        /// Waits for the end of the thought; `eagerness` low, medium, high or auto.
        case semantic(eagerness: String)
        /// Waits for silence, in ms (never below 200); `threshold` 0 to 1.
        case server(threshold: Double, silence: Int)
    }

    package struct Transcription: Equatable, Sendable {
        package var model: String
        /// ISO 639-1, or nil to let the recogniser guess.
        package var language: String?

        package init(model: String, language: String?) {
            self.model = model
            self.language = language
        }
    }

    package var instructions: String
    package var tools: [JSONValue]
    package var voice: String
    package var speed: Double
    package var turnDetection: TurnDetection
    /// `near_field`, `far_field`, or nil for none.
    package var noiseReduction: String?
    package var transcription: Transcription?
    package var maximumOutputTokens: Int
    /// `minimal` to `xhigh`; nil where the model is not told.
    package var reasoningEffort: String?
    /// What the service understands.
    package var dialect: Dialect

    package init(
        instructions: String,
        tools: [JSONValue],
        voice: String = Configuration.Realtime().voice,
        speed: Double = Configuration.Realtime().speed,
        turnDetection: TurnDetection = .semantic(eagerness: Configuration.Realtime().eagerness.rawValue),
        noiseReduction: String? = Configuration.Realtime().noiseReduction.rawValue,
        transcription: Transcription? = nil,
        maximumOutputTokens: Int = Configuration.Realtime().maxOutputTokens,
        reasoningEffort: String? = nil,
        dialect: Dialect = .openAI
    ) {
        self.instructions = instructions
        self.tools = tools
        self.voice = voice
        self.speed = speed
        self.turnDetection = turnDetection
        self.noiseReduction = noiseReduction
        self.transcription = transcription
        self.maximumOutputTokens = maximumOutputTokens
        self.reasoningEffort = reasoningEffort
        self.dialect = dialect
    }

    /// Compares what a server says is in force with what was asked for.
    ///
    /// A server rejects an update as a whole or drops a part of it, and talks on with a stranger's defaults and no
    /// tools: the worst kind of failure, because it sounds healthy. Fields that the server adds are its own business.
    package func differences(from inForce: JSONValue) -> [SettingsDifference] {
        var found: [SettingsDifference] = []
        Self.compare(asked: json, got: inForce, path: "session", isWhole: dialect.tellsAllSettings, into: &found)
        return found.sorted { $0.path < $1.path }
    }

    private static func compare(
        asked: JSONValue,
        got: JSONValue?,
        path: String,
        isWhole: Bool,
        into found: inout [SettingsDifference]
    ) {
        switch (asked, got) {
        case (.object(let wanted), .object(let have)):
            for (key, value) in wanted {
                compare(asked: value, got: have[key], path: "\(path).\(key)", isWhole: isWhole, into: &found)
            }
        case (.array(let wanted), .array(let have)) where wanted.count == have.count:
            for (index, value) in wanted.enumerated() {
                compare(asked: value, got: have[index], path: "\(path)[\(index)]", isWhole: isWhole, into: &found)
            }
        case (.null, nil), (.null, .null?):
            return
        case (_, nil), (_, .null?):
            if isWhole { found.append(SettingsDifference(path: path)) }
        default:
            if let number = asked.doubleValue, let other = got?.doubleValue, abs(number - other) < 1e-6 { return }
            if asked != got { found.append(SettingsDifference(path: path)) }
        }
    }
}

/// One field that is not in force as it was asked for.
package struct SettingsDifference: Equatable, Sendable {
    package var path: String

    /// Without these the session would talk without its tools, in another role, or in a format we do not read.
    package var isFatal: Bool {
        ["session.type", "session.instructions", "session.tools", "session.output_modalities"].contains {
            path.hasPrefix($0)
        } || path.hasPrefix("session.audio.input.format") || path.hasPrefix("session.audio.output.format")
            || path.hasPrefix("session.input_audio_format") || path.hasPrefix("session.output_audio_format")
    }
}
