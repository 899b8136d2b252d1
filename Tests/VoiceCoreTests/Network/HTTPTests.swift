import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceNetwork

struct HTTPTests {
    private static func reply(_ status: Int, _ body: String, _ header: String = "") -> String {
        "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(header)\r\n\(body)"
    }

    /// Answers one request with these bytes.
    private static func server(_ reply: String) throws -> LoopbackServer {
        try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write(reply)
        }
    }

    @Test(arguments: [200, 204, 302, 401, 404, 429, 500, 503]) func everyStatusIsAReply(status: Int) async throws {
        let body = status == 204 ? "" : "body"
        let server = try Self.server(
            Self.reply(status, body, "Location: http://127.0.0.1:1/\r\nX-Thing:  a b \r\n")
        )
        let response = try await NetworkThread.with {
            try await $0.perform(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
        }
        #expect(response.status == status)
        #expect(response.body == Array(body.utf8))
        #expect(response.header("x-thing") == "a b")
        let timings = try #require(response.timings)
        #expect(timings.requestSent >= timings.started)
        #expect(timings.firstByte >= timings.requestSent)
    }

    @Test func sendsMethodHeadersAndBodyAndKeepsTheConnection() async throws {
        let seen = Mutex<[String]>([])
        let server = try LoopbackServer { socket in
            for _ in 0..<2 {
                let text = socket.readHeader() + String(decoding: socket.read(exactly: 5), as: UTF8.self)
                seen.withLock { $0.append(text) }
                socket.write(Self.reply(200, "ok"))
            }
        }
        let request = HTTPRequest(
            method: "POST",
            url: "http://127.0.0.1:\(server.port)/v1/x?y=z",
            headers: [("Authorization", "Bearer token"), ("Content-Type", "application/json")],
            body: Array("{\"\":}".utf8)
        )
        try await NetworkThread.with { network in
            let first = try await network.perform(request)
            let second = try await network.perform(request)
            #expect(first.timings?.reusedConnection == false)
            #expect(second.timings?.reusedConnection == true)
        }
        for text in seen.withLock({ $0 }) {
            #expect(text.hasPrefix("POST /v1/x?y=z HTTP/1.1\r\n"))
            #expect(text.contains("\r\nAuthorization: Bearer token\r\n"))
            #expect(text.contains("\r\nContent-Type: application/json\r\n"))
            #expect(!text.contains("Expect"))
            #expect(text.hasSuffix("\r\n\r\n{\"\":}"))
        }
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test func aReplyOverTheBoundFails() async throws {
        let server = try Self.server(Self.reply(200, String(repeating: "x", count: 2000)))
        let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", maximumReplyBytes: 1999)
        await #expect(throws: HTTPFailure.replyTooLarge(limit: 1999)) {
            try await NetworkThread.with { try await $0.perform(request) }
        }
    }

    @Test func cancellingClosesTheConnection() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            ask.finish()
            socket.waitForEnd()
            end.finish()
        }
        let url = "http://127.0.0.1:\(server.port)/"
        try await NetworkThread.with { network in
            let task = Task { () -> HTTPFailure? in
                do throws(HTTPFailure) {
                    _ = try await network.perform(HTTPRequest(url: url))
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in asked {}
            task.cancel()
            #expect(await task.value == .cancelled)
            // Ends only if the server saw the connection close.
            for await _ in ended {}
        }
    }

    @Test func cancelledTaskSendsNoRequest() async throws {
        try await NetworkThread.with { network in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await network.perform(HTTPRequest(url: "http://127.0.0.1:1/"))
            }
            await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        }
    }

    @Test func aSlowReplyTimesOut() async throws {
        let server = try LoopbackServer { $0.waitForEnd() }
        let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", totalTimeout: .milliseconds(100))
        await #expect(throws: HTTPFailure.timedOut(.reply)) {
            try await NetworkThread.with { try await $0.perform(request) }
        }
    }

    @Test func stoppingTheThreadCancels() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            ask.finish()
            socket.waitForEnd()
        }
        let network = NetworkThread()
        try network.start()
        let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/")
        let task = Task { try await network.perform(request) }
        for await _ in asked {}
        await network.stop()
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
    }

    @Test func hangingUpIsAReset() async throws {
        let server = try LoopbackServer { _ = $0.readHeader() }
        let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/")
        do {
            _ = try await NetworkThread.with { try await $0.perform(request) }
            Issue.record("no failure")
        } catch let failure as HTTPFailure {
            guard case .reset = failure else {
                Issue.record("\(failure)")
                return
            }
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/", "nonsense:", "http://", "file:///etc/hostname"])
    func otherSchemesAreRefused(url: String) async throws {
        do {
            _ = try await NetworkThread.with { try await $0.perform(HTTPRequest(url: url)) }
            Issue.record("no failure")
        } catch let failure as HTTPFailure {
            guard case .badURL = failure else {
                Issue.record("\(failure)")
                return
            }
        }
    }

    @Test func aHeaderCanNotSmuggleALine() async throws {
        try await NetworkThread.with { network in
            for header in [("X", "a\r\nY: b"), ("X: y\r\nZ", "a"), ("", "a"), ("X", "a\0")] {
                let request = HTTPRequest(url: "http://127.0.0.1:1/", headers: [header])
                await #expect(throws: HTTPFailure.badHeader) { try await network.perform(request) }
            }
            let request = HTTPRequest(method: "GET / HTTP/1.1\r\n", url: "http://127.0.0.1:1/")
            await #expect(throws: HTTPFailure.badHeader) { try await network.perform(request) }
        }
    }
}
