import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceReply
@testable import VoiceSession

extension EndToEnd {
    /// Every event that the daemon can send to the service. With VOICE_RECORD_DIR set, they are written there for
    /// scripts/check-events, which compares them with the official SDK.
    @Suite struct ClientEventTests {
        private static let folder = getenv("VOICE_RECORD_DIR").map { String(cString: $0) }

        /// The cases of `ClientEvent`: a new one does not compile until it has a kind here, which then requires a
        /// sample.
        private enum Kind: CaseIterable {
            case sessionUpdate
            case functionCallOutput
            case functionCall
            case userMessage
            case assistantMessage
            case responseCreate
            case responseCancel
            case truncate
            case deleteItem
            case clearInput

            init(_ event: ClientEvent) {
                self =
                    switch event {
                    case .sessionUpdate: .sessionUpdate
                    case .functionCallOutput: .functionCallOutput
                    case .functionCall: .functionCall
                    case .userMessage: .userMessage
                    case .assistantMessage: .assistantMessage
                    case .responseCreate: .responseCreate
                    case .responseCancel: .responseCancel
                    case .truncate: .truncate
                    case .deleteItem: .deleteItem
                    case .clearInput: .clearInput
                    }
            }
        }

        private static var samples: [ClientEvent] {
            let tools = VoiceDaemon.advertised(logger: LineLog().logger).map(\.definition)
            let plain = RealtimeSettings(instructions: Persona.instructions(language: ""), tools: tools)
            var other = RealtimeSettings(
                instructions: "Say \"no\".\n\u{1F600}",
                tools: [],
                voice: "cedar",
                speed: 1.25,
                turnDetection: .server(threshold: 0.6, silence: 350),
                noiseReduction: nil,
                transcription: .init(model: "gpt-transcribe", language: "en"),
                maximumOutputTokens: 4096
            )
            let settings = [plain, other]
            other.transcription?.language = nil
            other.turnDetection = .semantic(eagerness: "high")
            return (settings + [other]).map { .sessionUpdate($0, eventID: "settings-1-1") } + [
                .functionCallOutput(callID: "call_1", output: "", eventID: "output-1-2"),
                .functionCallOutput(
                    callID: "call_1",
                    output: "Two\t\"meetings\" \u{7}\u{1F600}",
                    eventID: "output-1-3"
                ),
                .functionCall(
                    callID: "answer-2-1",
                    name: "ask_jarvis",
                    arguments: #"{"query":"x"}"#,
                    eventID: "answer-2-2"
                ),
                .userMessage(text: "What is \"on\"?", eventID: "question-2-5"),
                .assistantMessage(text: "Two meetings.", eventID: "carry-2-6"),
                .responseCreate(eventID: "respond-1-5"),
                .responseCreate(eventID: "respond-1-6", mayCall: false, instructions: "Say: dinner is ready."),
                .responseCancel(responseID: nil, eventID: "cancel-1-6"),
                .responseCancel(responseID: "resp_1", eventID: "cancel-1-7"),
                .truncate(itemID: "item_1", contentIndex: 0, audioEnd: 0, eventID: "truncate-1-8"),
                .truncate(itemID: "item_1", contentIndex: 0, audioEnd: 61_234, eventID: "truncate-1-9"),
                .deleteItem(itemID: "item_1", eventID: "delete-1-10"),
                .clearInput(eventID: "clear-1-11"),
            ]
        }

        private static func append(_ samples: [Int16]) -> String {
            let encoder = Base64Uplink(RealtimeWire.audioMessage)
            var message = [UInt8](repeating: 0, count: encoder.longestMessage(samples: samples.count))
            _ = samples.withUnsafeBufferPointer { samples in
                message.withUnsafeMutableBytes { encoder.write(samples, into: $0) }
            }
            return String(decoding: message, as: UTF8.self)
        }

        @Test func everyEventKindHasASample() throws {
            #expect(Set(Self.samples.map { Kind($0) }) == Set(Kind.allCases))
            let lines =
                Self.samples.map { String(decoding: $0.encoded(), as: UTF8.self) }
                + [1, 2, 3, 480].map { Self.append((0..<$0).map { Int16(truncatingIfNeeded: $0 * 997) }) }
            for line in lines {
                let event = try #require(SimulatedJSON(text: line), "\(line)")
                #expect(event["type"]?.string?.isEmpty == false)
                #expect(!line.contains("\n"))
            }
            try Self.write(lines, "daemon.jsonl")
        }

        /// A call, an interruption, and a session that is lost with a call in progress.
        @Test(.enabled(if: folder != nil))
        func realConversationSendsValidEvents() async throws {
            let stage = try Stage(
                [.ask("What is on?"), .say("One two three four five six seven eight nine ten."), .ask("More?")],
                speed: 3
            ) { _ in .init(.reply("Two meetings."), delayMilliseconds: 1200) }
            try await stage.start { $0.realtime.transcription = true }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking, times: 3)
            try await Task.sleep(for: .milliseconds(500))
            stage.say("And more")
            try await stage.reach(.waitingForJarvis, times: 2)
            await stage.simulator.dropConnections()
            try await stage.journal.wait(for: "the remark") { entries in
                entries.client(2).contains { $0["type"] == "response.create" }
            }
            try await stage.stop()
            let lines = stage.simulator.clientEventLines
            let types = Set(lines.compactMap { SimulatedJSON(text: $0)?["type"]?.string })
            #expect(
                types == [
                    "session.update", "input_audio_buffer.append", "conversation.item.create", "response.create",
                    "conversation.item.truncate",
                ]
            )
            try Self.write(lines, "conversation.jsonl")
        }

        private static func write(_ lines: [String], _ name: String) throws {
            guard let folder else { return }
            let file = try #require(fopen("\(folder)/\(name)", "w"), "\(folder) is not writable")
            for line in lines { fputs(line + "\n", file) }
            fclose(file)
        }
    }
}
