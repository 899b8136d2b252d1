import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceNetwork

struct NetworkThreadTests {
    @Test func stoppingClosesPolitely() async throws {
        let code = Mutex<[UInt8]>([])
        let server = try LoopbackServer { socket in
            socket.upgrade()
            let payload = socket.readFrame()?.payload ?? []
            code.withLock { $0 = payload }
            socket.write(WebSocketFrames.frame(0x8, payload))
        }
        let network = NetworkThread()
        try network.start()
        let (opened, signal) = AsyncStream<Void>.makeStream()
        async let record = watched(network, "ws://127.0.0.1:\(server.port)/") { signal.finish() }
        for await _ in opened {}
        await network.stop(within: .seconds(20))
        #expect(await record.closures == [.closed(code: 1000, reason: "")])
        #expect(code.withLock { $0 } == [0x03, 0xe8])
    }

    @Test func stoppingDoesNotWaitForASilentServer() async throws {
        let server = try LoopbackServer { socket in
            socket.upgrade()
            socket.waitForEnd()
        }
        let network = NetworkThread()
        try network.start()
        let (opened, signal) = AsyncStream<Void>.makeStream()
        async let record = watched(network, "ws://127.0.0.1:\(server.port)/") { signal.finish() }
        for await _ in opened {}
        await network.stop(within: .milliseconds(100))
        #expect(await record.closures == [.failed(.stopped)])
    }

    @Test func aHandleReachesTheDriverUntilItHasEnded() async throws {
        let (texts, said) = AsyncStream<String>.makeStream()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            // On a busy machine the connection may have sent its own ping before the test continues.
            var frame = socket.readFrame()
            while let ping = frame, ping.opcode == 0x9 { frame = socket.readFrame() }
            defer { said.finish() }
            guard let frame else { return }
            said.yield(String(decoding: frame.payload, as: UTF8.self))
            _ = socket.readFrame()
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
        }
        try await NetworkThread.with { network in
            let (ends, signal) = AsyncStream<WatchedDriver.Record>.makeStream()
            let (opened, open) = AsyncStream<Void>.makeStream()
            let url = "ws://127.0.0.1:\(server.port)/"
            let patience = ConnectionLimits(whole: .seconds(300))
            let request = WebSocketRequest(url: url, limits: patience, deadPeerLimit: .seconds(600))
            let handle = network.connect(request) { connection in
                WatchedDriver(connection) { _ in
                    open.finish()
                } whenClosed: {
                    open.finish()
                    said.finish()
                    signal.yield($0)
                    signal.finish()
                }
            }
            for await _ in opened {}
            handle?.perform { driver in (driver as? WatchedDriver)?.connection.send(text: "from outside") }
            let heard = await texts.first { _ in true }
            #expect(heard == "from outside")
            handle?.close()
            let record = await ends.first { _ in true }
            #expect(record?.closures == [.closed(code: 1000, reason: "")])
            handle?.perform { _ in Issue.record("reached a driver that has ended") }
        }
    }

    @Test func withoutAThreadNothingIsAccepted() async throws {
        let network = NetworkThread()
        await network.stop()
        #expect(network.enqueue {} == false)
        #expect(network.connect(WebSocketRequest(url: "ws://h/")) { _ in fatalError() } == nil)
        await #expect(throws: HTTPFailure.other("the network thread does not run")) {
            try await network.perform(HTTPRequest(url: "http://127.0.0.1/"))
        }
        #expect(throws: NetworkThreadError.self) { try network.start() }
    }

    @Test func commandsRunInOrderOnOneThread() async throws {
        let numbers = Mutex<[Int]>([])
        try await NetworkThread.with { network in
            await withCheckedContinuation { continuation in
                for number in 0..<1000 { network.enqueue { numbers.withLock { $0.append(number) } } }
                network.enqueue { continuation.resume() }
            }
        }
        #expect(numbers.withLock { $0 } == Array(0..<1000))
    }

    private func watched(
        _ network: NetworkThread,
        _ url: String,
        opened: @escaping @Sendable () -> Void
    ) async -> WatchedDriver.Record {
        await network.watch(WebSocketRequest(url: url)) { _ in opened() }
    }

    /// An order is carried out before the second of several messages that came together.
    @Test func aCommandIsCarriedOutBetweenTwoMessages() async throws {
        final class Driver: WebSocketDriver {
            private let network: NetworkThread
            private let steps: Collected<String>
            private let ended: Promise<Void>

            init(_ network: NetworkThread, _ steps: Collected<String>, _ ended: Promise<Void>) {
                (self.network, self.steps, self.ended) = (network, steps, ended)
            }

            func opened() {}

            func received(text: UnsafeRawBufferPointer) {
                steps.add([String(decoding: text, as: UTF8.self)])
                let steps = steps
                network.enqueue { steps.add(["order"]) }
            }

            func received(binary: UnsafeRawBufferPointer) {}
            func closed(_ closure: WebSocketClosure) { ended.give(()) }
        }
        let server = try LoopbackServer { socket in
            socket.upgrade(
                with: WebSocketFrames.text("one") + WebSocketFrames.text("two") + WebSocketFrames.text("three")
            )
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            _ = socket.readFrame()
        }
        let steps = Collected<String>()
        try await NetworkThread.with { network in
            let ended = Promise<Void>()
            network.connect(WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/")) { _ in
                Driver(network, steps, ended)
            }
            await ended.wait()
        }
        #expect(steps.all == ["one", "order", "two", "order", "three", "order"])
    }

    /// What stops something is never refused, whatever waits in front of it.
    @Test func queuedOrdersAreNeverRefused() async throws {
        let done = Atomic<Int>(0)
        try await NetworkThread.with { network in
            let isBusy = Promise<Void>()
            network.enqueue {
                isBusy.give(())
                usleep(50_000)
            }
            await isBusy.wait()
            for _ in 0..<20_000 { #expect(network.enqueue { done.wrappingAdd(1, ordering: .relaxed) }) }
        }
        #expect(done.load(ordering: .relaxed) == 20_000)
    }
}
