package import VoiceBase

/// Settings of a Realtime session; they become the `session` object of `session.update`.
///
/// They must be byte-identical from session to session: the service caches the prefix of a conversation.
package struct RealtimeSettings: Equatable, Sendable {
    package enum TurnDetection: Equatable, Sendable {
        /// Waits for the end of the thought; `eagerness` is low, medium, high or auto.
        case semantic(eagerness: String)
        /// Waits for silence, in ms (never below 200); `threshold` 0 to 1.
        case server(threshold: Double, silence: Int)
    }

    package struct Transcription: Equatable, Sendable {
        /// nil leaves it to the service.
        package var model: String?
        /// ISO 639-1; nil to let the recogniser guess.
        package var language: String?

        package init(model: String?, language: String?) {
            self.model = model
            self.language = language
        }
    }

    package var instructions: String
    package var tools: [JSONValue]
    /// nil leaves it to the service.
    package var voice: String?
    /// The model that the address names; nil if it names none.
    package var model: String?
    package var speed: Double
    package var turnDetection: TurnDetection
    /// `near_field`, `far_field`, or nil for none.
    package var noiseReduction: String?
    package var transcription: Transcription?
    /// nil leaves it to the service.
    package var maximumOutputTokens: Int?
    /// `minimal` to `xhigh`; nil to send none.
    package var reasoningEffort: String?
    /// The dialect of the service.
    package var dialect: Dialect
    /// Fields of the `session` object that the service refused: "session.audio.input.noise_reduction".
    private var leftOut: Set<String> = []

    package init(
        instructions: String,
        tools: [JSONValue],
        voice: String? = Configuration.Realtime().voice,
        model: String? = nil,
        speed: Double = Configuration.Realtime().speed,
        turnDetection: TurnDetection = .semantic(eagerness: Configuration.Realtime().eagerness.rawValue),
        noiseReduction: String? = Configuration.Realtime().noiseReduction,
        transcription: Transcription? = nil,
        maximumOutputTokens: Int? = Configuration.Realtime().maxOutputTokens,
        reasoningEffort: String? = nil,
        dialect: Dialect = .openAI
    ) {
        self.instructions = instructions
        self.tools = tools
        self.voice = voice
        self.model = model
        self.speed = speed
        self.turnDetection = turnDetection
        self.noiseReduction = noiseReduction
        self.transcription = transcription
        self.maximumOutputTokens = maximumOutputTokens
        self.reasoningEffort = reasoningEffort
        self.dialect = dialect
    }

    /// Compares the settings in force, as reported by the server, with the requested ones.
    ///
    /// A server may reject an update as a whole or drop part of it, and carry on with default settings and without tools.
    /// That is the worst kind of failure, because it sounds healthy. Fields added by the server are ignored.
    package func differences(from inForce: JSONValue) -> [SettingsDifference] {
        var found: [SettingsDifference] = []
        Self.compare(asked: json, got: inForce, path: "session", isWhole: !dialect.does(.partialReport), into: &found)
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

/// Fields that a service refuses.
extension RealtimeSettings {
    /// The fields of `response.create` that can be left out, each by a difference of the dialect.
    private static func ofResponse(_ field: String) -> Dialect.Difference? {
        switch field {
        case "response.metadata": .noMetadata
        case "response.tools", "response.tool_choice": .noToolChoice
        case "response.instructions": .noInstructions
        default: nil
        }
    }

    /// Returns the field an error is about, if it was sent and the session can do without it. Some servers name it only in
    /// the text, or without the object it is in.
    func sentField(_ error: ServerError) -> String? {
        let isPath = { (letter: Character) in letter.isLetter || letter.isNumber || letter == "_" || letter == "." }
        let named = [error.param ?? ""] + error.message.split { !isPath($0) }.map(String.init)
        let names = named.map { $0.last == "." ? String($0.dropLast()) : $0 }.filter { $0.utf8.count <= 100 }
        let whole = names.first { $0.hasPrefix("session.") || $0.hasPrefix("response.") }
        let bare = names.first { name in
            (name == error.param || name.contains(".")) && !name.isEmpty
                && wholeJSON.has(name.split(separator: ".").map(String.init)[...])
        }
        guard let place = whole ?? bare.map({ "session." + $0 }) else { return nil }
        if Self.ofResponse(place) != nil { return place }
        let keys = place.split(separator: ".").dropFirst().map(String.init)
        let isSent = !keys.isEmpty && wholeJSON.has(keys[...])
        return isSent && !SettingsDifference(path: place).isNeeded ? place : nil
    }

    /// - Returns: false if it was left out before.
    mutating func leaveOut(_ field: String) -> Bool {
        Self.ofResponse(field).map { leaveOut($0) } ?? leftOut.insert(field).inserted
    }

    /// Adds a difference to the dialect: the server has refused the field or event.
    /// - Returns: false if it was left out before.
    mutating func leaveOut(_ difference: Dialect.Difference) -> Bool {
        dialect.differences.updateValue("refused by this server", forKey: difference) == nil
    }

    /// The `session` object.
    var json: JSONValue {
        leftOut.reduce(wholeJSON) { $0.without($1.split(separator: ".").dropFirst().map(String.init)[...]) }
    }
}

extension JSONValue {
    fileprivate func has(_ keys: ArraySlice<String>) -> Bool {
        guard let key = keys.first else { return true }
        return self[key]?.has(keys.dropFirst()) ?? false
    }

    fileprivate func without(_ keys: ArraySlice<String>) -> JSONValue {
        guard case .object(var fields) = self, let key = keys.first, let field = fields[key] else { return self }
        if keys.count == 1 {
            fields.removeValue(forKey: key)
        } else {
            fields[key] = field.without(keys.dropFirst())
        }
        return .object(fields)
    }
}

/// One field that differs from the request.
package struct SettingsDifference: Equatable, Sendable {
    package var path: String

    /// Whether the session cannot do without the field.
    var isNeeded: Bool {
        ["session.type", "session.instructions", "session.tools"].contains { path.hasPrefix($0) }
    }

    /// Whether the session would lack its tools, its role, or a readable format.
    package var isFatal: Bool {
        isNeeded || path.hasPrefix("session.output_modalities") || path.hasPrefix("session.audio.input.format")
            || path.hasPrefix("session.audio.output.format")
            || path.hasPrefix("session.input_audio_format") || path.hasPrefix("session.output_audio_format")
    }
}
