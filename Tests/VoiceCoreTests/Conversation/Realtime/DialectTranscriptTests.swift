import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// A conversation in each dialect: a question with a call, its answer, and an interruption.
struct DialectTranscriptTests {
    // MARK: OpenAI, Azure

    /// The conversation in the GA protocol, in parts.
    private static let opening = """
        {"type":"session.created","event_id":"e1","session":{"type":"realtime","id":"sess_1","expires_at":1795000000}}
        """
    private static let call = """
        {"type":"input_audio_buffer.speech_started","event_id":"e3","audio_start_ms":300,"item_id":"item_1"}
        {"type":"input_audio_buffer.speech_stopped","event_id":"e4","audio_end_ms":1900,"item_id":"item_1"}
        {"type":"input_audio_buffer.committed","event_id":"e5","previous_item_id":null,"item_id":"item_1"}
        {"type":"conversation.item.added","event_id":"e6","previous_item_id":null,"item":{"id":"item_1","type":"message","role":"user","content":[{"type":"input_audio","transcript":null}]}}
        {"type":"response.created","event_id":"e7","response":{"id":"resp_1","status":"in_progress","metadata":null}}
        {"type":"response.output_item.added","event_id":"e8","response_id":"resp_1","output_index":0,"item":{"id":"item_2","type":"function_call","status":"in_progress","name":"ask_jarvis","call_id":"call_1","arguments":""}}
        {"type":"response.function_call_arguments.done","event_id":"e9","response_id":"resp_1","item_id":"item_2","call_id":"call_1","name":"ask_jarvis","arguments":"{}"}
        {"type":"response.output_item.done","event_id":"e10","response_id":"resp_1","output_index":0,"item":{"id":"item_2","type":"function_call","status":"completed","name":"ask_jarvis","call_id":"call_1","arguments":"{}"}}
        {"type":"response.done","event_id":"e11","response":{"id":"resp_1","status":"completed","status_details":null,"usage":{"total_tokens":90,"input_tokens":80,"output_tokens":10,"input_token_details":{"text_tokens":60,"audio_tokens":20,"cached_tokens":0},"output_token_details":{"text_tokens":10,"audio_tokens":0}}}}
        """
    private static let interruption = """
        {"type":"conversation.item.added","event_id":"e12","previous_item_id":"item_2","item":{"id":"item_3","type":"function_call_output","call_id":"call_1","output":"Two meetings."}}
        {"type":"response.created","event_id":"e13","response":{"id":"resp_2","status":"in_progress","metadata":null}}
        {"type":"response.output_item.added","event_id":"e14","response_id":"resp_2","output_index":0,"item":{"id":"item_4","type":"message","status":"in_progress","role":"assistant","content":[]}}
        {"type":"response.output_audio.delta","event_id":"e15","response_id":"resp_2","item_id":"item_4","output_index":0,"content_index":0,"delta":"AAAA"}
        {"type":"response.output_audio_transcript.delta","event_id":"e16","response_id":"resp_2","item_id":"item_4","output_index":0,"content_index":0,"delta":"You have"}
        {"type":"input_audio_buffer.speech_started","event_id":"e17","audio_start_ms":6300,"item_id":"item_5"}
        {"type":"response.output_audio.done","event_id":"e18","response_id":"resp_2","item_id":"item_4","output_index":0,"content_index":0}
        {"type":"response.done","event_id":"e19","response":{"id":"resp_2","status":"cancelled","status_details":{"type":"cancelled","reason":"turn_detected"}}}
        """

