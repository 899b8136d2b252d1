import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

extension EndToEnd {
    @Suite struct SoundLossTests {
        @Test func endedAudioThreadIsRestarted() async throws {
            let stage = try Stage([.say("Good morning.")])
            try await stage.start()
            try await stage.reach(.listening)
            let ports = try #require(stage.ports)
            ports.gauges.state = .stopped
            try await stage.journal.wait(for: "the card") { _ in ports.gauges.state == .running }
            stage.say("Hello")
            try await stage.reach(.listening, times: 2)
            let (tones, took) = try await stage.stop()
            #expect(tones.spell("Good morning."), "\(tones)")
            #expect(took < .seconds(2))
            #expect(stage.log.lines.contains { $0.contains("audio thread has ended") })
        }

        @Test(arguments: [0, 300, 760])
        func daemonEndsWithoutItsAudioThread(milliseconds: Int) async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            let ports = try #require(stage.ports)
            ports.gauges.state = .stopped
            try await Task.sleep(for: .milliseconds(milliseconds))
            let (_, took) = try await stage.stop()
            #expect(took < .seconds(2))
            let periods = ports.gauges.counters.cycles
            try await Task.sleep(for: .milliseconds(300))
            #expect(ports.gauges.counters.cycles == periods, "the audio thread runs on")
        }

        /// The room's recording becomes a pipe without a reader: opening it blocks until there is one.
        @Test func cardReturningAfterTheEndIsClosed() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            let ports = try #require(stage.ports)
            unlink(stage.recording)
            try #require(mkfifo(stage.recording, 0o600) == 0)
            ports.gauges.state = .stopped
            try await stage.journal.wait(for: "the opening") { _ in ports.gauges.state == .starting }
            let (_, took) = try await stage.stop()
            #expect(took < .seconds(2))
            let reader = open(stage.recording, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            try await stage.journal.wait(for: "the end") { _ in ports.gauges.state == .stopped }
        }
    }
}
