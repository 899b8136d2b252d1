import Synchronization
import Testing
import VoiceSimulator

@testable import VoiceBase
@testable import VoiceConfiguration
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// Trouble on the wire of each service but Realtime, which has a run of its own (`VoiceBench faults`): connections that
    /// hang, are refused or cut, sessions that stall or die, messages that are garbled, repeated or wrong. Somebody asks all
    /// the while; once the trouble is over, the next question is answered.
    @Suite struct SocketTroubleTests {
        private static let connections = 8

        private final class Faults: Sendable {
            private let kinds = Mutex<[FaultKind]>([])
            func add(_ kind: FaultKind) { kinds.withLock { $0.append(kind) } }
            var all: [FaultKind] { kinds.withLock { $0 } }
        }

        private static func trouble(_ seed: UInt64, every gap: ClosedRange<Int>) -> SocketTrouble {
            var trouble = SocketTrouble(seed: seed, connections: connections)
            trouble.mix.gap = gap
            return trouble
        }

        private static func endure(
            _ stage: some ServiceStage,
            _ faults: Faults,
            question: String,
            attempts: () -> Int
        ) async throws {
            let end = Monotonic.now() + .seconds(90)
            while attempts() <= connections {
                try #require(Monotonic.now() < end, "the trouble did not end: \(faults.all), \(stage.journal.states)")
                stage.say(question)
                try await Task.sleep(for: .milliseconds(1500))
            }
            // What was begun in the trouble ends first.
            try await stage.journal.wait(for: "quiet") { $0.states.last == .listening }
            try await Task.sleep(for: .seconds(3))
            try await stage.journal.wait(for: "quiet") { $0.states.last == .listening }
            let spoken = stage.journal.entries.count(.aiSpeaking)
            stage.say(question)
            try await stage.reach(.aiSpeaking, times: spoken + 1)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            #expect(Set(faults.all).count >= 5, "hardly any trouble: \(faults.all)")
        }

        @Test(arguments: [1, 2] as [UInt64]) func gptLive(seed: UInt64) async throws {
            let faults = Faults()
            let turns = (0..<60).map { LiveScript.Turn("Question \($0)", .delegate(bridge: nil)) }
            let trouble = Self.trouble(seed, every: 3...60)
            let stage = try LiveStage(turns, trouble: trouble) { _ in
                .init(.reply("Two."))
            } struck: {
                faults.add($0)
            }
            try await stage.start(isPatient: false)
            try await Self.endure(stage, faults, question: "Hey you there") { stage.simulator.attempts }
            try await stage.stop()
            let calls = stage.queries
            #expect(Set(calls).count == calls.count, "carried out twice: \(calls)")
        }

        @Test(arguments: [3, 4] as [UInt64]) func datagrid(seed: UInt64) async throws {
            let faults = Faults()
            let turns = (0..<60).map { DatagridScript.Turn("Question \($0)", .say("It is noon.")) }
            let stage = try DatagridStage(turns, trouble: Self.trouble(seed, every: 1...6), struck: faults.add)
            try await stage.start(handsOff: false, isPatient: false)
            try await Self.endure(stage, faults, question: "Hey you there") { stage.simulator.attempts }
            try await stage.stop()
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
        }

        @Test(arguments: [5, 6] as [UInt64]) func hero365(seed: UInt64) async throws {
            let faults = Faults()
            let script = Hero365Script((0..<60).map { _ in "It is noon." })
            let stage = try Hero365Stage(script, trouble: Self.trouble(seed, every: 1...12), struck: faults.add)
            try await stage.start(isPatient: false)
            try await Self.endure(stage, faults, question: "Tell everybody yesterday happened") {
                stage.simulator.attempts
            }
            try await stage.stop()
        }
    }
}
