import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

extension EndToEnd {
    /// Whatever is going on: within two seconds the server sees an orderly end.
    @Suite struct StopTests {
        private static let limit = Duration.seconds(2)

        @Test func daemonStopsWhileListening() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            try await expectOrderlyEnd(stage)
        }

        @Test func daemonStopsWhileSpeaking() async throws {
            let stage = try Stage([.say("One two three four five six seven eight nine ten eleven twelve.")])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            try await expectOrderlyEnd(stage)
        }

        @Test func daemonStopsDuringACall() async throws {
            let stage = try Stage([.ask("What is on?")]) { _ in .init(.silence) }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.waitingForJarvis)
            try await expectOrderlyEnd(stage)
            #expect(stage.agent.requests.count == 1)
            #expect(stage.agent.requests.first?.disconnectedEarly == true)
        }

        @Test func daemonStopsWithoutAnAnswerOfTheService() async throws {
            let mute = try LoopbackServer({ $0.waitForEnd() })
            let stage = try Stage([])
            try await stage.start { $0.realtime.url = "ws://127.0.0.1:\(mute.port)/v1/realtime" }
            try await stage.reach(.connecting)
            try await Task.sleep(for: .milliseconds(100))
            let (_, took) = try await stage.stop()
            #expect(took < Self.limit, "\(took)")
        }

        private func expectOrderlyEnd(_ stage: Stage) async throws {
            let (_, took) = try await stage.stop()
            #expect(took < Self.limit, "\(took)")
            #expect(stage.journal.closeCodes == [1000])
            #expect(stage.journal.states.last == .idle)
        }
    }
}