    @Test(arguments: [Dialect.openAI, .azure])
    func openAITranscriptIsHandled(dialect: Dialect) throws {
        var scene = DialectScene(dialect)
        try scene.hear(Self.opening)
        #expect(scene.names == ["session.update"])
        #expect(scene.session["type"] == "realtime")
        #expect(scene.session["output_modalities"] == ["audio"])
        #expect(scene.session["audio"]?["output"]?["voice"] == "eve")
        #expect(scene.session["audio"]?["input"]?["turn_detection"]?["type"] == "semantic_vad")
        #expect(scene.session["audio"]?["input"]?["noise_reduction"] == ["type": "far_field"])
        scene.server(.sessionUpdated(scene.session))
        #expect(scene.state == .listening)
        try scene.hear(Self.call)
        #expect(scene.started == ["call_1"])
        scene.on(.callAnswered(callID: "call_1", "Two meetings."))
        #expect(scene.sent.last?["response"]?["metadata"]?["client_event_id"] == scene.sent.last?["event_id"])
        try scene.hear(Self.interruption)
        #expect(
            scene.names == [
                "session.update", "conversation.item.create", "response.create", "conversation.item.truncate",
            ]
        )
        #expect(scene.sent.last?["audio_end_ms"] == 400)
        scene.on(.interrupt)
        #expect(!scene.names.contains("response.cancel"))
    }

    // MARK: xAI

    @Test func xaiTranscriptIsHandled() throws {
        var scene = DialectScene(.xai)
        try scene.hear(
            """
            {"type":"session.created","event_id":"e1","session":{"id":"sess_1"}}
            {"type":"conversation.created","event_id":"e2","conversation":{"id":"conv_1"}}
            """
        )
        #expect(scene.session["voice"] == "eve")
        #expect(scene.session["turn_detection"]?["type"] == "server_vad")
        #expect(scene.session["audio"]?["output"] == ["format": ["type": "audio/pcm", "rate": 24000]])
        for unknown in ["truncation", "tracing", "output_modalities", "max_output_tokens"] {
            #expect(scene.session[unknown] == nil)
        }
        // Settings that it does not echo are assumed to be in force.
        try scene.hear(
            #"{"type":"session.updated","event_id":"e3","session":{"voice":"eve","instructions":"Be brief."}}"#
        )
        #expect(scene.state == .listening)
        try scene.hear(
            Self.call + "\n"
                + """
                {"type":"ping","event_id":"p1","timestamp":1}
                {"type":"conversation.item.input_audio_transcription.updated","event_id":"t1","item_id":"item_1","transcript":"What"}
                {"type":"conversation.item.input_audio_transcription.completed","event_id":"t2","item_id":"item_1","transcript":"What is on?"}
                {"type":"conversation.item.input_audio_transcription.completed","event_id":"t3","item_id":"item_1","transcript":"What is on?"}
                """
        )
        #expect(scene.started == ["call_1"])
        scene.on(.callAnswered(callID: "call_1", "Two meetings."))
        #expect(scene.sent.last?["type"] == "response.create")
        #expect(scene.sent.last?["response"] == nil)
        try scene.hear(
            Self.interruption.replacing(#"{"type":"cancelled","reason":"turn_detected"}"#, with: #""cancelled""#)
        )
        #expect(scene.state == .userSpeaking)
        #expect(scene.names.last == "conversation.item.truncate")
    }

    // MARK: speaches

    @Test func speachesTranscriptIsHandled() throws {
        var scene = DialectScene(.speaches)
        try scene.hear(
            #"{"type":"session.created","event_id":"e1","session":{"id":"sess_1","modalities":["audio","text"]}}"#
        )
        #expect(scene.session["type"] == nil)
        #expect(scene.session["audio"] == nil)
        #expect(scene.session["modalities"] == ["text", "audio"])
        // It refuses these.
        #expect(scene.session["input_audio_format"] == nil)
        #expect(scene.session["turn_detection"]?["prefix_padding_ms"] == nil)
        #expect(scene.session["turn_detection"]?["type"] == "server_vad")
        #expect(scene.session["input_audio_transcription"] == ["model": "whisper", "language": "en"])
        scene.server(.sessionUpdated(scene.session))
        #expect(scene.state == .listening)
        try scene.hear(
            """
            {"type":"input_audio_buffer.speech_started","event_id":"e3","audio_start_ms":300,"item_id":"item_1"}
            {"type":"input_audio_buffer.speech_stopped","event_id":"e4","audio_end_ms":1900,"item_id":"item_1"}
            {"type":"input_audio_buffer.committed","event_id":"e5","previous_item_id":null,"item_id":"item_1"}
            {"type":"conversation.item.created","event_id":"e6","previous_item_id":null,"item":{"id":"item_1","type":"message","role":"user","status":"completed","content":[{"type":"input_audio","transcript":null}]}}
            {"type":"conversation.item.input_audio_transcription.completed","event_id":"e7","item_id":"item_1","content_index":0,"transcript":"What is on?"}
            {"type":"response.created","event_id":"e8","response":{"id":"resp_1","status":"incomplete","output":[]}}
            {"type":"response.output_item.added","event_id":"e9","response_id":"resp_1","item":{"id":"item_2","type":"function_call","status":"incomplete","call_id":"call_1","name":"ask_jarvis","arguments":""}}
            {"type":"conversation.item.created","event_id":"e10","previous_item_id":"item_1","item":{"id":"item_2","type":"function_call","call_id":"call_1","name":"ask_jarvis","arguments":""}}
            {"type":"response.output_item.done","event_id":"e11","response_id":"resp_1","item":{"id":"item_2","type":"function_call","status":"completed","call_id":"call_1","name":"ask_jarvis","arguments":"{}"}}
            {"type":"response.done","event_id":"e12","response":{"id":"resp_1","status":"completed","output":[]}}
            """
        )
        #expect(scene.started == ["call_1"])
        scene.on(.callAnswered(callID: "call_1", "Two meetings."))
        try scene.hear(
            """
            {"type":"response.created","event_id":"e13","response":{"id":"resp_2","status":"incomplete","output":[]}}
            {"type":"response.audio.delta","event_id":"e14","response_id":"resp_2","item_id":"item_4","output_index":0,"content_index":0,"delta":"AAAA"}
            {"type":"response.audio_transcript.delta","event_id":"e15","response_id":"resp_2","item_id":"item_4","content_index":0,"delta":"You have"}
            """
        )
        #expect(scene.state == .aiSpeaking)
        scene.on(.interrupt)
        #expect(scene.names.suffix(3) == ["response.create", "response.cancel", "conversation.item.truncate"])
        #expect(scene.sent.first { $0["type"] == "response.create" }?["response"] == nil)
        #expect(scene.state == .listening)
    }

    // MARK: LocalAI

    @Test func localAITranscriptIsHandled() throws {
        var scene = DialectScene(.localAI)
        try scene.hear(#"{"type":"session.created","event_id":"event_TODO","session":{"type":"realtime","id":"s"}}"#)
        #expect(scene.session["audio"]?["input"]?["turn_detection"]?["type"] == "server_vad")
        #expect(scene.session["truncation"] == nil)
        #expect(scene.session["audio"]?["input"]?["noise_reduction"] == nil)
        try scene.hear(
            #"{"type":"session.updated","event_id":"event_TODO","session":{"type":"realtime","instructions":"Be brief."}}"#
        )
        #expect(scene.state == .listening)
        try scene.hear(Self.call)
        scene.on(.callAnswered(callID: "call_1", "Two meetings."))
        #expect(scene.sent.last?["response"] == nil)
        try scene.hear(Self.interruption)
        #expect(
            scene.names == [
                "session.update", "conversation.item.create", "response.create", "conversation.item.truncate",
            ]
        )
    }

    @Test func unloadableLocalAIModelIsAnError() throws {
        var scene = DialectScene(.localAI)
        try scene.hear(#"{"type":"error","error":{"code":"model_load_error","message":"no such model"}}"#)
        guard case .error = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
    }

    // MARK: Hugging Face

    private static let huggingFaceCall = """
        {"audio_start_ms":12,"event_id":"e3","item_id":"item_1","type":"input_audio_buffer.speech_started"}
        {"audio_end_ms":2592,"event_id":"e4","item_id":"item_1","type":"input_audio_buffer.speech_stopped"}
        {"event_id":"e5","item_id":"item_1","type":"input_audio_buffer.committed","previous_item_id":null}
        {"event_id":"e6","item":{"content":[{"type":"input_audio"}],"role":"user","type":"message","id":"item_1","status":"completed"},"type":"conversation.item.created","previous_item_id":null}
        {"content_index":0,"event_id":"e7","item_id":"item_1","transcript":"What is on my calendar today?","type":"conversation.item.input_audio_transcription.completed"}
        {"event_id":"e8","response":{"id":"resp_1","metadata":null,"status":"in_progress"},"type":"response.created"}
        {"event_id":"e9","item":{"arguments":"","name":"ask_jarvis","type":"function_call","id":"fc_1","call_id":"call_1","status":"in_progress"},"output_index":0,"response_id":"resp_1","type":"response.output_item.added"}
        {"arguments":"{}","call_id":"call_1","event_id":"e10","item_id":"fc_1","name":"ask_jarvis","output_index":0,"response_id":"resp_1","type":"response.function_call_arguments.done"}
        {"event_id":"e11","item":{"arguments":"{}","name":"ask_jarvis","type":"function_call","id":"fc_1","call_id":"call_1","status":"completed"},"output_index":0,"response_id":"resp_1","type":"response.output_item.done"}
        {"event_id":"e12","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":0,"output_tokens":0}},"type":"response.done"}
        """

    private func openHuggingFace() throws -> DialectScene {
        var scene = DialectScene(.huggingFace)
        try scene.hear(#"{"type":"session.created","event_id":"e1","session":{"type":"realtime","id":"s"}}"#)
        #expect(scene.names == ["session.update"])
        #expect(scene.state == .connecting)
        // It confirms settings as they were sent, and fills in others.
        scene.server(.sessionUpdated(scene.session))
        #expect(scene.state == .listening)
        return scene
    }

    @Test func huggingFaceTranscriptIsHandled() throws {
        var scene = try openHuggingFace()
        try scene.hear(Self.huggingFaceCall)
        #expect(scene.started == ["call_1"])
        scene.on(.callAnswered(callID: "call_1", "Two meetings."))
        #expect(scene.names == ["session.update", "conversation.item.create", "response.create"])
        // A race, under this server's name for it.
        try scene.hear(
            """
            {"type":"error","event_id":"e13","error":{"type":"conversation_already_has_active_response","message":"busy"}}
            {"type":"response.done","event_id":"e14","response":{"id":"resp_x","status":"completed"}}
            {"type":"response.created","event_id":"e15","response":{"id":"resp_2","metadata":{"client_event_id":"respond-1-2"}}}
            {"type":"response.output_audio.delta","event_id":"e16","response_id":"resp_2","item_id":"item_4","output_index":0,"content_index":0,"delta":"AAAA"}
            """
        )
        #expect(scene.state == .aiSpeaking)
        scene.on(.interrupt)
        #expect(scene.names.suffix(2) == ["response.cancel", "conversation.item.truncate"])
        #expect(scene.state == .listening)
    }

    /// It does not answer while the output of a call is missing: a question meanwhile gets its answer anyway.
    @Test func huggingFaceAnswersAQuestionDuringACall() throws {
        var scene = try openHuggingFace()
        try scene.hear(Self.huggingFaceCall)
        #expect(scene.names.count == 1, "a call that is alone needs no output for now")
        try scene.hear(
            #"{"type":"input_audio_buffer.speech_started","event_id":"f1","audio_start_ms":9000,"item_id":"item_5"}"#
        )
        let item = scene.sent.last?["item"]
        #expect(
            item?["type"] == "function_call_output" && item?["call_id"] == "call_1", "before the server has to answer"
        )
        try scene.hear(
            """
            {"type":"input_audio_buffer.speech_stopped","event_id":"f2","audio_end_ms":10000,"item_id":"item_5"}
            {"type":"response.created","event_id":"f3","response":{"id":"resp_2"}}
            {"type":"response.output_audio.delta","event_id":"f4","response_id":"resp_2","item_id":"item_6","output_index":0,"content_index":0,"delta":"AAAA"}
            {"type":"response.done","event_id":"f5","response":{"id":"resp_2","status":"completed"}}
            """
        )
        scene.on(.voiceDrained)
        #expect(scene.state == .waitingForJarvis)
        scene.on(.callAnswered(callID: "call_1", "Two meetings."))
        let late = scene.sent.suffix(3)
        #expect(late.compactMap { $0["item"]?["type"]?.stringValue } == ["function_call", "function_call_output"])
        #expect(late.compactMap { $0["item"]?["output"]?.stringValue } == ["Two meetings."])
        #expect(scene.names.last == "response.create", "and is spoken")
    }

    /// Recorded: its model said nothing, and the end of speech came after the beginning of the response.
    @Test func earlyResponseIsNotAwaitedAgain() throws {
        var scene = try openHuggingFace()
        try scene.hear(
            """
            {"type":"input_audio_buffer.speech_started","event_id":"f1","audio_start_ms":300,"item_id":"item_1"}
            {"type":"response.created","event_id":"f2","response":{"id":"resp_1"}}
            {"type":"input_audio_buffer.speech_stopped","event_id":"f3","audio_end_ms":2000,"item_id":"item_1"}
            {"type":"response.done","event_id":"f4","response":{"id":"resp_1","status":"completed"}}
            """
        )
        #expect(scene.state == .listening)
    }

    /// A server behind a gateway is not known to block before it says so.
    @Test func blockingServerIsRecognisedByItsError() throws {
        var scene = DialectScene(.openAI)
        try scene.hear(#"{"type":"session.created","event_id":"e1","session":{"type":"realtime","id":"s"}}"#)
        scene.server(.sessionUpdated(scene.session))
        try scene.hear(Self.huggingFaceCall)
        scene.on(.ask("What time is it?"))
        #expect(scene.names.last == "response.create")
        try scene.hear(
            #"{"type":"error","error":{"type":"function_call_output_pending","message":"Cannot create a response while function call outputs are pending."}}"#
        )
        #expect(scene.names.suffix(2) == ["conversation.item.create", "response.create"])
        #expect(scene.sent.dropLast().last?["item"]?["call_id"] == "call_1")
    }
}
