import Synchronization
import Testing

@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSimulator

extension EndToEnd {
    /// Faults on the wire of the services other than Realtime: refused, hanging and cut connections, sessions that stall or die,
    /// messages that are garbled, repeated or of the wrong type, and the faults of each protocol. A user asks all the time;
    /// once the faults are over, a question is answered. `VoiceBench faults --service` is the long form.
    @Suite struct SocketTroubleTests {
        static let connections = 5
        static let question = "Tell everybody yesterday happened"

        final class Faults: Sendable {
            private let kinds = Mutex<[FaultKind]>([])
            func add(_ kind: FaultKind, _ connection: Int?) { kinds.withLock { $0.append(kind) } }
            var all: [FaultKind] { kinds.withLock { $0 } }
        }

        static func trouble(
            _ seed: UInt64,
            every gap: ClosedRange<Int>,
            longest: Int,
            connections: Int = connections
        ) -> SocketTrouble {
            var trouble = SocketTrouble(seed: seed)
            trouble.connections = connections
            trouble.mix.gap = gap
            trouble.longest = longest
            trouble.hasOwn = true
            return trouble
        }

        static func endure(
            _ stage: some ServiceStage,
            _ faults: Faults,
            _ question: String = question,
            connections: Int = connections,
            rest: Duration = .seconds(3),
            attempts: () -> Int
        ) async throws {
            // Far longer than five connections last: a daemon that hangs never gets there.
            let end = Monotonic.now() + .seconds(90)
            while attempts() <= connections {
                try #require(Monotonic.now() < end, "no end of the faults: \(faults.all), \(stage.journal.states)")
                stage.say(question)
                try await Task.sleep(for: .milliseconds(1500))
            }
            // What began among the faults ends first.
            try await stage.journal.wait(for: "quiet") { $0.states.last == .listening }
            try await Task.sleep(for: rest)
            try await stage.journal.wait(for: "quiet") { $0.states.last == .listening }
            let spoken = stage.journal.entries.count(.aiSpeaking)
            stage.say(question)
            try await stage.reach(.aiSpeaking, times: spoken + 1)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            #expect(Set(faults.all).count >= 3, "hardly any faults: \(faults.all)")
        }
    }
}
