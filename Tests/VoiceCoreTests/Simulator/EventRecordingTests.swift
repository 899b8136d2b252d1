import Glibc
import Testing
import VoiceSimulator

@testable import TestSupport

/// Runs every flow once; with VOICE_RECORD_DIR set, writes the events of both sides there for scripts/check-events,
/// which compares them with the official SDK.
struct EventRecordingTests {
    @Test func everyFlowIsRecorded() {
        let long = "One two three four five six seven eight nine ten."
        var driver = SessionDriver(
            script: .init(turns: [
                .init(transcript: "Hello", action: .say("Good morning.")),
                .init(
                    transcript: "What is on?",
                    action: .call(filler: "Checking.", tool: "ask_jarvis", arguments: ["query": "What is on?"])
                ),
                .init(transcript: "Now", action: .callOnly(tool: "ask_jarvis", arguments: ["query": "Now"])),
                .init(
                    transcript: "Both",
                    action: .calls(
                        filler: nil,
                        [.init(tool: "pause_playback", arguments: [:]), .init(tool: "ask_jarvis", arguments: [:])]
                    )
                ),
                .init(transcript: "Fail", action: .fail(code: "rate_limit_exceeded", message: "Slow down.")),
                .init(transcript: "Tell", action: .say(long)),
                .init(transcript: "Stop", action: .say("Stopping.")),
            ])
        )
        driver.configure()
        for _ in 0..<5 {
            driver.speakTurn()
            driver.run()
            let calls = driver.last("response.done")?["response"]?["output"]?.array ?? []
            let open = calls.filter { $0["type"] == "function_call" }
            for call in open {
                driver.send([
                    "type": "conversation.item.create",
                    "item": [
                        "type": "function_call_output", "call_id": call["call_id"] ?? nil, "output": "All done.",
                    ],
                ])
            }
            if !open.isEmpty { driver.send(["type": "response.create", "response": ["metadata": ["n": "1"]]]) }
            driver.run()
        }
        driver.speakTurn()
        driver.run { $0.last("response.output_audio_transcript.delta")?["delta"] == " four" }
        let item = driver.last("response.output_audio.delta")?["item_id"] ?? nil
        driver.stream(Microphone.speech(milliseconds: 300))
        for end in [300, 90000] {
            driver.send([
                "type": "conversation.item.truncate", "item_id": item, "content_index": 0, "audio_end_ms": .int(end),
            ])
        }
        driver.stream(Microphone.silence(milliseconds: 500))
        driver.run()
        driver.send(["type": "conversation.item.retrieve", "item_id": item])
        driver.send(["type": "conversation.item.delete", "item_id": item])
        driver.send(["type": "conversation.item.delete", "item_id": item])
        driver.send(["type": "input_audio_buffer.clear"])
        driver.send(["type": "input_audio_buffer.commit"])
        driver.send([
            "type": "conversation.item.create",
            "item": ["type": "message", "role": "system", "content": [["type": "input_text", "text": "Hm."]]],
        ])
        driver.send(["type": "response.create", "response": ["instructions": #"Say "Good night." and no more."#]])
        driver.send(["type": "response.create"])
        driver.send(["type": "response.create", "response": ["conversation": "none", "metadata": ["p": "sum"]]])
        driver.run()
        driver.send(["type": "response.cancel"])
        #expect(driver.last("response.output_audio_transcript.done")?["transcript"] == "Good night.")
        #expect(driver.all("response.done").count == 12)
        write(driver.events.map(\.text), "server.jsonl")
        write(driver.sent.map(\.text), "client.jsonl")
    }

    private func write(_ lines: [String], _ name: String) {
        guard let folder = getenv("VOICE_RECORD_DIR").map({ String(cString: $0) }) else { return }
        guard let file = fopen("\(folder)/\(name)", "w") else {
            return #expect(Bool(false), "\(folder) is not writable")
        }
        for line in lines { fputs(line + "\n", file) }
        fclose(file)
    }
}
