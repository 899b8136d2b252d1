import Synchronization
import Testing
import VoiceSimulator

@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// A Wyoming server that accepts connections and never answers, as one that was stopped or hangs.
struct HalfOpenServerTests {
    /// What the sockets report, taken one by one.
    private final class Mail: Sendable {
        private let events = Mutex<[(number: Int, event: WyomingSockets.Event)]>([])

        func put(_ number: Int, _ event: WyomingSockets.Event) { events.withLock { $0.append((number, event)) } }

        func receive() -> [(number: Int, event: WyomingSockets.Event)] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private static func address(_ port: Int) throws -> WyomingAddress {
        try WyomingAddress("127.0.0.1:\(port)", key: "local.recogniser")
    }

    /// The commands arrive in one burst, before the connection is open.
    @Test func aRequestOnAFreshConnectionHasItsLimit() async throws {
        let servers = WyomingSimulator(.init(recogniser: .silent))
        let port = try await servers.start()
        let mail = Mail()
        let sockets = WyomingSockets { mail.put($0, $1) }
        #expect(sockets.start())
        let number = sockets.open(to: try Self.address(port), allowsPublic: false, within: .seconds(30))
        sockets.send(.audioStop(timestamp: 0), on: number)
        sockets.limit(.milliseconds(50), on: number)
        var end: WyomingEnd?
        for _ in 0..<1000 where end == nil {
            try await Task.sleep(for: .milliseconds(5))
            for (_, event) in mail.receive() { if case .ended(let why) = event { end = why } }
        }
        sockets.stop()
        await servers.stop()
        #expect(end?.kind == .late, "it was waited for without a limit")
    }

    /// A pause within a sentence: what was asked first is given up, and the whole is asked on a new connection.
    @Test func aSentenceWithAPauseIsGivenUpInTime() async throws {
        let servers = WyomingSimulator(.init(recogniser: .silent))
        let port = try await servers.start()
        let mail = Mail()
        let sockets = WyomingSockets { mail.put($0, $1) }
        #expect(sockets.start())
        var failed: [(kind: WyomingEnd.Kind, look: Int)] = []
        let recogniser = LocalRecogniser(
            sockets,
            at: try Self.address(port),
            allowsPublic: false,
            language: "en",
            answerLimit: .milliseconds(50),
            left: { _, _ in },
            report: { if case .failed(let end, let look) = $0 { failed.append((end.kind, look)) } }
        )
        let ear = MicrophoneAnalyzer(tellsVoices: false)
        recogniser.begin(from: 0, gain: 1)
        recogniser.recognise(1, [0..<50], of: ear)
        recogniser.abandon()
        recogniser.recognise(2, [0..<120], of: ear)
        for _ in 0..<1000 where failed.isEmpty {
            try await Task.sleep(for: .milliseconds(5))
            for (number, event) in mail.receive() { _ = recogniser.receive(event, of: number) }
        }
        sockets.stop()
        await servers.stop()
        #expect(failed.map(\.kind) == [.late] && failed.map(\.look) == [2])
    }
}
