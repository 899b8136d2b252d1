import Glibc
import Synchronization
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

extension EndToEnd {
    /// Whole conversations with Home Assistant's pipeline as the voice service: a daemon, and a stand-in for the house behind its control
    /// socket.
    @Suite struct AssistStageTests {
        /// What Home Assistant does with a run.
        private enum House: Sendable {
            case answers
            /// Its answer has no sound.
            case isSilent
            case fails
            /// It hears the end of a question, and then says nothing.
            case hangs
            /// As after a question of its own.
            case transcribes
        }

        private static func number(_ value: UInt32, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }

        /// A tone of `seconds`, as Home Assistant streams it.
        private static func wave(seconds: Double) -> [UInt8] {
            let samples = (0..<Int(seconds * 24_000)).map { Int16(6000 * sin(Double($0) * 2 * .pi * 500 / 24_000)) }
            return Array("RIFF".utf8) + number(.max, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2)
                + number(1, 2) + number(24_000, 4) + number(48_000, 4) + number(2, 2) + number(16, 2)
                + Array("data".utf8) + number(.max, 4) + samples.withUnsafeBytes { Array($0) }
        }

        /// Follows the daemon as jarvis-bridge does.
        private final class StandIn: Sendable {
            let lines = Collected<AssistExchange.Line>()
            let follower: AssistExchange.Follower
            private let server: LoopbackServer

            init(_ daemon: VoiceDaemon, _ houses: [House], seconds: Double) async throws {
                let sound = AssistStageTests.wave(seconds: seconds)
                server = try LoopbackServer.playing(toAll: { socket in
                    _ = socket.readHeader()
                    socket.write("HTTP/1.1 200 OK\r\nContent-Type: audio/x-wav\r\nConnection: close\r\n\r\n")
                    socket.write(sound)
                })
                let exchange = await daemon.settings.assist
                let follower = exchange.follow()
                self.follower = follower
                let (lines, address) = (lines, "http://127.0.0.1:\(server.port)/api/tts_proxy/a.wav")
                Task {
                    var rest = houses[...]
                    for await line in follower.lines {
                        lines.add([line])
                        switch line {
                        case .start(let run, _): _ = exchange.tell(run: run, .began(speaks: rest.first != .transcribes))
                        case .soundEnds(let run):
                            _ = exchange.tell(run: run, .heard("what time is it"))
                            switch rest.popFirst() {
                            case .answers?:
                                _ = exchange.tell(run: run, .says("It is noon."))
                                _ = exchange.tell(run: run, .sound(address))
                                _ = exchange.tell(run: run, .ended)
                            case .isSilent?: _ = exchange.tell(run: run, .ended)
                            case .fails?:
                                _ = exchange.tell(run: run, .failed("intent-failed: a bug"))
                                _ = exchange.tell(run: run, .ended)
                            case .transcribes?: _ = exchange.tell(run: run, .ended)
                            case .hangs?, nil: break
                            }
                        case .sound, .stop, .played: break
                        }
                    }
                }
            }

            func count(_ holds: (AssistExchange.Line) -> Bool) -> Int { lines.all.count(where: holds) }

            /// Bytes of sound that the house got.
            var heard: Int {
                lines.all.reduce(0) { if case .sound(_, let bytes) = $1 { $0 + bytes.count } else { $0 } }
            }
        }

