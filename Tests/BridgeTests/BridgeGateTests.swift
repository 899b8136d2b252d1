import BridgeCore
import Testing
import VoiceBase

struct BridgeGateTests {
    private static let here = "127.0.0.1:8787"

    private func gate() throws -> BridgeGate {
        BridgeGate(hosts: ["jarvis.example"], secrets: try .sample())
    }

    private func get(_ path: String, host: String? = here) -> BridgeGate.Head {
        BridgeGate.Head(method: "GET", path: path, host: host, isLocal: true)
    }

    /// As the page itself posts.
    private func post(_ path: String, host: String = here) -> BridgeGate.Head {
        var head = BridgeGate.Head(method: "POST", path: path, host: host)
        head.origin = "http://" + host
        head.type = "application/json"
        head.authorization = "Bearer session"
        return head
    }

    private func status(_ head: BridgeGate.Head) throws -> Int? {
        if case .refuse(let status, _) = try gate().judge(head) { status } else { nil }
    }

    @Test(arguments: [
        "127.0.0.1:8787", "localhost", "LOCALHOST:8787", "[::1]:8787", "192.168.1.7:8787", "jarvis.example",
        "Jarvis.Example:443", "localhost.:8787", "jarvis.example.",
    ])
    func servesThePageToAddressesAndKnownNames(host: String) throws {
        #expect(try gate().judge(get("/", host: host)) == .file("/"))
    }

    @Test(arguments: [
        "evil.example", "127.0.0.1.evil.example", "jarvis.example.evil", "[::1", "127.0.0.1@evil", "localhost:80x", "",
    ])
    func refusesHostNamesOutsideTheHome(host: String) throws {
        #expect(try status(get("/", host: host)) != nil)
        #expect(try status(get("/events", host: host)) != nil)
        #expect(try status(get("/metrics", host: host)) != nil)
        #expect(try status(post("/command", host: host)) != nil)
    }

    @Test func refusesARequestWithoutHost() throws {
        #expect(try status(get("/", host: nil)) == 400)
    }

    @Test func acceptsACommandOfThePage() throws {
        #expect(try gate().judge(post("/command")) == .command(.init(session: "session", host: Self.here)))
    }

    @Test(arguments: [
        "http://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1", "ftp://127.0.0.1:8787",
    ])
    func refusesCommandsOfOtherSites(origin: String) throws {
        var head = post("/command")
        head.origin = origin
        #expect(try status(head) == 403)
    }

    @Test func refusesACommandWithoutOriginSessionOrJSON() throws {
        var head = post("/command")
        head.origin = nil
        #expect(try status(head) == 403)
        head = post("/command")
        head.authorization = nil
        #expect(try status(head) == 401)
        head = post("/command")
        head.type = "text/plain"
        #expect(try status(head) == 415)
    }

    @Test func namesTheMethodOfAPath() throws {
        var head = post("/command")
        head.method = "GET"
        #expect(try gate().judge(head) == .wrongMethod("POST"))
        head = get("/")
        head.method = "PUT"
        #expect(try gate().judge(head) == .wrongMethod("GET, HEAD"))
        head.method = "HEAD"
        #expect(try gate().judge(head) == .file("/"))
    }

    @Test func givesEventsOnlyToASession() throws {
        #expect(try status(get("/events")) == 401)
        var head = get("/events")
        head.authorization = "bearer abc"
        #expect(try gate().judge(head) == .events(.init(session: "abc", host: Self.here)))
        head.site = "same-site"
        #expect(try status(head) == 403)
    }

    @Test func acceptsOnlyTheToken() throws {
        #expect(try gate().accepts(token: "token-0123456789"))
        #expect(try !gate().accepts(token: "token-012345678"))
        #expect(try !gate().accepts(token: "metrics-0123456789"))
        #expect(try !gate().accepts(token: ""))
    }

    @Test func givesMetricsToThisMachineAndToTheirToken() throws {
        #expect(try gate().judge(get("/metrics")) == .metrics)
        // Through a proxy.
        #expect(try status(get("/metrics", host: "jarvis.example")) == 401)
        var head = get("/metrics")
        head.isLocal = false
        #expect(try status(head) == 401)
        head.authorization = "Bearer metrics-0123456789"
        head.host = "anything"
        #expect(try gate().judge(head) == .metrics)
        head.authorization = "Bearer token-0123456789"
        #expect(try gate().judge(head) == .wrongToken)
    }
}

extension BridgeSecrets {
    static func sample() throws -> BridgeSecrets {
        BridgeSecrets(
            token: try #require(Secret("token-0123456789")), metrics: try #require(Secret("metrics-0123456789"))
        )
    }
}
