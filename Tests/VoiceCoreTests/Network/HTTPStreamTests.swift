import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceNetwork

struct HTTPStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    @Test func headArrivesBeforeTheBody() async throws {
        let gate = Gate()
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write(Self.head)
            gate.wait()
            socket.write("data: a\n\n")
        }
        try await NetworkThread.with { network in
            let stream = try await network.open(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
            #expect(stream.head.status == 200)
            #expect(stream.head.header("content-type") == "text/event-stream")
            gate.open()
            #expect(try await Self.rest(of: stream) == Array("data: a\n\n".utf8))
        }
    }

    @Test func slowReaderSlowsTheServerAndLosesNothing() async throws {
        let whole = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: \(whole.count)\r\n\r\n")
            socket.write(whole)
        }
        try await NetworkThread.with { network in
            let stream = try await network.open(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
            // Time for the buffer to fill; the test does not depend on it.
            try await Task.sleep(for: .milliseconds(50))
            var read: [UInt8] = []
            while let piece = try await stream.next() {
                #expect(piece.count <= HTTPInflow.limit)
                read += piece
            }
            #expect(read == whole)
        }
    }

    @Test func aReplyBeyondTheBoundIsRefused() async throws {
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write(Self.head + String(repeating: "x", count: 200_000))
        }
        try await NetworkThread.with { network in
            let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/", maximumReplyBytes: 100_000)
            let stream = try await network.open(request)
            await #expect(throws: HTTPFailure.replyTooLarge(limit: 100_000)) { try await Self.rest(of: stream) }
        }
    }

    @Test func cancellingTheReaderClosesTheConnection() async throws {
        let closed = Gate()
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write(Self.head)
            socket.waitForEnd()
            closed.open()
        }
        try await NetworkThread.with { network in
            let stream = try await network.open(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
            let reader = Task { try await stream.next() }
            reader.cancel()
            await #expect(throws: HTTPFailure.cancelled) { try await reader.value }
            while !closed.isOpen { await Task.yield() }
        }
    }

    @Test func releasingTheStreamClosesTheConnection() async throws {
        let closed = Gate()
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write(Self.head)
            socket.waitForEnd()
            closed.open()
        }
        try await NetworkThread.with { network in
            do { _ = try await network.open(HTTPRequest(url: "http://127.0.0.1:\(server.port)/")) }
            while !closed.isOpen { await Task.yield() }
        }
    }

    @Test func missingServerThrows() async throws {
        _ = try await NetworkThread.with { network in
            await #expect(throws: HTTPFailure.self) {
                try await network.open(HTTPRequest(url: "http://127.0.0.1:1/"))
            }
        }
    }

    private static func rest(of stream: HTTPStream) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await stream.next() { bytes += piece }
        return bytes
    }

    /// Lets one thread wait until another opens it.
    private final class Gate: Sendable {
        private let state = Atomic(false)

        var isOpen: Bool { state.load(ordering: .acquiring) }

        func open() { state.store(true, ordering: .releasing) }

        func wait() { while !isOpen { usleep(1000) } }
    }
}
