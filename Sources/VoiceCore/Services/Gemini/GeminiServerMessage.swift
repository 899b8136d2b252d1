internal import VoiceBase
package import VoiceConversation

/// A message from a Gemini Live session: any number of these fields, in any combination; all may be absent.
package struct GeminiServerMessage: Equatable, Sendable {
    package enum Activity: String, Sendable {
        case start = "ACTIVITY_START"
        case end = "ACTIVITY_END"
    }

    /// The session is set up.
    package var isSetUp = false
    package var sounds: [GeminiSound] = []
    /// Words of the sound in this message or around it; spaces belong to them.
    package var said = ""
    package var heard = ""
    package var activity: Activity?
    package var calls: [GeminiCall] = []
    /// Calls without an id or a name.
    package var unreadCalls = 0
    /// Ids of calls that the service no longer waits for.
    package var cancelled: [String] = []
    /// The service cut its turn.
    package var isInterrupted = false
    /// All output of the turn was sent.
    package var isGenerated = false
    package var isTurnOver = false
    /// Why the turn ended, unless it ended well.
    package var reason: String?
    package var usage: Usage?
    /// Resumes the session on another connection.
    package var handle: String?
    /// The connection ends after this time.
    package var timeLeft: Duration?
    /// Names of unknown fields of the outermost object.
    package var unknown: [String] = []

    package init() {}
}

/// A piece of sound, still encoded.
package struct GeminiSound: Equatable, Sendable {
    package enum Data: Equatable, Sendable {
        /// Base64 in this range of the message.
        case range(Range<Int>)
        /// Base64.
        case text(String)
    }

    package var data: Data
    /// Such as "audio/pcm;rate=24000"; nil if not stated.
    package var kind: String?

    /// Whether it can be played: 16-bit PCM at 24 kHz, or unstated.
    var isPlayable: Bool {
        guard let kind else { return true }
        let parts = kind.lowercased().split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        return parts.first == "audio/pcm"
            && parts.dropFirst().allSatisfy { !$0.hasPrefix("rate=") || $0 == "rate=\(AudioFormat.wireRate)" }
    }
}

package struct GeminiCall: Equatable, Sendable {
    package var id: String
    package var name: String
    /// JSON, in the words of the model.
    package var arguments: String

    package init(id: String, name: String, arguments: String = "{}") {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}

/// Decodes one message of a Gemini Live session. Unknown fields are not errors.
package enum GeminiDecoder {
    /// Maximum size of a message without its sound, in bytes.
    package static let longest = 256 << 10
    private static let mostValues = 4096
    private static let longestName = 512
    private static let longestText = 16_384
    private static let mostCalls = 32
    /// More than any session can hold, in tokens.
    private static let mostTokens = 10_000_000
    /// An hour: longer than any connection lasts.
    private static let longestTime = 3600.0

    /// Returns nil unless the message is a JSON object.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> GeminiServerMessage? {
        guard bytes.count <= AudioFormat.longestEncodedMessage else { return nil }
        let frame = GeminiEnvelope(bytes)
        guard
            case .object(let fields)? = OutsideJSON.decode(
                JSONValue.self, from: frame.json, atMost: longest, values: mostValues
            )
        else { return nil }
        var message = GeminiServerMessage()
        for (name, value) in fields {
            switch name {
            case "setupComplete": message.isSetUp = true
            case "serverContent": read(value, frame.sounds, &message)
            case "toolCall": readCalls(value, &message)
            case "toolCallCancellation":
                message.cancelled = list(value["ids"]).prefix(mostCalls).compactMap { text($0, longestName) }
            case "usageMetadata": readUsage(value, &message)
            case "voiceActivity":
                message.activity = value["type"]?.stringValue.flatMap(GeminiServerMessage.Activity.init(rawValue:))
            case "sessionResumptionUpdate":
                if value["resumable"] == .bool(true) { message.handle = text(value["newHandle"], longestName) }
            case "goAway": message.timeLeft = seconds(value["timeLeft"]?.stringValue) ?? .zero
            case "voiceActivityDetectionSignal": break
            default: message.unknown.append(name.bounded(toBytes: 80))
            }
        }
        message.unknown = Array(message.unknown.sorted().prefix(4))
        return message
    }

    package static func decode(_ text: String) -> GeminiServerMessage? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    private static func read(_ content: JSONValue, _ sounds: [Range<Int>], _ message: inout GeminiServerMessage) {
        for part in list(content["modelTurn"]?["parts"]) {
            // The text of a part is a thought.
            guard let data = part["inlineData"]?["data"]?.stringValue, part["thought"] != .bool(true) else { continue }
            let kind = text(part["inlineData"]?["mimeType"], longestName)
            let place = data.hasPrefix("@") ? Int(data.dropFirst()) : nil
            if let place, sounds.indices.contains(place) {
                message.sounds.append(GeminiSound(data: .range(sounds[place]), kind: kind))
            } else if !data.isEmpty {
                message.sounds.append(GeminiSound(data: .text(data), kind: kind))
            }
        }
        func words(_ name: String) -> String {
            content[name]?["text"]?.stringValue?.bounded(toBytes: longestText) ?? ""
        }
        message.said = words("outputTranscription")
        message.heard = words("inputTranscription")
        message.isInterrupted = content["interrupted"] == .bool(true)
        message.isGenerated = content["generationComplete"] == .bool(true)
        // A model that thinks at length ends utterances with this, and its turn later.
        let goesOn = content["interactionStatus"]?.stringValue == "IN_PROGRESS"
        message.isTurnOver = content["turnComplete"] == .bool(true) && !goesOn
        message.reason = text(content["turnCompleteReason"], 80)
    }

    private static func readCalls(_ value: JSONValue, _ message: inout GeminiServerMessage) {
        for call in list(value["functionCalls"]).prefix(mostCalls) {
            guard let id = text(call["id"], longestName), let name = text(call["name"], longestName) else {
                message.unreadCalls += 1
                continue
            }
            let arguments = call["args"].map { $0.isObject ? $0.encoded : "{}" } ?? "{}"
            message.calls.append(GeminiCall(id: id, name: name, arguments: arguments))
        }
    }

    /// The details do not add up to the counts: sound is its detail, text the rest. Thoughts are text that no count contains.
    private static func readUsage(_ value: JSONValue, _ message: inout GeminiServerMessage) {
        func count(_ value: JSONValue?) -> Int { min(max(value?.intValue ?? 0, 0), mostTokens) }
        func audio(_ name: String, of all: Int) -> Int {
            let details = list(value[name]).filter { $0["modality"]?.stringValue == "AUDIO" }
            return min(details.reduce(0) { $0 + count($1["tokenCount"]) }, all)
        }
        let (read, written) = (count(value["promptTokenCount"]), count(value["responseTokenCount"]))
        let (heard, spoken) = (audio("promptTokensDetails", of: read), audio("responseTokensDetails", of: written))
        message.usage = Usage(
            textIn: read - heard, audioIn: heard, textOut: written - spoken + count(value["thoughtsTokenCount"]),
            audioOut: spoken
        )
    }

    private static func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let values)? = value { values } else { [] }
    }

    private static func text(_ value: JSONValue?, _ longest: Int) -> String? {
        guard let text = value?.stringValue, !text.isEmpty, text.utf8.count <= longest else { return nil }
        return text
    }

    /// Reads "50s" or "1.880s".
    private static func seconds(_ text: String?) -> Duration? {
        guard let text, text.hasSuffix("s"), let value = Double(text.dropLast()), value.isFinite else { return nil }
        return .milliseconds(Int(min(max(0, value), longestTime) * 1000))
    }
}
