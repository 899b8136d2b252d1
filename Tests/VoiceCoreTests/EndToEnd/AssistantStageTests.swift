import FoundationEssentials
import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// Two wake words, two assistants, two agents.
    @Suite struct AssistantStageTests {
        @Test func eachWakeWordUsesItsVoiceAndAgent() async throws {
            let words = ScriptedWords()
            let nabu = AgentStandIn(token: "of-nabu") { _ in "School." }
            let port = try await nabu.start()
            let file = "/tmp/stage-token-\(getpid())"
            try Data("of-nabu".utf8).write(to: URL(filePath: file))
            defer { unlink(file) }
            let stage = try Stage(Array(repeating: .ask("What is on today?"), count: 3))
            try await stage.startListening(for: words) {
                $0.activation.wakeWords = "hey jarvis, okay nabu"
                var table = Configuration.Word()
                table.name = "Nabu"
                table.url = "http://127.0.0.1:\(port)/ui"
                table.tokenFile = file
                table.session = "child"
                table.instructions = "You talk to a child."
                table.voice = "cedar"
                table.language = "de"
                $0.words["okay nabu"] = table
            }
            try await stage.pass(milliseconds: 1600)
            words.find("hey jarvis")
            try await stage.reach(.listening)
            try await stage.pass(milliseconds: 1000)
            stage.say("Today")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(ActivationPhase.followUp)
            #expect(await stage.daemon?.activationStatus.assistant == nil)
            words.find("okay nabu")
            try await stage.reach(.listening, times: 3)
            #expect(await stage.daemon?.activationStatus.assistant == "Nabu")
            // A turn that ends sooner counts as the wake word itself.
            try await stage.pass(milliseconds: 2500)
            stage.say("Today")
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.reach(ActivationPhase.followUp)
            words.find("hey jarvis")
            try await stage.reach(.listening, times: 5)
            #expect(await stage.daemon?.activationStatus.assistant == nil)
            try await stage.pass(milliseconds: 2500)
            stage.say("Today")
            try await stage.reach(.aiSpeaking, times: 3)
            try await stage.reach(ActivationPhase.followUp)
            try await stage.stop()
            await nabu.stop()

            #expect(stage.agent.requests.compactMap(\.query).map { $0.contains("What is on today?") } == [true, true])
            let asked = nabu.requests
            #expect(asked.count == 1)
            #expect(asked.first?.query?.contains("What is on today?") == true)
            #expect(asked.first?.query?.contains("Nabu") == true, "the agent is told who was called")
            #expect(asked.first?.header("session_id")?.hasPrefix("voice-child-") == true)
            #expect(asked.first?.header("Authorization") == "Bearer of-nabu")
            let sessions = [1, 2, 3].compactMap {
                stage.journal.client("session.update", connection: $0).first?["session"]
            }
            #expect(sessions.map { $0["audio"]?["output"]?["voice"]?.string } == ["marin", "cedar", "marin"])
            let told = sessions.map { $0["instructions"]?.string?.contains("You talk to a child.") }
            #expect(told == [false, true, false])
            let line = stage.log.lines.first { $0.contains("wake word detected") && $0.contains("okay nabu") }
            #expect(line?.contains("Nabu") == true, "\(stage.log.lines.filter { $0.contains("wake word") })")
        }

        /// Both words share the agent, which works on one question at a time.
        @Test func anotherWordWithdrawsWhatTheFirstOneWorksOn() async throws {
            let words = ScriptedWords()
            let stage = try Stage([.ask("What is on today?"), .ask("What is on today?")]) { request in
                let isNabus = request.query?.contains("Nabu") == true
                return .init(.reply("School."), delayMilliseconds: isNabus ? 0 : 60_000)
            }
            try await stage.startListening(for: words) {
                $0.activation.wakeWords = "hey jarvis, okay nabu"
                var table = Configuration.Word()
                table.name = "Nabu"
                $0.words["okay nabu"] = table
            }
            try await stage.pass(milliseconds: 1600)
            words.find("hey jarvis")
            try await stage.reach(.listening)
            try await stage.pass(milliseconds: 1000)
            stage.say("Today")
            try await stage.reach(.waitingForJarvis)
            stage.daemon?.activate(.word("okay nabu"))
            try await stage.reach(.listening, times: 2)
            try await stage.pass(milliseconds: 2500)
            stage.say("Today")
            try await stage.reach(ActivationPhase.followUp)
            try await stage.stop()
            #expect(stage.agent.requests.compactMap(\.query).count == 2)
            #expect(stage.agent.requests.first?.disconnectedEarly == true, "no one waits for it")
            #expect(stage.log.lines.contains { $0.contains("the request was withdrawn, because another assistant") })
        }
    }
}
