import Testing
import VoiceSimulator

@testable import VoiceCore

extension EndToEnd {
    /// Orders to a whole daemon, as its control socket carries them out.
    @Suite struct ControlTests {
        private func perform(_ words: String..., on stage: Stage) async throws -> [String: JSONValue] {
            let daemon = try #require(stage.daemon)
            let request = try ControlRegistry.standard.request(words: words)
            guard case .done(let result) = try await ControlRegistry.standard.run(request, on: daemon) else {
                return [:]
            }
            return result
        }

        @Test func theDaemonTellsAndObeys() async throws {
            let stage = try Stage([.say("One two three four five six seven eight nine ten eleven twelve.")])
            try await stage.start()
            try await stage.reach(.listening)
            #expect(try await perform("status", on: stage)["text"] == "Listening")
            #expect(try await perform("volume", "media", "-20", on: stage)["media"] == 50)
            #expect(try await perform("volume", "off", on: stage)["muted"] == true)
            _ = try await perform("mute", on: stage)
            #expect(try await perform("status", on: stage)["text"] == "Muted")
            _ = try await perform("unmute", on: stage)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            _ = try await perform("interrupt", on: stage)
            try await stage.reach(.listening, times: 2)
            #expect(try await perform("mode", on: stage)["mode"] == "always")
            #expect(try await perform("mode", "push", on: stage)["mode"] == "push")
            #expect(try await perform("media", on: stage)["status"] == "stopped")
            #expect(try await perform("stop", on: stage)["cancelled"] == false)
            try await stage.stop()
        }

        @Test func aFreshStartOpensAnotherSession() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            _ = try await perform("reset", on: stage)
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
        }

        @Test func nothingIsSaidWithoutAConversation() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            stage.post(.deactivate)
            try await stage.reach(.idle)
            await #expect(throws: ControlProblem(.notAvailable, "no conversation is open; \"listen\" opens one")) {
                _ = try await perform("say", "hello", on: stage)
            }
            _ = try await perform("listen", on: stage)
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
        }

        @Test func whoWatchesSeesTheStates() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            let daemon = try #require(stage.daemon)
            let subscription = daemon.events.subscribe(capacity: 8)
            stage.post(.deactivate)
            var events = subscription.stream.makeAsyncIterator()
            #expect(await events.next() == DaemonEvent(.state, ["from": "listening", "to": "idle"]))
            subscription.cancel()
            try await stage.stop()
        }
    }
}
