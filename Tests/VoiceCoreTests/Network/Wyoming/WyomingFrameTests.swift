import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceNetwork

/// The framing of the protocol, as real servers write it.
struct WyomingFrameTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The same message in its three forms: in the line, in a block, in both.
    private static let messages: [UInt8] = {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        let block = bytes(#"{"text":"Grüße","language":"de"}"#)
        let part = bytes(#"{"text":"Grüße"}"#)
        return bytes(#"{"type":"transcript","data":{"text":"Grüße","language":"de"}}"# + "\n")
            + bytes(
                "{\"type\":\"transcript\",\"version\":\"1.10.2\",\"data_length\":\(block.count),\"payload_length\":5}\n"
            )
            + block + bytes("a\nb\u{0}c")
            + bytes(
                "{\"type\":\"transcript\",\"data\":{\"text\":\"nothing\",\"language\":\"de\"},\"data_length\":\(part.count)}\n"
            ) + part
    }()

    @Test(arguments: [1, 2, 7, 64, 10_000], [true, false])
    func threeFrameFormsMeanTheSame(size: Int, keepsPayload: Bool) throws {
        var decoder = WyomingDecoder(keepsPayload: keepsPayload)
        var frames: [WyomingFrame] = []
        for start in stride(from: 0, to: Self.messages.count, by: size) {
            frames += try decoder.consume(Self.messages[start..<min(Self.messages.count, start + size)])
        }
        #expect(frames.count == 3)
        #expect(frames.allSatisfy { $0.data == ["text": "Grüße", "language": "de"] }, "\(frames)")
        #expect(frames.map(\.payload) == [[], keepsPayload ? Self.bytes("a\nb\u{0}c") : [], []])
    }

    /// Piper's server describes 174 voices in 86,375 bytes of data.
    @Test func theInfoOfALargeServerIsRead() throws {
        let voices = (0..<174).map { number -> JSONValue in
            [
                "name": .string("en_US-voice\(number)-medium"), "languages": ["en_US"], "installed": true,
                "version": "1",
                "description": .string(String(repeating: "x", count: 150)), "attribution": ["name": "n", "url": "u"],
                "speakers": nil,
            ]
        }
        let info = WyomingFrame(
            "info",
            [
                "asr": [], "wake": [],
                "tts": [
                    [
                        "name": "piper", "installed": true, "voices": .array(voices),
                        "supports_synthesize_streaming": true,
                    ]
                ],
            ]
        )
        var block = try #require(String(decoding: info.bytes, as: UTF8.self).split(separator: "\"data\":").last)
            .dropLast()
        block = block[...(try #require(block.lastIndex(of: "]")))]
        // As the server sends it: in a block, padded to exactly that length.
        var data = Self.bytes(String(block) + "}")
        #expect(data.count < 86_375)
        data += [UInt8](repeating: 32, count: 86_375 - data.count)
        var decoder = WyomingDecoder()
        let frames = try decoder.consume(Self.bytes("{\"type\":\"info\",\"data_length\":\(data.count)}\n") + data)
        guard case .info(let read)? = frames.first.map(WyomingEvent.init) else {
            Issue.record("no info")
            return
        }
        #expect(read.asr.isEmpty && read.tts.count == 1)
        #expect(read.tts.first?.models.count == 174 && read.tts.first?.streams == true)
        #expect(read.tts.first?.speaks("en-GB") == true && read.tts.first?.speaks("de") == false)
    }

    @Test(arguments: [
        ("\n", WyomingFault.noMessage), ("[]\n", .noMessage), ("{}\n", .noMessage), ("{\"type\":1}\n", .noMessage),
        ("{\"type\":\"x\",\"data\":7}\n", .noMessage), ("{\"type\":\"x\",\"data_length\":2}\n[]", .noMessage),
        ("{\"type\":\"x\",\"data_length\":-1}\n", .tooLong), ("{\"type\":\"x\",\"data_length\":1048577}\n", .tooLong),
        ("{\"type\":\"x\",\"data_length\":\"9\"}\n", .tooLong),
        ("{\"type\":\"x\",\"payload_length\":16777217}\n", .tooLong),
        ("{\"type\":\"x\",\"payload_length\":1e99}\n", .tooLong), ("HTTP/1.1 400 Bad Request\r\n", .noMessage),
    ]) func malformedMessageEndsTheConnection(text: String, fault: WyomingFault) {
        var decoder = WyomingDecoder()
        #expect(throws: fault) { try decoder.consume(Array(text.utf8)) }
    }

    @Test func aLineWithoutEndIsNotKept() {
        var decoder = WyomingDecoder()
        #expect(throws: WyomingFault.noLines) {
            for _ in 0..<100 { _ = try decoder.consume([UInt8](repeating: 97, count: 1000)) }
        }
    }

    @Test func largestPayloadIsReadOrSkipped() throws {
        let header = Self.bytes("{\"type\":\"audio-chunk\",\"payload_length\":\(16 << 20)}\n")
        let last = Self.bytes("{\"type\":\"audio-stop\"}\n")
        for keepsPayload in [true, false] {
            var decoder = WyomingDecoder(keepsPayload: keepsPayload)
            var frames = try decoder.consume(header)
            for _ in 0..<16 { frames += try decoder.consume([UInt8](repeating: 10, count: 1 << 20)) }
            frames += try decoder.consume(last)
            #expect(frames.map(\.type) == ["audio-chunk", "audio-stop"])
            #expect(frames.first?.payload.count == (keepsPayload ? 16 << 20 : 0))
        }
    }

    @Test func requestsRoundTrip() throws {
        let requests: [WyomingRequest] = [
            .describe, .transcribe(language: "en"), .transcribe(language: nil), .audioStart(.microphone),
            .audioChunk(.microphone, [1, 2, 10, 0], timestamp: 40), .audioStop(timestamp: 80),
            .synthesize("\"Grüße\"\n", voice: nil), .synthesizeStart(voice: "joe"), .synthesizeChunk("a"),
            .synthesizeStop,
            .detect(["hey_jarvis"]),
        ]
        var decoder = WyomingDecoder()
        let frames = try decoder.consume(requests.flatMap(\.frame.bytes))
        #expect(frames == requests.map(\.frame))
        #expect(frames[4].payload == [1, 2, 10, 0] && frames[4].data["timestamp"] == 40)
        #expect(frames[6].data["voice"] == nil, "no voice is asked for that would have to be downloaded")
    }

    @Test func anyBytesAreSurvived() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            var bytes = Self.messages
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var decoder = WyomingDecoder()
            for frame in (try? decoder.consume(bytes)) ?? [] { _ = WyomingEvent(frame) }
        }
    }
}

/// Messages of servers, as values.
struct WyomingEventTests {
    private func event(_ type: String, _ data: [String: JSONValue] = [:], payload: [UInt8] = []) -> WyomingEvent {
        WyomingEvent(WyomingFrame(type, data, payload: payload))
    }

    @Test func speechToTextIsUnderstood() {
        #expect(event("transcript", ["text": " Hello."]) == .transcript(" Hello.", language: nil))
        #expect(event("transcript") == .malformed("transcript"))
        var transcript = WyomingTranscript()
        transcript.receive(event("transcript-start", ["language": "en"]))
        transcript.receive(event("transcript-chunk", ["text": " What is"]))
        transcript.receive(event("transcript-chunk", ["text": " in"]))
        #expect(transcript.text == "What is in" && transcript.whole == nil, "pieces are never acted on")
        transcript.receive(event("transcript-stop"))
        transcript.receive(event("transcript", ["text": " What is  in my calendar?"]))
        transcript.receive(event("transcript-chunk", ["text": "late"]))
        #expect(transcript.whole == "What is in my calendar?" && transcript.text == transcript.whole)
    }

    @Test(arguments: [
        (22_050, 2, 1, true), (16_000, 2, 2, true), (0, 2, 1, false), (-1, 2, 1, false), (1_000_000, 2, 1, false),
        (16_000, 0, 1, false), (16_000, 9, 1, false), (16_000, 2, 0, false), (16_000, 2, 1000, false),
    ]) func impossibleSoundFormatIsRefused(rate: Int, width: Int, channels: Int, isGood: Bool) {
        let data: [String: JSONValue] = [
            "rate": .integer(rate), "width": .integer(width), "channels": .integer(channels), "timestamp": nil,
        ]
        let format = WyomingFormat(rate: rate, width: width, channels: channels)
        #expect(event("audio-start", data) == (isGood ? .audioStart(format) : .malformed("audio-start")))
        let chunk = event("audio-chunk", data, payload: [1, 2])
        #expect(chunk == (isGood ? .audioChunk(format, [1, 2]) : .malformed("audio-chunk")))
    }

    @Test func errorBecomesOneLineOfText() {
        let error = event("error", ["text": "# channels\nnot \"specified\"", "code": "Error"])
        #expect(error == .error("# channels not specified", code: "Error"))
        #expect(event("error") == .error("no reason was given", code: nil))
        #expect(event("pong") == .other("pong"))
    }

    /// Flags that an older server does not know are absent.
    @Test func anOlderServerIsUnderstood() {
        guard
            case .info(let info) = event(
                "info", ["asr": [["name": "whisper", "models": [["name": "tiny"]]]], "tts": "x"]
            )
        else { return }
        #expect(
            info.asr == [
                .init(
                    name: "whisper", isInstalled: true, streams: false, needsEndOfTurn: true, models: ["tiny"],
                    languages: []
                )
            ]
        )
        #expect(info.asr[0].speaks("de") && info.tts.isEmpty)
    }

    @Test(
        arguments: [
            ("en-US", "en"), ("en_GB.UTF-8", "en"), ("DE", "de"), ("", nil), ("english", nil), ("zxx", "zxx"),
            ("9", nil),
        ] as [(String, String?)]
    )
    func languageNamesBecomeCodes(tag: String, code: String?) {
        #expect(WyomingRequest.language(tag) == code)
    }
}
