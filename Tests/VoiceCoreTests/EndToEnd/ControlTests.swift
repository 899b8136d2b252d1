import Testing
import VoiceSimulator

@testable import VoiceCore

extension EndToEnd {
    /// Orders to a whole daemon, as its control socket carries them out.
    @Suite struct ControlTests {
        @Test func theDaemonTellsAndObeys() async throws {
            let stage = try Stage([.say("One two three four five six seven eight nine ten eleven twelve.")])
            try await stage.start()
            try await stage.reach(.listening)
            #expect(try await stage.perform("status")["text"] == "Listening")
            #expect(try await stage.perform("volume", "media", "-20")["media"] == 50)
            #expect(try await stage.perform("volume", "off")["muted"] == true)
            _ = try await stage.perform("mute")
            #expect(try await stage.perform("status")["text"] == "Muted")
            _ = try await stage.perform("unmute")
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            _ = try await stage.perform("interrupt")
            try await stage.reach(.listening, times: 2)
            #expect(try await stage.perform("mode")["mode"] == "always")
            #expect(try await stage.perform("mode", "push")["mode"] == "push")
            #expect(try await stage.perform("media")["status"] == "stopped")
            #expect(try await stage.perform("stop")["cancelled"] == false)
            try await stage.stop()
        }

        @Test func aFreshStartOpensAnotherSession() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            _ = try await stage.perform("reset")
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
                _ = try await stage.perform("say", "hello")
            }
            _ = try await stage.perform("listen")
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
