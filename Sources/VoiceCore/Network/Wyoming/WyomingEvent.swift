internal import VoiceBase

/// The format of an audio chunk: little-endian PCM.
package struct WyomingFormat: Equatable, Sendable {
    /// Sample rate, in Hz.
    package var rate: Int
    /// Bytes per sample.
    package var width: Int
    package var channels: Int

    package init(rate: Int, width: Int = 2, channels: Int = 1) {
        self.rate = rate
        self.width = width
        self.channels = channels
    }

    /// The format of audio sent to speech servers.
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

/// A message of a Wyoming speech server, with every number checked against its range.
package enum WyomingEvent: Equatable, Sendable {
    case info(WyomingInfo)
    /// The complete text of an utterance; it replaces the chunks received before.
    case transcript(String, language: String?)
    case transcriptStart
    /// A piece of text, to be appended.
    case transcriptChunk(String)
    /// Speech begins in this format; each sentence may have another.
    case audioStart(WyomingFormat)
    case audioChunk(WyomingFormat, [UInt8])
    case audioStop
    case detection(String)
    case error(String, code: String?)
    /// Unrelated to speech: ignored.
    case other(String)
    /// A message of a known type without a required member.
    case malformed(String)

    /// Longest text that is accepted, in bytes: minutes of speech.
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
        case "audio-start": self = WyomingFormat(frame.data).map { .audioStart($0) } ?? .malformed(frame.type)
        case "audio-chunk":
            self = WyomingFormat(frame.data).map { .audioChunk($0, frame.payload) } ?? .malformed(frame.type)
        case "audio-stop": self = .audioStop
        case "detection": self = .detection(text("name", atMost: 256) ?? "")
        case "error":
            self = .error(
                ForeignText.sentence(text("text", atMost: 1024) ?? "no reason was given"),
                code: text("code", atMost: 64).map { ForeignText.title($0) }
            )
        default: self = .other(String(frame.type.prefix(64)))
        }
    }
}

/// A request to a Wyoming server.
package enum WyomingRequest: Equatable, Sendable {
    case describe
    /// - language: a code of two or three letters; nil lets the server choose.
    case transcribe(language: String?)
    case audioStart(WyomingFormat)
    /// - timestamp: of the first sample, in ms from the beginning of the utterance.
    case audioChunk(WyomingFormat, [UInt8], timestamp: Int)
    case audioStop(timestamp: Int)
    /// - voice: nil lets the server choose. Some servers download a voice that they do not have.
    case synthesize(String, voice: String?)
    case synthesizeStart(voice: String?)
    case synthesizeChunk(String)
    case synthesizeStop
    /// - names: of the wake words to detect.
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

    /// Returns "en" for "en-US" and "en_GB.UTF-8"; nil if the text does not begin with such a code. Servers know
    /// languages by two or three letters, and some close the connection on anything else.
    package static func language(_ tag: String) -> String? {
        let code = tag.prefix { $0.isASCII && $0.isLetter }.lowercased()
        return (2...3).contains(code.utf8.count) ? code : nil
    }
}

/// A server's description of itself, as far as speech needs it.
package struct WyomingInfo: Equatable, Sendable {
    package struct Program: Equatable, Sendable {
        package var name: String
        package var isInstalled: Bool
        /// Whether transcripts arrive in chunks, or speech begins before the text is complete.
        package var streams: Bool
        /// Whether it cannot detect the end of an utterance.
        package var needsEndOfTurn: Bool
        /// Names of its models, or voices.
        package var models: [String]
        /// Languages of all models or voices.
        package var languages: Set<String>

        /// Whether the program declares a language; one that declares none may know any.
        package func speaks(_ language: String) -> Bool {
            let known = languages.compactMap { WyomingRequest.language($0) }
            return known.isEmpty || known.contains(WyomingRequest.language(language) ?? language)
        }
    }

    /// Speech to text.
    package var asr: [Program]
    /// Text to speech.
    package var tts: [Program]

    /// Maximum number of models and of languages that are read.
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
                // Older servers do not send these flags.
                streams: program[streams] == true,
                needsEndOfTurn: program["requires_external_vad"] != false,
                models: names,
                languages: languages
            )
        }
    }
}

/// Assembles the text of one utterance, which arrives complete or in chunks (`WyomingEvent`).
package struct WyomingTranscript: Equatable, Sendable {
    private var pieces = ""
    /// The complete text, the only one that may be acted on; nil until it arrives.
    package private(set) var whole: String?

    package init() {}

    /// The text so far, for captions.
    package var text: String { whole ?? Self.tidy(pieces) }

    package mutating func receive(_ event: WyomingEvent) {
        switch event {
        case .transcript(let text, _): whole = Self.tidy(text)
        case .transcriptStart where whole == nil: pieces = ""
        case .transcriptChunk(let text) where whole == nil:
            pieces = (pieces + text).bounded(toBytes: WyomingEvent.longestText)
        default: break
        }
    }

    /// Removes the blanks that servers put before and between segments.
    static func tidy(_ text: String) -> String {
        text.singleSpaced
    }
}
