import Testing
import VoiceSimulator

@testable import TestSupport

struct SimulatedSessionTests {
    private static let callScript = ConversationScript(turns: [
        .init(
            transcript: "What is on today?",
            action: .call(filler: "Checking now.", tool: "ask_jarvis", arguments: ["query": "What is on today?"])
        )
    ])

    /// The order of events without deltas, whose number varies.
    private func order(_ driver: SessionDriver) -> [String] {
        driver.types.filter { !$0.hasSuffix(".delta") }
    }

    @Test func plainTurnHasTheDocumentedOrder() {
        var driver = SessionDriver(script: .init(turns: [.init(transcript: "Hi", action: .say("Good morning."))]))
        driver.configure(transcription: false)
        driver.speakTurn()
        driver.run()
        #expect(
            order(driver) == [
                "session.created", "session.updated",
                "input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped",
                "input_audio_buffer.committed", "conversation.item.added", "conversation.item.done",
                "response.created", "response.output_item.added", "conversation.item.added",
                "response.content_part.added", "response.output_audio.done", "response.output_audio_transcript.done",
                "response.content_part.done", "conversation.item.done", "response.output_item.done", "response.done",
                "rate_limits.updated",
            ]
        )
        #expect(driver.last("response.output_audio_transcript.done")?["transcript"] == "Good morning.")
        let words = driver.all("response.output_audio_transcript.delta").compactMap { $0["delta"]?.string }
        #expect(words.joined() == "Good morning.")
        let audio = driver.all("response.output_audio.delta").compactMap { $0["delta"]?.string }
            .flatMap { PCM16.samples(base64: $0) ?? [] }
        #expect(audio == SpokenVoice.tones.samples("Good morning."))
        #expect(driver.last("input_audio_buffer.speech_started")?["audio_start_ms"] == 0)
        #expect(driver.last("input_audio_buffer.speech_stopped")?["audio_end_ms"] == 1200)
    }

    @Test func callTurnSpeaksTheOutput() throws {
        var driver = SessionDriver(script: Self.callScript)
        driver.configure()
        driver.speakTurn()
        driver.run()
        let done = try #require(driver.last("response.done")?["response"])
        #expect(done["status"] == "completed")
        #expect(done["output"]?.array?.compactMap { $0["type"]?.string } == ["message", "function_call"])
        let call = try #require(done["output"]?.array?.last)
        #expect(call["arguments"] == #"{"query":"What is on today?"}"#)
        #expect(
            driver.last("conversation.item.input_audio_transcription.completed")?["transcript"]
                == "What is on today?"
        )
        driver.send([
            "type": "conversation.item.create",
            "item": ["type": "function_call_output", "call_id": call["call_id"] ?? nil, "output": "Two meetings."],
        ])
        driver.send(["type": "response.create"])
        driver.run()
        #expect(driver.last("response.output_audio_transcript.done")?["transcript"] == "Two meetings.")
        #expect(driver.all("response.done").count == 2)
        let ids = driver.events.compactMap { $0["event_id"]?.string }
        #expect(Set(ids).count == driver.events.count)
    }

    @Test func speechInterruptsTheResponse() throws {
        var driver = SessionDriver(
            script: .init(turns: [.init(transcript: "", action: .say("One two three four five six seven."))])
        )
        driver.configure()
        driver.speakTurn()
        driver.run { $0.all("response.output_audio.delta").count == 3 }
        let item = try #require(driver.last("response.output_audio.delta")?["item_id"])
        driver.stream(Microphone.speech(milliseconds: 200))
        #expect(driver.last("response.done")?["response"]?["status"] == "cancelled")
        #expect(driver.last("response.done")?["response"]?["status_details"]?["reason"] == "turn_detected")
        driver.run()
        #expect(driver.all("response.output_audio.delta").count == 3)
        driver.send([
            "type": "conversation.item.truncate", "item_id": item, "content_index": 0, "audio_end_ms": 5000,
        ])
        #expect(driver.last("error")?["error"]?["code"] == "invalid_value")
        driver.send(["type": "conversation.item.truncate", "item_id": item, "content_index": 0, "audio_end_ms": 250])
        #expect(driver.last("conversation.item.truncated")?["audio_end_ms"] == 250)
    }

    @Test func aSecondResponseIsRefusedWhileOneIsActive() {
        var driver = SessionDriver(script: .init())
        driver.configure()
        driver.send(["type": "response.cancel", "event_id": "c-1"])
        #expect(driver.last("error")?["error"]?["code"] == "response_cancel_not_active")
        driver.send(["type": "response.create"])
        driver.send(["type": "response.create", "event_id": "r-2"])
        #expect(driver.last("error")?["error"]?["code"] == "conversation_already_has_active_response")
        #expect(driver.last("error")?["error"]?["event_id"] == "r-2")
        driver.send(["type": "response.cancel"])
        #expect(driver.last("response.done")?["response"]?["status_details"]?["reason"] == "client_cancelled")
    }

    @Test func updateIsAppliedWholeOrNotAtAll() {
        var driver = SessionDriver(script: .init())
        driver.send(["type": "session.update", "session": ["instructions": "x"]])
        #expect(driver.last("error")?["error"]?["code"] == "missing_required_parameter")
        #expect(driver.last("error")?["error"]?["param"] == "session.type")
        driver.send(["type": "session.update", "session": ["type": "realtime", "temperature": 0.8]])
        #expect(driver.last("error")?["error"]?["code"] == "unknown_parameter")
        driver.send([
            "type": "session.update",
            "session": [
                "type": "realtime", "instructions": "lost",
                "audio": ["input": ["turn_detection": ["type": "semantic_vad", "threshold": 0.5]]],
            ],
        ])
        #expect(driver.all("session.updated").isEmpty)
        driver.configure()
        let session = driver.last("session.updated")?["session"]
        #expect(session?["instructions"] == "Be brief.")
        #expect(session?["audio"]?["input"]?["turn_detection"]?["prefix_padding_ms"] == 300)
        driver.send(["type": "response.create"])
        driver.run()
        driver.send([
            "type": "session.update",
            "session": ["type": "realtime", "audio": ["output": ["voice": "marin"]]],
        ])
        #expect(driver.last("error")?["error"]?["code"] == "cannot_update_voice")
    }

    @Test func brokenAudioAndEarlyCommitAreRefused() {
        var driver = SessionDriver(script: .init())
        driver.configure(detection: nil)
        driver.send(["type": "input_audio_buffer.append", "audio": "data:audio/pcm;base64,AAAA"])
        #expect(driver.last("error")?["error"]?["param"] == "audio")
        driver.stream(Microphone.speech(milliseconds: 40))
        driver.send(["type": "input_audio_buffer.commit"])
        #expect(driver.last("error")?["error"]?["code"] == "input_audio_buffer_commit_empty")
        driver.stream(Microphone.speech(milliseconds: 80))
        driver.send(["type": "input_audio_buffer.commit"])
        #expect(driver.all("input_audio_buffer.committed").count == 1)
        #expect(driver.all("response.created").isEmpty)
        driver.send(["type": "response.create"])
        driver.run()
        #expect(driver.last("response.done")?["response"]?["output"]?.array?.count == 2)
    }

    @Test func unknownEventsAndTextAreAnsweredWithErrors() {
        var driver = SessionDriver(script: .init())
        driver.send(["type": "session.start", "event_id": "x"])
        #expect(driver.last("error")?["error"]?["param"] == "type")
        #expect(driver.session.receive("{").count == 1)
        #expect(driver.session.receiveBinary().count == 1)
    }

    @Test func aBadKeyGetsOneErrorAndAClose() {
        let driver = SessionDriver(script: .init(), refusal: .invalidKey)
        #expect(driver.types == ["error"])
        #expect(driver.closed == .close(code: 3000, reason: "invalid_request_error.invalid_api_key"))
    }

    @Test func configuredFaultsHappen() {
        var faults = RealtimeFaults()
        faults.betaNames = true
        faults.unknownEventEvery = 3
        var driver = SessionDriver(script: .init(faults: faults))
        driver.configure()
        driver.speakTurn()
        driver.run()
        #expect(driver.types.contains("response.audio.delta"))
        #expect(!driver.types.contains("response.output_audio.delta"))
        #expect(driver.types.contains("simulator.something_new"))
        let item = driver.last("response.output_item.done")?["item"]
        #expect(item?["type"] == "function_call")
        #expect(!driver.events.contains { $0.text.contains(#""type":"output_audio""#) })

        faults = RealtimeFaults()
        faults.expireAfterEvents = 2
        driver = SessionDriver(script: .init(faults: faults))
        driver.configure()
        #expect(driver.types == ["session.created", "session.updated", "error"])
        #expect(driver.last("error")?["error"]?["code"] == "session_expired")
        guard case .close(let code, _) = driver.closed else { return #expect(Bool(false), "not closed") }
        #expect(code == 1001)

        faults = RealtimeFaults()
        faults.dropAfterEvents = 1
        driver = SessionDriver(script: .init(faults: faults))
        #expect(driver.closed == .drop)
    }

    @Test func earlierOutputsAreSpokenWithTheNextAnswer() {
        var driver = SessionDriver(
            script: .init(turns: [
                .init(transcript: "a", action: .callOnly(tool: "ask_jarvis", arguments: [:])),
                .init(transcript: "b", action: .say("Yes.")),
            ])
        )
        driver.configure()
        driver.speakTurn()
        driver.run()
        driver.send([
            "type": "conversation.item.create",
            "item": ["type": "function_call_output", "call_id": "call_s1_0001", "output": "Late news."],
        ])
        driver.speakTurn()
        driver.run()
        let said = driver.all("response.output_audio_transcript.done").compactMap { $0["transcript"]?.string }
        #expect(said == ["Late news.", "Yes."])
        #expect(driver.all("response.done").count == 2)
    }

    @Test func withoutAutomaticResponsesTheClientDecides() {
        var driver = SessionDriver(script: .init(turns: [.init(transcript: "a", action: .say("Yes."))]))
        driver.configure(detection: ["type": "server_vad", "silence_duration_ms": 300, "create_response": false])
        driver.speakTurn()
        driver.run()
        #expect(driver.all("response.created").isEmpty)
        driver.send(["type": "response.create", "response": ["metadata": ["k": "v"]]])
        driver.run()
        #expect(driver.last("response.output_audio_transcript.done")?["transcript"] == "Yes.")
        #expect(driver.last("response.done")?["response"]?["metadata"]?["k"] == "v")
    }

    /// Bytes from outside must never stop the process.
    @Test func randomMessagesAreSurvived() {
        var session = SimulatedSession(configuration: .init(), script: .init())
        var state: UInt64 = 7
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let seed = Array(
            #"{"type":"conversation.item.truncate","item_id":"a","audio_end_ms":1,"session":{"type":"realtime"}}"#.utf8
        )
        for _ in 0..<300 {
            var bytes = seed
            for _ in 0..<next(6) { bytes[next(bytes.count)] = UInt8(next(128)) }
            _ = session.receive(String(decoding: bytes.prefix(next(bytes.count + 1)), as: UTF8.self))
        }
    }
}
