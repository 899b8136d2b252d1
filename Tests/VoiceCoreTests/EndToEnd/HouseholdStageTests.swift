import FoundationEssentials
import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

extension EndToEnd {
    /// Timers and announcements in a whole daemon: requested by voice, heard from the loudspeaker.
    @Suite struct HouseholdStageTests {
        private static func tea(_ seconds: Int) -> ConversationScript.Turn {
            .init(
                transcript: "Set a timer",
                action: .call(
                    filler: "Yes.", tool: "set_timer", arguments: ["seconds": .int(seconds), "name": "marmalade"]
                )
            )
        }

        private static func folder() -> String { "/tmp/house-\(getpid())-\(UInt32.random(in: 0 ... .max))" }

        private func wait(_ what: String, _ isThere: () async -> Bool) async throws {
            for _ in 0..<3000 {
                if await isThere() { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            Issue.record("never seen: \(what)")
        }

        private func rings(_ stage: Stage) -> Bool { stage.ports?.earcons.rings == true }

        enum Way: String, CaseIterable { case stopKey, callKey, stopCommand, timerCommand, cancelCommand, muteKey }

        @Test(arguments: Way.allCases) func aTimerSetByVoiceRingsUntilItIsStopped(way: Way) async throws {
            let stage = try Stage([Self.tea(2)])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Set")
            try await wait("the timer") { await stage.daemon?.timers.count == 1 }
            try await wait("the ringing") { rings(stage) }
            try await stage.reach(.listening, times: 2)
            #expect(try await stage.perform("timer")["text"] == "1: timer \"marmalade\", rings now")
            #expect(stage.journal.outputs.contains { $0.hasPrefix("It is set and rings in ") })
            try await stage.pass(milliseconds: 1200)
            switch way {
            case .stopKey: stage.daemon?.press(.stop)
            case .callKey: stage.daemon?.press(.call)
            case .muteKey: stage.daemon?.press(.mute)
            case .stopCommand: _ = try await stage.perform("stop")
            case .timerCommand: #expect(try await stage.perform("timer", "stop")["rings"] == false)
            case .cancelCommand: _ = try await stage.perform("timer", "cancel", "marmalade")
            }
            try await wait("the end") { !rings(stage) }
            #expect(try await stage.perform("timer")["text"] == "no timers or alarms are set")
            let frame = Int(stage.ports?.gauges.counters.cycles ?? 0) * AudioFormat.periodFrames
            try await stage.pass(milliseconds: 1500)
            let isOpen = await stage.daemon?.state != .idle
            #expect(isOpen || way == .muteKey, "the conversation goes on")
            #expect(!stage.log.lines.contains { $0.contains("marmalade") }, "its name is not logged")
            try await stage.stop()
            let after = stage.samples.dropFirst(frame + 200 * 48).prefix(1200 * 48)
            #expect(stage.samples.prefix(frame).contains { abs($0) > 0.01 })
            #expect(after.count > 1000 && after.allSatisfy { abs($0) < 0.001 }, "silence")
        }

        /// No conversation is open, and none is opened by what ends the ringing. A spoken "stop" is what the listener for stop
        /// words reports; whether an engine hears it is another matter.
        @Test(arguments: ["stop key", "call key", "mute key", "spoken stop"])
        func aTimerIsStoppedWithoutAConversation(way: String) async throws {
            let stage = try Stage([])
            try await stage.start(adjust: { $0.activation.mode = .push })
            _ = try await stage.perform("timer", "set", "1s", "marmalade")
            try await wait("the ringing") { rings(stage) }
            try await stage.pass(milliseconds: 600)
            switch way {
            case "stop key": stage.daemon?.press(.stop)
            case "call key": stage.daemon?.press(.call)
            case "mute key": stage.daemon?.press(.mute)
            default: stage.daemon?.mailbox.post(activation: .stop(isSpoken: true))
            }
            try await wait("the end") { !rings(stage) }
            #expect(try await stage.perform("timer")["text"] == "no timers or alarms are set")
            try await stage.pass(milliseconds: 600)
            #expect(await stage.daemon?.state == .idle && stage.simulator.connectionCount == 0)
            try await stage.stop()
        }

        /// Nothing is listened for in this mode but what ends the ringing; PocketSphinx hears it over the ringing.
        @Test(.enabled(if: sphinxIsInstalled)) func aSpokenStopIsHeardWithoutAConversation() async throws {
            let echo = FileRoom.Echo(
                delayMilliseconds: 30, gainDecibels: -20, reverberationMilliseconds: 250, noiseDecibels: -65
            )
            let stage = try Stage([], environment: .init(echo: echo))
            try await stage.start(adjust: {
                $0.activation.mode = .push
                $0.activation.engine = .auto
                $0.activation.wakeModels = "/nonexistent"
                $0.echo = Configuration().echo
            })
            // What is said before it rings means nothing.
            stage.say(samples: Self.stop)
            try await stage.pass(milliseconds: 1500)
            #expect(!stage.log.lines.contains { $0.contains("stop word") })
            _ = try await stage.perform("timer", "set", "1s")
            try await wait("the ringing") { rings(stage) }
            try await stage.pass(milliseconds: 1000)
            // A busy machine may lose one.
            for _ in 0..<3 where rings(stage) {
                stage.say(samples: Self.stop)
                try await stage.pass(milliseconds: 2000)
            }
            #expect(!rings(stage), "\(stage.log.lines.suffix(6))")
            #expect(stage.log.lines.contains { $0.contains("stop word detected") })
            #expect(await stage.daemon?.state == .idle && stage.simulator.connectionCount == 0)
            try await stage.stop()
        }

        /// The doctor's sample of the word, at 48 kHz.
        private static var stop: [Float] {
            let samples = WakeSamples.samples(of: "stop").map { Float($0) / 32_768 }
            return zip(samples, samples.dropFirst())
                .flatMap { now, next in (0..<3).map { now + (next - now) * Float($0) / 3 } }
        }

        @Test func aTimerOutlivesARestart() async throws {
            let folder = Self.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let first = try Stage([Self.tea(4)])
            try await first.start(tune: { $0.volumes.stateDirectory = folder })
            try await first.reach(.listening)
            first.say("Set")
            try await wait("the timer") { await first.daemon?.timers.count == 1 }
            try await first.stop()
            let second = try Stage([])
            try await second.start(adjust: { $0.activation.mode = .push }, tune: { $0.volumes.stateDirectory = folder })
            #expect(await second.daemon?.timers.count == 1)
            // No conversation is open, none is opened for it, and quiet hours do not suppress it.
            _ = try await second.perform("quiet", "on")
            try await wait("the ringing") { rings(second) }
            #expect(await second.daemon?.state == .idle)
            try await second.pass(milliseconds: 800)
            _ = try await second.perform("timer", "stop")
            try await second.stop()
            #expect(second.samples.contains { abs($0) > 0.0005 })
            #expect(SavedTimers.load(directory: folder, logger: second.log.logger).entries.isEmpty)
        }

        @Test func announcementReachesTheModelAsData() async throws {
            let reported: [ConversationScript.Action] = [.say("The post is here."), .say("The garage is open.")]
            let stage = try Stage([.say("It is noon.")], toOutputs: reported, toRemarks: reported)
            try await stage.start()
            try await stage.reach(.listening)
            let urgent = try await stage.perform("announce", "--priority", "high", "The", "post", "is", "here.")
            #expect(urgent["text"] == "it will be said")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            #expect(stage.journal.outputs.last?.contains("\"The post is here.\"") == true)
            #expect(!stage.journal.remarks.contains { $0.contains("post") }, "no word of it is the system's")
            let later = try await stage.perform("announce", "--priority=low", "The garage is open.")
            #expect(later["text"] == "it waits for the next conversation")
            #expect(try await stage.perform("status")["announcements"] == 1)
            stage.say("Time")
            try await stage.reach(.aiSpeaking, times: 3)
            #expect(stage.journal.outputs.last?.contains("While you were away") == true)
            #expect(!stage.log.lines.contains { $0.contains("garage") || $0.contains("post") }, "it is not logged")
            try await stage.stop()
        }

        @Test func announcementWaitsForAConversation() async throws {
            let stage = try Stage([])
            try await stage.start {
                $0.activation.mode = .push
                $0.audio.earconVolume = 100
            }
            await #expect {
                _ = try await stage.perform("announce", "--priority", "high", "Smoke!")
            } throws: { error in
                let problem = error as? ControlProblem
                return problem?.exitCode == .unavailable && problem?.message.contains("\"listen\" opens one") == true
            }
            #expect(try await stage.perform("announce", "Hello")["text"] == "it waits for the next conversation")
            try await stage.pass(milliseconds: 800)
            #expect(
                await stage.daemon?.state == .idle && stage.simulator.connectionCount == 0,
                "no session is opened for it"
            )
            try await stage.stop()
            #expect(stage.samples.contains { abs($0) > 0.003 }, "a sound tells")
        }
    }
}
