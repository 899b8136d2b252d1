internal import VoiceBase

/// The sound of a chunk: little-endian PCM.
package struct WyomingFormat: Equatable, Sendable {
    /// In Hz.
    package var rate: Int
    /// Bytes of a sample.
    package var width: Int
    package var channels: Int

    package init(rate: Int, width: Int = 2, channels: Int = 1) {
        self.rate = rate
        self.width = width
        self.channels = channels
    }

    /// What servers for speech are sent.
    package static let microphone = WyomingFormat(rate: 16_000)

    fileprivate init?(_ data: [String: JSONValue]) {
        guard let rate = data["rate"]?.intValue, (4_000...192_000).contains(rate), let width = data["width"]?.intValue,
            (1...4).contains(width), let channels = data["channels"]?.intValue, (1...8).contains(channels)
        else { return nil }
        self.init(rate: rate, width: width, channels: channels)
    }

    fileprivate var data: [String: JSONValue] {
        ["rate": .integer(rate), "width": .integer(width), "channels": .integer(channels)]
    }
}

/// What a Wyoming server for speech may say, every number within its bounds.
package enum WyomingEvent: Equatable, Sendable {
    case info(WyomingInfo)
    /// The whole text of an utterance; it replaces the pieces that came before.
    case transcript(String, language: String?)
    case transcriptStart
    /// A piece, to be put behind those before.
    case transcriptChunk(String)
    case transcriptStop
    /// Speech begins in this format; each sentence may have its own.
    case audioStart(WyomingFormat)
    case audioChunk(WyomingFormat, [UInt8])
    case audioStop
    /// The end of all speech of one stream.
    case synthesizeStopped
    case voiceStarted
    case voiceStopped
    case detection(String)
    case notDetected
    case error(String, code: String?)
    /// Nothing that concerns speech: skipped.
    case other(String)
    /// A message of a known kind without what it needs.
    case malformed(String)

    /// Longest text that is taken, in bytes: minutes of speech.
    package static let longestText = 16 << 10

    package init(_ frame: WyomingFrame) {
        func text(_ name: String, atMost limit: Int = WyomingEvent.longestText) -> String? {
            frame.data[name]?.stringValue?.bounded(toBytes: limit)
        }
        switch frame.type {
        case "info": self = .info(WyomingInfo(frame.data))
        case "transcript":
            self =
                text("text").map { .transcript($0, language: text("language", atMost: 32)) } ?? .malformed(frame.type)
        case "transcript-start": self = .transcriptStart
        case "transcript-chunk": self = text("text").map { .transcriptChunk($0) } ?? .malformed(frame.type)
        case "transcript-stop": self = .transcriptStop
        case "audio-start": self = WyomingFormat(frame.data).map { .audioStart($0) } ?? .malformed(frame.type)
        case "audio-chunk":
            self = WyomingFormat(frame.data).map { .audioChunk($0, frame.payload) } ?? .malformed(frame.type)
        case "audio-stop": self = .audioStop
        case "synthesize-stopped": self = .synthesizeStopped
        case "voice-started": self = .voiceStarted
        case "voice-stopped": self = .voiceStopped
        case "detection": self = .detection(text("name", atMost: 256) ?? "")
        case "not-detected": self = .notDetected
        case "error":
            self = .error(
                ForeignText.sentence(text("text", atMost: 1024) ?? "no reason was given"),
                code: text("code", atMost: 64).map { ForeignText.title($0) }
            )
        default: self = .other(String(frame.type.prefix(64)))
        }
    }
}

