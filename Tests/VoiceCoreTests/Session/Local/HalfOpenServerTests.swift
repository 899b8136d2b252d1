import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// Wyoming servers that accept connections and do not behave: they never answer, as one that hangs, take nothing, or flood us.
struct HalfOpenServerTests {
    private static func address(_ port: Int) throws -> WyomingAddress {
        try WyomingAddress("127.0.0.1:\(port)", key: "local.recogniser")
    }

    /// Returns how a connection ended on which this was asked.
    private static func end(
        of address: WyomingAddress,
        _ ask: @escaping @Sendable (WyomingConnection) -> Void
    ) async throws -> WyomingEnd? {
        try await NetworkThread.with { network in
            let end = Promise<WyomingEnd?>()
            network.enqueue {
                let line = WyomingConnection(to: address, allowsPublic: false, within: .seconds(30), on: network) {
                    if case .ended(let why) = $0 { end.give(why) }
                }
                ask(line)
            }
            defer { end.give(nil) }
            return await TimeLimit.run(.seconds(60)) { await end.wait() } ?? nil
        }
    }

    /// The request and its limit come before the connection is open.
    @Test func aRequestOnAFreshConnectionHasItsLimit() async throws {
        let servers = WyomingSimulator(.init(recogniser: .silent))
        let end = try await Self.end(of: Self.address(servers.start())) { line in
            line.send(.audioStop(timestamp: 0))
            line.limit(.milliseconds(50))
        }
        await servers.stop()
        #expect(end?.kind == .late, "it was waited for without a limit")
    }

    @Test(arguments: [("8.8.8.8:9", WyomingEnd.Kind.exposed), ("127.0.0.1:9", .away), ("[::1]:9", .away)])
    func exposedAddressDiffersFromAMissingServer(address: String, kind: WyomingEnd.Kind) async throws {
        let end = try await Self.end(of: WyomingAddress(address, key: "local.speaker")) { $0.send(.describe) }
        #expect(end?.kind == kind)
    }

    @Test func unreadSendBufferIsBounded() async throws {
        // Its connections are never accepted, so nothing is read.
        let server = try LoopbackServer()
        let end = try await Self.end(of: Self.address(Int(server.port))) { line in
            for _ in 0..<128 { line.send([UInt8](repeating: 0, count: 64 << 10)) }
        }
        #expect(end?.kind == .garbage)
        #expect(end?.description.hasSuffix("does not take what it is sent") == true, "\(end as Any)")
    }

    /// Tells when the network thread begins another round.
    private final class Rounds: NetworkSocket {
        let socket: CurlSocket? = nil
        let hasUnsent = false
        private let begins: () -> Void
        private var isOver = false

        init(_ begins: @escaping () -> Void) { self.begins = begins }

        func begin(_ multi: UnsafeMutableRawPointer) {}
        func connected(_ failure: WebSocketFailure?) {}
        func sendQueued() -> Bool { false }
        func stop() { isOver = true }
        func abandon() {}

        func pump(
            _ now: ContinuousClock.Instant,
            scratch: UnsafeMutableRawBufferPointer,
            between: () -> Void
        ) -> Duration? {
            begins()
            return isOver ? nil : .seconds(60)
        }
    }

    /// Each round takes a bounded portion, and an order waits for one message at most.
    @Test func floodIsReadInPortions() async throws {
        struct Count {
            var messages = 0
            var portion = 0
            var largest = 0
            var latest = 0
        }
        let message = Array("{\"type\":\"pong\"}\n".utf8)
        let flood = try LoopbackServer { socket in
            let many = Array(repeatElement(message, count: 2000).joined())
            while socket.offer(many) {}
        }
        let count = Mutex(Count())
        let address = try Self.address(Int(flood.port))
        try await NetworkThread.with { network in
            let enough = Promise<Void>()
            network.enqueue {
                network.serve(Rounds { count.withLock { $0.portion = 0 } })
                _ = WyomingConnection(to: address, allowsPublic: false, on: network) { _ in
                    let messages = count.withLock { count in
                        count.messages += 1
                        count.portion += 1
                        count.largest = max(count.largest, count.portion)
                        return count.messages
                    }
                    network.enqueue {
                        count.withLock { $0.latest = max($0.latest, $0.messages - messages) }
                    }
                    if messages == 20_000 { enough.give(()) }
                }
            }
            await enough.wait()
        }
        let result = count.withLock { $0 }
        #expect(result.largest == 64 && result.latest == 0, "\(result)")
    }

    /// A pause within a sentence: what was asked first is given up, and the whole is asked on a new connection.
    @Test func firstRecognitionOfAPausedSentenceTimesOut() async throws {
        let servers = WyomingSimulator(.init(recogniser: .silent))
        let address = try Self.address(await servers.start())
        let failed = Collected<LocalRecogniser.Outcome>()
        try await NetworkThread.with { network in
            let over = Promise<Void>()
            let recogniser = NetworkConfined(
                LocalRecogniser(
                    on: network,
                    at: address,
                    allowsPublic: false,
                    language: "en",
                    answerLimit: .milliseconds(50),
                    left: { _, _ in },
                    report: {
                        failed.add([$0])
                        over.give(())
                    }
                ),
                on: network
            )
            recogniser.perform { recogniser in
                let analyzer = MicrophoneAnalyzer(hasVoiceDetector: false)
                recogniser.begin(from: 0, gain: 1)
                recogniser.recognise(1, [0..<50], of: analyzer)
                recogniser.abandon()
                recogniser.recognise(2, [0..<120], of: analyzer)
            }
            await over.wait()
            recogniser.perform { $0.abandon() }
        }
        await servers.stop()
        let ends = failed.all.map { if case .failed(let end, 2) = $0 { end.kind } else { nil as WyomingEnd.Kind? } }
        #expect(ends == [.late])
    }
}
