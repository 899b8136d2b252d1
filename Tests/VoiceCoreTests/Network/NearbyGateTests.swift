import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceNetwork

/// A request with a token in the clear reaches only addresses of the local network, whatever a name resolved to before.
struct NearbyGateTests {
    /// Outside every home (RFC 5737); no socket is opened, so nothing is sent there.
    private static let far = "203.0.113.7"

    private func request(
        _ server: LoopbackServer,
        _ host: String,
        at addresses: [String] = []
    ) -> HTTPRequest {
        HTTPRequest(
            url: "http://\(host):\(server.port)/ui",
            headers: [("Authorization", "Bearer topsecret")],
            staysNear: true,
            pin: addresses.isEmpty ? nil : HTTPRequest.Pin(host: host, port: Int(server.port), addresses: addresses)
        )
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    @Test(arguments: [
        "homelab.lan", "homelab.home.arpa", "nas.fritz.box", "agent.example.com", "homelab.tail1234.ts.net",
    ])
    func aNameOfTheHomeNetworkIsReached(host: String) async throws {
        let server = try Self.server()
        let request = request(server, host, at: ["127.0.0.1"])
        let response = try await NetworkThread.with { try await $0.perform(request) }
        #expect(response.status == 200)
    }

    @Test func nameOutsideTheHomeIsNotConnected() async throws {
        let server = try Self.server()
        let request = request(server, "homelab.local", at: [Self.far])
        await #expect(throws: HTTPFailure.exposed(host: "homelab.local:\(server.port)", address: Self.far)) {
            try await NetworkThread.with { try await $0.perform(request) }
        }
    }

    @Test func nearAddressIsPreferred() async throws {
        let server = try Self.server()
        let request = request(server, "both.lan", at: [Self.far, "127.0.0.1"])
        let response = try await NetworkThread.with { try await $0.perform(request) }
        #expect(response.status == 200)
    }

    @Test func missingNearServerDoesNotFallBackToAFarOne() async throws {
        let server = try Self.server()
        var request = request(server, "both.lan", at: [Self.far, "127.0.0.1"])
        request.url = "http://both.lan:1/ui"
        request.pin = HTTPRequest.Pin(host: "both.lan", port: 1, addresses: [Self.far, "127.0.0.1"])
        do {
            _ = try await NetworkThread.with { try await $0.perform(request) }
            Issue.record("somebody answers at port 1")
        } catch HTTPFailure.cannotConnect {
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func everyConnectionIsJudgedAgain() async throws {
        let connections = Mutex(0)
        let script: LoopbackServer.Script = { socket in
            connections.withLock { $0 += 1 }
            _ = socket.readHeader()
            socket.write("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok")
        }
        let server = try LoopbackServer(script, script)
        var open = request(server, "homelab.lan", at: ["127.0.0.1"])
        open.staysNear = false
        let near = request(server, "homelab.lan", at: ["127.0.0.1"])
        try await NetworkThread.with { network in
            // A connection that was made by another request, without a check, is not reused.
            _ = try await network.perform(open)
            let response = try await network.perform(near)
            #expect(response.timings?.reusedConnection == false)
        }
        #expect(connections.withLock { $0 } == 2)
    }

    @Test func webSocketStaysInTheHomeToo() async throws {
        var request = WebSocketRequest(url: "ws://\(Self.far):8000/v1/realtime", staysNear: true)
        let record = try await NetworkThread.with { await $0.watch(request) }
        #expect(record.closures.first == .failed(.exposed(host: Self.far, address: Self.far)))
        #expect(record.closures.first?.description.contains("allow_plain_http") == true)
        let server = try LoopbackServer { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
        }
        request.url = "ws://127.0.0.1:\(server.port)/v1/realtime"
        let refused = try await NetworkThread.with { await $0.watch(request) }
        guard case .refused(let refusal) = refused.closures.first else {
            Issue.record("not asked: \(String(describing: refused.closures))")
            return
        }
        #expect(refusal.status == 401)
    }
}