/// What a Wyoming server is asked for.
package enum WyomingRequest: Equatable, Sendable {
    case describe
    /// - language: a code of two letters; nil leaves it to the server.
    case transcribe(language: String?)
    case audioStart(WyomingFormat)
    /// - timestamp: of its first sample, in ms of the utterance.
    case audioChunk(WyomingFormat, [UInt8], timestamp: Int)
    case audioStop(timestamp: Int)
    /// - voice: nil leaves it to the server: a voice that it has not makes some of them download it.
    case synthesize(String, voice: String?)
    case synthesizeStart(voice: String?)
    case synthesizeChunk(String)
    case synthesizeStop
    /// - names: of the words to find.
    case detect([String])

    package var frame: WyomingFrame {
        switch self {
        case .describe: return WyomingFrame("describe")
        case .transcribe(let language):
            return WyomingFrame("transcribe", language.map { ["language": .string($0)] } ?? [:])
        case .audioStart(let format): return WyomingFrame("audio-start", format.data.merging(["timestamp": 0]) { $1 })
        case .audioChunk(let format, let sound, let timestamp):
            let data = format.data.merging(["timestamp": .integer(timestamp)]) { $1 }
            return WyomingFrame("audio-chunk", data, payload: sound)
        case .audioStop(let timestamp): return WyomingFrame("audio-stop", ["timestamp": .integer(timestamp)])
        case .synthesize(let text, let voice):
            var data = Self.voice(voice)
            data["text"] = .string(text)
            return WyomingFrame("synthesize", data)
        case .synthesizeStart(let voice): return WyomingFrame("synthesize-start", Self.voice(voice))
        case .synthesizeChunk(let text): return WyomingFrame("synthesize-chunk", ["text": .string(text)])
        case .synthesizeStop: return WyomingFrame("synthesize-stop")
        case .detect(let names): return WyomingFrame("detect", ["names": .array(names.map { .string($0) })])
        }
    }

    private static func voice(_ name: String?) -> [String: JSONValue] {
        name.map { ["voice": .object(["name": .string($0)])] } ?? [:]
    }

    /// "en" of "en-US" and "en_GB.UTF-8": servers know languages by two or three letters, and some close the connection
    /// over anything else. Nil where it is no such code.
    package static func language(_ tag: String) -> String? {
        let code = tag.prefix { $0.isASCII && $0.isLetter }.lowercased()
        return (2...3).contains(code.utf8.count) ? code : nil
    }
}

/// What a server says of itself, as far as speech needs it.
package struct WyomingInfo: Equatable, Sendable {
    package struct Program: Equatable, Sendable {
        package var name: String
        package var isInstalled: Bool
        /// Transcripts in pieces, or speech before the text is whole.
        package var streams: Bool
        /// It finds no end of an utterance by itself.
        package var needsEndOfTurn: Bool
        /// Names of its models, or voices.
        package var models: [String]
        /// Of all of them.
        package var languages: Set<String>

        /// Whether it says that it knows a language; one that names none may know any.
        package func speaks(_ language: String) -> Bool {
            let known = languages.compactMap { WyomingRequest.language($0) }
            return known.isEmpty || known.contains(WyomingRequest.language(language) ?? language)
        }
    }

    /// Speech to text.
    package var asr: [Program]
    /// Text to speech.
    package var tts: [Program]

    /// More programs and models are not looked at.
    private static let most = 1000

    init(_ data: [String: JSONValue]) {
        asr = Self.programs(data["asr"], models: "models", streams: "supports_transcript_streaming")
        tts = Self.programs(data["tts"], models: "voices", streams: "supports_synthesize_streaming")
    }

    private static func programs(_ value: JSONValue?, models: String, streams: String) -> [Program] {
        guard case .array(let programs)? = value else { return [] }
        return programs.prefix(16).compactMap { program in
            guard program.isObject else { return nil }
            var names: [String] = []
            var languages: Set<String> = []
            if case .array(let entries)? = program[models] {
                for entry in entries.prefix(most) where entry["installed"] != false {
                    if let name = entry["name"]?.stringValue { names.append(name.bounded(toBytes: 128)) }
                    guard case .array(let codes)? = entry["languages"] else { continue }
                    for code in codes.prefix(200) where languages.count < most {
                        if let code = code.stringValue { languages.insert(code.bounded(toBytes: 32)) }
                    }
                }
            }
            return Program(
                name: ForeignText.title(program["name"]?.stringValue ?? ""),
                isInstalled: program["installed"] != false,
                // Flags that are absent are those of an older server.
                streams: program[streams] == true,
                needsEndOfTurn: program["requires_external_vad"] != false,
                models: names,
                languages: languages
            )
        }
    }
}

/// Puts the text of one utterance together, whole or in pieces (`WyomingEvent`).
package struct WyomingTranscript: Equatable, Sendable {
    private var pieces = ""
    /// The whole text: all that may be acted on. Nil until it came.
    package private(set) var whole: String?

    package init() {}

    /// What is known so far, for captions.
    package var text: String { whole ?? Self.tidy(pieces) }

    package mutating func take(_ event: WyomingEvent) {
        switch event {
        case .transcript(let text, _): whole = Self.tidy(text)
        case .transcriptStart where whole == nil: pieces = ""
        case .transcriptChunk(let text) where whole == nil:
            pieces = (pieces + text).bounded(toBytes: WyomingEvent.longestText)
        default: break
        }
    }

    /// Servers put blanks in front and between segments.
    static func tidy(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
