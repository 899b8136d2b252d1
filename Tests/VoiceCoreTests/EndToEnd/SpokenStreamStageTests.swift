import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// Answers that the voice of the house speaks while the agent writes them.
    @Suite struct SpokenStreamStageTests {
        private static let question = "What is in my calendar today?"

        private struct House {
            let stage: Stage
            let servers: WyomingSimulator
            let agent: RunningAgent

            func stop() async throws -> MarkerTones {
                let (tones, _) = try await stage.stop()
                await servers.stop()
                await agent.stop()
                return tones
            }

            /// The tools that were called.
            var calls: [String] {
                stage.journal.entries.compactMap {
                    if case .effect(.startCall(let call, _), _) = $0 { call.name } else { nil }
                }
            }

            func wait(_ what: String, _ isThere: () async -> Bool) async throws {
                for _ in 0..<2000 {
                    if await isThere() { return }
                    try await Task.sleep(for: .milliseconds(10))
                }
                Issue.record(
                    "never seen: \(what); \(stage.journal.states); \(servers.sentences); \(stage.log.lines.suffix(12))"
                )
                throw Journal.NeverSeen(what: what)
            }
        }

        private func start(
            _ texts: [String],
            _ script: @escaping @Sendable (AgentRequest) -> [AgentStep]
        ) async throws -> House {
            let stage = try Stage([])
            let servers = WyomingSimulator(.init(texts))
            let port = try await servers.start()
            let agent = RunningAgent(token: Stage.token, script: script)
            let agentPort = try await agent.start()
            try await stage.start(adjust: { configuration in
                configuration.service.use = [.local]
                configuration.local.recogniser = "127.0.0.1:\(port)"
                configuration.local.speaker = "127.0.0.1:\(port)"
                configuration.jarvis.api = .responses
                configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
            })
            try await stage.reach(.listening)
            return House(stage: stage, servers: servers, agent: agent)
        }

        @Test func firstSentenceIsHeardBeforeTheLastIsWritten() async throws {
            let house = try await start([Self.question]) { _ in
                [.say("Two meetings today. The"), .say(" first is at nine. "), .hold, .say("Lunch is at noon.")]
            }
            house.stage.say("What is in my calendar today")
            try await house.stage.reach(.aiSpeaking)
            #expect(house.servers.sentences == ["Two meetings today."])
            // All that is written was said, and the conversation waits for the rest.
            try await house.stage.pass(milliseconds: 5000)
            #expect(house.agent.isHolding && house.stage.journal.states.last == .waitingForJarvis)
            let frame = Int(house.stage.ports?.gauges.counters.cycles ?? 0) * AudioFormat.periodFrames
            house.agent.proceed()
            try await house.wait("the rest") { house.servers.sentences.count == 3 }
            try await house.stage.reach(.listening, times: 2)
            let tones = try await house.stop()
            #expect(house.servers.sentences == ["Two meetings today.", "The first is at nine.", "Lunch is at noon."])
            #expect(tones.sounds(in: 0..<frame), "the first sample comes before the last sentence is written")
            #expect(tones.spell("Two meetings today. The first is at nine. Lunch is at noon."), "\(tones)")
        }

        @Test func lostConnectionRepeatsNoSentence() async throws {
            let house = try await start([Self.question]) { _ in
                [
                    .say("Two meetings today. The first is at nine. Lu"), .cut, .wait(milliseconds: 300),
                    .say("nch is at noon. "), .discard, .say("Two meetings today. The first is at nine. Lunch is off."),
                ]
            }
            house.stage.say("What is in my calendar today")
            try await house.stage.reach(.listening, times: 2)
            _ = try await house.stop()
            #expect(house.servers.sentences == ["Two meetings today.", "The first is at nine.", "Lunch is off."])
        }

        @Test func failureOfARunFollowsTheSpokenPart() async throws {
            let house = try await start([Self.question]) { _ in
                [
                    .say("Two meetings today. The first is"), .wait(milliseconds: 300),
                    .fail(type: "server_error", message: "x"),
                ]
            }
            house.stage.say("What is in my calendar today")
            try await house.wait("the failure") { house.servers.sentences.count == 2 }
            try await house.stage.reach(.listening, times: 2)
            _ = try await house.stop()
            #expect(
                house.servers.sentences == ["Two meetings today.", "Jarvis ran into a problem and could not finish."]
            )
        }

        @Test func interruptedStreamContinuesOnRequest() async throws {
            let house = try await start([Self.question, "Louder, please.", "Go on."]) { _ in
                [
                    .say("One two three four five. Six seven eight nine ten eleven twelve. Thi"), .hold,
                    .say("rteen fourteen fifteen."),
                ]
            }
            let stage = house.stage
            stage.say("What is in my calendar today")
            try await stage.reach(.aiSpeaking)
            // Into the second sentence.
            try await Task.sleep(for: .milliseconds(1500))
            stage.say("Louder please now")
            try await stage.reach(.userSpeaking, times: 2)
            try await house.wait("the order") { house.calls.contains("change_volume") }
            house.agent.proceed()
            try await stage.reach(.listening, times: 2)
            let before = house.servers.sentences.count
            stage.say("Go on with that")
            try await house.wait("the rest") { house.servers.sentences.count == before + 2 }
            try await stage.reach(.listening, times: 3)
            _ = try await house.stop()
            let rest = Array(house.servers.sentences.dropFirst(before))
            #expect(rest == ["Six seven eight nine ten eleven twelve.", "Thirteen fourteen fifteen."])
            #expect(house.agent.requests.count { $0.method == "POST" && $0.target.hasSuffix("/v1/responses") } == 1)
        }

        @Test func stopEndsAStreamedAnswer() async throws {
            let house = try await start([Self.question]) { _ in
                [.say("One two three four five. Six"), .hold, .say(" seven eight. Nine ten.")]
            }
            house.stage.say("What is in my calendar today")
            try await house.wait("the first sentence") { house.servers.sentences.count == 1 }
            house.stage.daemon?.press(.stop)
            try await house.wait("the run withdrawn") {
                house.agent.routes.contains { $0.hasSuffix("/cancel") }
            }
            house.agent.proceed()
            try await house.stage.pass(milliseconds: 1500)
            _ = try await house.stop()
            #expect(house.servers.sentences == ["One two three four five."])
        }

        /// What the agent asks is put behind what it said, and a yes counts that came after it was heard.
        @Test func permissionFollowsTheSpokenWords() async throws {
            let house = try await start([Self.question, "Yes, please."]) { _ in
                [
                    .say("The folder is full. I can clean it. So"), .approve(command: "rm -r /tmp/x", in: "/tmp"),
                    .say("It is clean now. Good bye."),
                ]
            }
            let (stage, servers) = (house.stage, house.servers)
            stage.say("What is in my calendar today")
            try await house.wait("the question") { servers.sentences.last == "Say yes or no." }
            try await stage.reach(.listening, times: 2)
            #expect(servers.sentences.prefix(2) == ["The folder is full.", "I can clean it."])
            #expect(house.agent.effects == 0)
            stage.say("Yes please do")
            try await house.wait("the end") { servers.sentences.last == "Good bye." }
            _ = try await house.stop()
            #expect(house.agent.effects == 1)
        }
    }
}
