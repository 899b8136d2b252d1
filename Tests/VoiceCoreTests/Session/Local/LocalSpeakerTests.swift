import Synchronization
import Testing
import VoiceSimulator

@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct LocalSpeakerTests {
    private final class Mail: Sendable {
        private let events = Mutex<[(Int, WyomingSockets.Event)]>([])

        func put(_ number: Int, _ event: WyomingSockets.Event) { events.withLock { $0.append((number, event)) } }

        func receive() -> [(Int, WyomingSockets.Event)] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    /// A message is no progress: an empty one every 20 ms kept the box speaking for good.
    @Test func emptyMessagesDoNotKeepASentenceOpen() async throws {
        let servers = WyomingSimulator(.init(speaker: .trickle))
        let port = try await servers.start()
        let mail = Mail()
        let sockets = WyomingSockets { mail.put($0, $1) }
        #expect(sockets.start())
        var trouble: [WyomingEnd.Kind] = []
        var isOver = false
        let speaker = LocalSpeaker(
            sockets,
            at: try WyomingAddress("127.0.0.1:\(port)", key: "local.speaker"),
            allowsPublic: false,
            voice: "",
            nextLimit: .milliseconds(100),
            espeak: { _, _ in false },
            report: { outcome in
                switch outcome {
                case .trouble(let end): trouble.append(end.kind)
                case .ended, .failed: isOver = true
                case .began, .sound, .finished: break
                }
            }
        )
        speaker.speak(["Hello."])
        for _ in 0..<2000 where !isOver {
            try await Task.sleep(for: .milliseconds(5))
            for (number, event) in mail.receive() { _ = speaker.receive(event, of: number) }
        }
        sockets.stop()
        await servers.stop()
        #expect(trouble == [.late] && isOver)
    }
}
