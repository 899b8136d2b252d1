import FoundationEssentials
import Testing

@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceDatagrid

/// The messages of Datagrid Voice according to its integration guide and its SDK, in both directions.
struct DatagridMessageTests {
    private static func json(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    // MARK: Up

    @Test func startCarriesTheSettingsOfTheService() throws {
        let settings = DatagridSettings(agent: "agent_1", prompt: "Be brief.", voice: "aurora", greeting: "Hello.")
        let first = try Self.json(DatagridClientMessage.start(settings, conversation: nil).encoded)
        #expect(
            first == [
                "type": "start",
                "payload": [
                    "agent_id": "agent_1", "config": ["custom_prompt": "Be brief."], "initial_message": "Hello.",
                    "voice_config": [
                        "input_transcription": true, "output_transcription": true, "silent_start": true,
                        "silence_timeout": false, "voice_preset": "aurora",
                    ],
                ],
            ]
        )
        // A continued conversation is not greeted again.
        let next = try Self.json(DatagridClientMessage.start(settings, conversation: "conv_1").encoded)
        #expect(next["payload"]?["conversation_id"] == "conv_1")
        #expect(next["payload"]?["initial_message"] == nil)
    }

    @Test func unsetSettingsAreNotSent() throws {
        let message = try Self.json(DatagridClientMessage.start(DatagridSettings(), conversation: nil).encoded)
        guard case .object(let payload)? = message["payload"] else { throw NoPayload() }
        #expect(Set(payload.keys) == ["voice_config"])
    }

    private struct NoPayload: Error {}

