import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceNetwork

struct WebSocketConnectionTests {
    /// Returns what one connection to a server with this script did.
    private static func record(
        _ change: (inout WebSocketRequest) -> Void = { _ in },
        whenOpen: @escaping @Sendable (WatchedDriver) -> Void = { _ in },
        script: @escaping LoopbackServer.Script
    ) async throws -> WatchedDriver.Record {
        let server = try LoopbackServer(script)
        var request = WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/v1?model=x", headers: [("X-Test", "1")])
        change(&request)
        let wanted = request
        let record = try await NetworkThread.with { await $0.watch(wanted, whenOpen: whenOpen) }
        #expect(record.closures.count == 1)
        withExtendedLifetime(server) {}
        return record
    }

    @Test(arguments: [200, 301, 401, 403, 429, 503]) func otherStatusIsARefusal(status: Int) async throws {
        let record = try await Self.record { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 \(status) Because\r\nContent-Length: 3\r\nRetry-After: 2\r\n\r\nno.")
        }
        let refusal = WebSocketRefusal(status: status, reason: "Because", retryAfter: 2, body: "no.")
        #expect(record.closures == [.refused(refusal)])
        #expect(record.opened == 0)
    }

    @Test func sendsItsHeadersAndPath() async throws {
        let header = Mutex("")
        _ = try await Self.record { socket in
            let text = socket.readHeader()
            header.withLock { $0 = text }
            socket.write("HTTP/1.1 400 Bad\r\n\r\n")
        }
        let text = header.withLock { $0 }
        #expect(text.hasPrefix("GET /v1?model=x HTTP/1.1\r\n"))
        #expect(text.contains("\r\nX-Test: 1\r\n"))
    }

    @Test(arguments: ["SSH-2.0-x\r\n", "", String(repeating: "HTTP/1.1 101 x\r\nA: b\r\n", count: 2000)])
    func nonsenseIsAHandshakeFailure(reply: String) async throws {
        let record = try await Self.record { socket in
            _ = socket.readHeader()
            socket.write(reply)
        }
        guard case .failed(.handshake) = record.closures[0] else {
            Issue.record("\(record.closures)")
            return
        }
    }

    @Test func theFirstFrameMayComeWithTheReply() async throws {
        let answer = Mutex<[UInt8]>([])
        let record = try await Self.record { socket in
            socket.upgrade(with: WebSocketFrames.text("first") + WebSocketFrames.frame(0x9, [9]))
            let frame = socket.readFrame()
            answer.withLock { $0 = [frame?.opcode ?? 0] + (frame?.payload ?? []) }
            socket.write(WebSocketFrames.frame(0x8, [0x0f, 0xa0] + Array("why".utf8)))
            _ = socket.readFrame()
        }
        #expect(record.opened == 1)
        #expect(record.texts == ["first"])
        #expect(record.closures == [.closed(code: 4000, reason: "why")])
        #expect(answer.withLock { $0 } == [0xa, 9])
    }

    @Test func silentPeerTimesOut() async throws {
        let pings = Atomic(0)
        let record = try await Self.record {
            $0.deadPeerLimit = .milliseconds(300)
        } script: { socket in
            socket.upgrade()
            while let frame = socket.readFrame() { if frame.opcode == 9 { pings.add(1, ordering: .relaxed) } }
        }
        #expect(record.closures == [.failed(.timedOut(.silence(.milliseconds(300))))])
        #expect(pings.load(ordering: .relaxed) > 0)
    }