        private func start(
            _ houses: [House],
            seconds: Double = 1,
            adjust: @escaping (inout Configuration) -> Void = { _ in }
        ) async throws -> (Stage, StandIn) {
            let stage = try Stage([])
            try await stage.start(adjust: { configuration in
                configuration.service.use = [.homeAssistant]
                configuration.activation.mode = .push
                adjust(&configuration)
            })
            return (stage, try await StandIn(try #require(stage.daemon), houses, seconds: seconds))
        }

        private func wait(_ what: String, _ stage: Stage, _ isThere: () async -> Bool) async throws {
            for _ in 0..<2000 {
                if await isThere() { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            Issue.record("never seen: \(what); \(stage.journal.states); \(stage.log.lines.suffix(12))")
            throw Journal.NeverSeen(what: what)
        }

        @Test func aQuestionIsAnsweredByTheHouse() async throws {
            let (stage, house) = try await start([.answers])
            stage.call()
            try await stage.reach(.listening)
            stage.say("What time is it")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(ActivationPhase.followUp)
            try await wait("the end of the answer", stage) {
                house.count { if case .played = $0 { true } else { false } } == 1
            }
            #expect(house.heard > 16_000, "half a second of sound at least")
            let (tones, _) = try await stage.stop()
            let length = tones.tones.map(\.frames.count).reduce(0, +)
            #expect(length > 40_000 && length < 56_000, "\(tones)")
            #expect(house.count { if case .stop = $0 { true } else { false } } == 0)
        }

        @Test func userInterruptsTheAnswerAndAsksAgain() async throws {
            let (stage, house) = try await start([.answers, .answers], seconds: 8)
            stage.call()
            try await stage.reach(.listening)
            stage.say("What time is it")
            try await stage.reach(.aiSpeaking)
            stage.say("And what day is it then")
            try await stage.reach(.userSpeaking, times: 2)
            try await stage.reach(.aiSpeaking, times: 2)
            #expect(house.count { if case .start = $0 { true } else { false } } == 2)
            try await stage.stop()
            #expect(house.count { if case .stop = $0 { true } else { false } } >= 1)
        }

        @Test func stopEndsAnAnswerThatIsAwaited() async throws {
            let (stage, house) = try await start([.hangs])
            stage.call()
            try await stage.reach(.listening)
            stage.say("What time is it")
            try await stage.reach(.processing)
            try await wait("its end", stage) { house.count { if case .soundEnds = $0 { true } else { false } } == 1 }
            _ = try await stage.perform("stop")
            try await wait("the stop", stage) { house.count { if case .stop = $0 { true } else { false } } == 1 }
            try await stage.stop()
        }

        @Test(arguments: [false, true]) func failureAndSilenceLeadBackToListening(fails: Bool) async throws {
            let (stage, house) = try await start([fails ? .fails : .isSilent, .answers])
            stage.call()
            try await stage.reach(.listening)
            stage.say("What time is it")
            try await stage.reach(.listening, times: 2)
            stage.say("What time is it")
            try await stage.reach(.aiSpeaking)
            try await stage.stop()
            #expect(house.count { if case .start = $0 { true } else { false } } == 2)
        }

        @Test func houseThatIsAwayIsReplacedAndSaidInOneLine() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start(adjust: { configuration in
                configuration.service.use = [.homeAssistant, .openAI]
                configuration.activation.mode = .push
            })
            stage.call()
            try await stage.reach(.listening)
            let status = try await stage.perform("status")
            #expect(status["substitute"] == "openai" && status["house_hears"] == true)
            #expect(stage.log.lines.contains { $0.contains("no Home Assistant is connected") }, "\(stage.log.lines)")
            try await stage.stop()
        }

        @Test func houseThatLeavesEndsTheSession() async throws {
            let (stage, house) = try await start([.hangs])
            stage.call()
            try await stage.reach(.listening)
            house.follower.cancel()
            try await stage.reach(.connecting, times: 2)
            try await stage.stop()
        }

        @Test func questionOfTheHouseIsHeardWithoutACall() async throws {
            let (stage, house) = try await start([.transcribes])
            _ = try await stage.perform("assist", "ask")
            try await wait("a run", stage) { house.count { if case .start = $0 { true } else { false } } == 1 }
            stage.say("Yes please")
            try await wait("the end of it", stage) {
                house.count { if case .soundEnds = $0 { true } else { false } } == 1
            }
            try await stage.stop()
            #expect(house.count { if case .start = $0 { true } else { false } } == 1)
        }

        @Test func unansweredQuestionOfTheHouseEndsWithTheConversation() async throws {
            let (stage, house) = try await start([]) { $0.activation.followUpS = 1 }
            _ = try await stage.perform("assist", "ask")
            try await wait("the end of the run", stage) {
                house.count { if case .stop = $0 { true } else { false } } == 1
            }
            try await stage.stop()
        }

        @Test func questionOfTheHouseIsRefusedWhileMuted() async throws {
            let (stage, _) = try await start([])
            _ = try await stage.perform("mute")
            await #expect(throws: ControlProblem.self) { try await stage.perform("assist", "ask") }
            try await stage.stop()
        }

        @Test func orderFromTheNetworkIsRefused() async throws {
            let (stage, _) = try await start([])
            var request = ControlRequest(command: "assist", arguments: ["action": "follow"])
            request.isRemote = true
            let daemon = try #require(stage.daemon)
            await #expect(throws: ControlProblem.self) { try await ControlRegistry.standard.run(request, on: daemon) }
            try await stage.stop()
        }
    }
}