    @Test func otherMessagesHaveTheirPayload() throws {
        #expect(try Self.json(DatagridClientMessage.interrupt.encoded) == ["type": "interrupt"])
        #expect(try Self.json(DatagridClientMessage.stop.encoded) == ["type": "stop"])
        let text = try Self.json(DatagridClientMessage.text("What is on?").encoded)
        #expect(text == ["type": "text", "payload": ["text": "What is on?"]])
        let audio = DatagridClientMessage.audio
        #expect(
            try Self.json(Array("\(audio.before)AAAA\(audio.after)".utf8)) == [
                "type": "audio", "payload": ["data": "AAAA"],
            ]
        )
        #expect(DatagridClientMessage.startAsGiven(Array("{}".utf8)).encoded == Array("{}".utf8))
    }

    // MARK: Down

    @Test(
        arguments: [
            (
                #"{"type":"started","payload":{"session_id":"s","conversation_id":"c","message_id":"m"}}"#,
                .started(session: "s", conversation: "c")
            ),
            (#"{"type":"ready"}"#, .ready), (#"{"type":"ready","payload":{}}"#, .ready),
            (
                #"{"type":"transcript","payload":{"role":"user","text":" and"}}"#,
                .transcript(DatagridLine(.user, " and"))
            ),
            (
                #"{"type":"transcript","payload":{"role":"agent","text":"Yes."}}"#,
                .transcript(DatagridLine(.agent, "Yes."))
            ),
            (
                #"{"type":"tool_call","payload":{"tool_name":"search","status":"failed"}}"#,
                .tool(name: "search", status: "failed")
            ),
            (#"{"type":"interrupted"}"#, .interrupted),
            (#"{"type":"error","payload":{"message":"No."}}"#, .error(code: nil, text: "No.")),
            (
                #"{"type":"error","payload":{"message":"No.","code":"client_silence_timeout"}}"#,
                .error(code: "client_silence_timeout", text: "No.")
            ),
            (
                #"{"type":"ended","payload":{"credits_consumed":1.5,"transcript":[{"role":"user","text":"Hi"}]}}"#,
                .ended(credits: 1.5, transcript: [DatagridLine(.user, "Hi")])
            ),
            (#"{"type":"ended"}"#, .ended(credits: nil, transcript: [])),
            (#"{"type":"citation","payload":{"citations":[],"timestamp_ms":5}}"#, .ignored(type: "citation")),
            (#"{"type":"audio","payload":{"data":"AAAA"}}"#, .ignored(type: "audio")),
            (#"{"type":"weather"}"#, .unknown(type: "weather")),
        ] as [(String, DatagridServerMessage)]
    )
    func everyMessageIsRead(text: String, message: DatagridServerMessage) {
        #expect(DatagridDecoder.decode(text) == message)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"type":7}"#, #"{"type":"transcript","payload":{"role":"judge","text":"x"}}"#,
        #"{"type":"transcript"}"#, #"{"type":"tool_call","payload":{}}"#, String(repeating: "[", count: 5000),
    ])
    func malformedMessageIsIgnored(text: String) { #expect(DatagridDecoder.decode(text) == nil) }

    @Test(arguments: [#"{"type":"ended","payload":{"credits_consumed":-1e300}}"#, #"{"type":"ended","payload":7}"#])
    func oddNumbersAreClamped(text: String) {
        guard case .ended(let credits, []) = DatagridDecoder.decode(text) else {
            Issue.record("not read")
            return
        }
        #expect(credits == nil || credits == 0)
    }

    // MARK: Sound

    private static func audio(_ text: String) -> (data: String, kind: String?)? {
        Array(text.utf8).withUnsafeBytes { bytes in
            DatagridAudio(bytes).map { found in
                func read(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
                return (read(found.data), found.kind.map(read))
            }
        }
    }

    @Test(arguments: [
        #"{"type":"audio","payload":{"data":"AAAA","mime_type":"audio/pcm;rate=24000"}}"#,
        #" { "payload" : { "mime_type" : "audio/pcm;rate=24000" , "data" : "AAAA" } , "type" : "audio" } "#,
    ])
    func soundIsFoundWithoutDecodingTheRest(text: String) throws {
        let found = try #require(Self.audio(text))
        #expect(found.data == "AAAA")
        #expect(DatagridAudio.isPlayable(found.kind))
    }

    @Test(arguments: [
        #"{"type":"text","payload":{"data":"AAAA"}}"#, #"{"type":"audio","payload":{}}"#, #"{"type":"audio"}"#,
        #"{"type":"audio","payload":{"data":"AAAA"}"#, #"{"payload":{"data":"AAAA"}}"#,
        #"{"type":"audio","payload":{"data":"AA\u0041A"}}"#,
    ])
    func otherAudioFormsAreLeftToTheSlowReader(text: String) { #expect(Self.audio(text) == nil) }

    @Test func escapedAudioIsReadByTheSlowReader() throws {
        let text = #"{"type":"audio","payload":{"data":"AA\u0041A"}}"#
        let found = try #require(Array(text.utf8).withUnsafeBytes { DatagridAudio.slowly($0) })
        #expect(found.data == "AAAA" && found.kind == nil)
    }

    @Test func otherAudioFormatsAreNotPlayed() {
        #expect(DatagridAudio.isPlayable(nil) && DatagridAudio.isPlayable("audio/L16; rate=24000"))
        #expect(!DatagridAudio.isPlayable("audio/mpeg") && !DatagridAudio.isPlayable("audio/pcm;rate=16000"))
    }

    // MARK: The hand-off

    @Test func aHandOffIsAnAddressAndTheFirstMessage() throws {
        let reply =
            #"{"object":"voice.session","agent_id":"a","url":"wss://h/ws?token=t1","start_message":{"type":"start"}}"#
        let handoff = try #require(DatagridHandoff(Array(reply.utf8), isEncrypted: true))
        #expect(handoff.url == "wss://h/ws?token=t1")
        #expect(handoff.start == Array(#"{"type":"start"}"#.utf8))
        // A text is sent unchanged.
        let asText = #"{"url":"wss://h/ws?token=t1","start_message":"{ \"type\": \"start\" }"}"#
        #expect(DatagridHandoff(Array(asText.utf8), isEncrypted: true)?.start == Array(#"{ "type": "start" }"#.utf8))
    }

    @Test(arguments: [
        "", "{}", #"{"url":"wss://h/ws"}"#, #"{"url":"https://h/ws","start_message":{}}"#,
        // The key was sent over TLS, so the conversation must not be sent in the clear.
        #"{"url":"ws://h/ws","start_message":{"type":"start"}}"#,
        #"{"url":"wss://h/ws","start_message":7}"#,
    ])
    func malformedHandOffIsRefused(reply: String) {
        #expect(DatagridHandoff(Array(reply.utf8), isEncrypted: true) == nil)
    }

    // MARK: Continuing a conversation

    @Test func conversationContinuesAfterALossAndBrieflyAfterItsEnd() {
        var conversation = DatagridConversation(patience: .seconds(60))
        #expect(conversation.next(at: .zero) == nil)
        conversation.began("c1")
        conversation.sessionEnded(at: .seconds(100), isLost: true)
        #expect(conversation.next(at: .seconds(400)) == "c1")
        conversation.began("c1")
        conversation.sessionEnded(at: .seconds(500), isLost: false)
        #expect(conversation.next(at: .seconds(550)) == "c1")
        #expect(conversation.next(at: .seconds(600)) == nil)
        conversation.began("c1")
        conversation.forget()
        #expect(conversation.next(at: .seconds(600)) == nil)
    }
}