    @Test func givingUpClosesTheSocket() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            socket.waitForEnd()
            end.finish()
        }
        let request = WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/", deadPeerLimit: .milliseconds(50))
        try await NetworkThread.with { network in
            _ = await network.watch(request)
            // Ends only if the server saw the connection close while the thread was still running.
            for await _ in ended {}
        }
    }

    /// The step at which a connection to this server was given up.
    private static func overdue(
        scheme: String = "ws",
        script: @escaping LoopbackServer.Script
    ) async throws -> ConnectionTimeout.Step? {
        let record = try await Self.record {
            $0.url = scheme + $0.url.dropFirst(2)
            $0.limits = ConnectionLimits(whole: .seconds(60), firstMessage: .milliseconds(100))
            $0.limits.step = .milliseconds(100)
        } script: {
            script($0)
            $0.waitForEnd()
        }
        guard case .failed(.timedOut(.opening(let timeout))) = record.closures[0] else {
            Issue.record("\(record.closures)")
            return nil
        }
        #expect(timeout.host.hasPrefix("127.0.0.1:"))
        #expect(timeout.limit == .milliseconds(100))
        return timeout.step
    }

    @Test func serverWithoutAReplyTimesOut() async throws {
        #expect(try await Self.overdue { _ in } == .asking)
    }

    @Test func serverWithoutATLSReplyTimesOut() async throws {
        #expect(try await Self.overdue(scheme: "wss") { _ in } == .securing)
    }

    @Test func endlessReplyTimesOut() async throws {
        let step = try await Self.overdue {
            _ = $0.readHeader()
            $0.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n")
        }
        #expect(step == .upgrading)
    }

    @Test func openConnectionWithoutAMessageTimesOut() async throws {
        // A ping of the server proves that it is alive, not that it serves.
        #expect(try await Self.overdue { $0.upgrade(with: WebSocketFrames.frame(0x9)) } == .listening)
    }

    @Test func aRefusalWithoutAnEndHasAStatus() async throws {
        let record = try await Self.record {
            $0.limits.step = .milliseconds(100)
        } script: {
            _ = $0.readHeader()
            $0.write("HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\nwait")
            $0.waitForEnd()
        }
        guard case .refused(let refusal) = record.closures[0] else {
            Issue.record("\(record.closures)")
            return
        }
        #expect(refusal.status == 503)
    }

    @Test func unansweredCloseTimesOut() async throws {
        let record = try await Self.record {
            $0.closeTimeout = .milliseconds(100)
        } whenOpen: {
            $0.connection.close()
        } script: { socket in
            socket.upgrade()
            socket.waitForEnd()
        }
        #expect(record.closures == [.failed(.timedOut(.closing))])
    }

    @Test func hangingUpWithoutACloseFrameIsAReset() async throws {
        let record = try await Self.record { $0.upgrade() }
        #expect(record.opened == 1)
        #expect(record.closures == [.failed(.reset("the server hung up"))])
    }

    @Test func aViolationEndsTheConnection() async throws {
        let reported = Mutex<[UInt8]>([])
        let record = try await Self.record { socket in
            socket.upgrade(with: WebSocketFrames.frame(0x3))
            let payload = socket.readFrame()?.payload ?? []
            reported.withLock { $0 = payload }
        }
        guard case .failed(.violation(let violation)) = record.closures[0] else {
            Issue.record("\(record.closures)")
            return
        }
        #expect(violation.code == 1002)
        #expect(reported.withLock { $0 }.prefix(2) == [0x03, 0xea])
    }

    @Test func closedPortCannotConnect() async throws {
        let port = try LoopbackServer().port
        let record = try await NetworkThread.with { await $0.watch(WebSocketRequest(url: "ws://127.0.0.1:\(port)/")) }
        guard case .failed(.cannotConnect) = record.closures[0] else {
            Issue.record("\(record.closures)")
            return
        }
    }

    @Test(arguments: [
        "http://127.0.0.1/", "ws:/x", "ws://", "ws://user:word@host/", "ws://host:99999/", "ws://host/#part",
        "ws://host:/x",
        "ws://host/a b", "ws://host/\r\nX: y",
    ]) func malformedAddressIsReported(url: String) async throws {
        let record = try await NetworkThread.with { await $0.watch(WebSocketRequest(url: url)) }
        #expect(record.closures == [.failed(.badURL)])
    }

    /// The server reads nothing until the client's queue is full; then every message arrives whole.
    @Test func fullSendQueueIsBoundedAndArrivesIntact() async throws {
        let isFull = Atomic(false)
        let accepted = Atomic(0)
        let received = Atomic(0)
        let record = try await Self.record {
            $0.maximumPendingBytes = 4 << 20
            $0.closeTimeout = .seconds(60)
        } whenOpen: { driver in
            let text = [UInt8](repeating: 0x61, count: 100_000)
            while driver.connection.send(text: text) { accepted.add(1, ordering: .relaxed) }
            #expect(driver.connection.pendingSendBytes <= 4 << 20)
            driver.connection.close()
            isFull.store(true, ordering: .releasing)
        } script: { socket in
            let text = [UInt8](repeating: 0x61, count: 100_000)
            socket.upgrade()
            while !isFull.load(ordering: .acquiring) {}
            while let frame = socket.readFrame(), frame.opcode == 1 {
                if frame.payload == text {
                    received.add(1, ordering: .relaxed)
                }
            }
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
        }
        #expect(record.closures == [.closed(code: 1000, reason: "")])
        #expect(accepted.load(ordering: .relaxed) == 41)
        #expect(received.load(ordering: .relaxed) == 41)
    }

    @Test func writesATextInPlace() async throws {
        let text = Mutex("")
        _ = try await Self.record { _ in
        } whenOpen: { driver in
            driver.connection.send(textOfAtMost: 5000) { room in
                room.copyBytes(from: "in place".utf8)
                return 8
            }
            driver.connection.close()
        } script: { socket in
            socket.upgrade()
            let payload = socket.readFrame()?.payload ?? []
            text.withLock { $0 = String(decoding: payload, as: UTF8.self) }
            _ = socket.readFrame()
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
        }
        #expect(text.withLock { $0 } == "in place")
    }
}
