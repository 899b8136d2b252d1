import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

struct JarvisRequestTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080/ui", "http://127.0.0.1:8080/ui/v1/chat/completions"),
        ("http://127.0.0.1:8080/ui/", "http://127.0.0.1:8080/ui/v1/chat/completions"),
        ("https://jarvis.example.com", "https://jarvis.example.com/v1/chat/completions"),
        ("https://Jarvis.example.com:443/a/b//", "https://jarvis.example.com/a/b/v1/chat/completions"),
        ("http://[::1]:8080/ui/v1", "http://[::1]:8080/ui/v1/chat/completions"),
        ("https://h/ui?a=b", "https://h/ui/v1/chat/completions?a=b"),
    ])
    func routeFollowsTheBasePath(base: String, url: String) throws {
        #expect(try request(base: base).url == url)
    }

    @Test func exactlyOneUserMessageIsSent() throws {
        let request = try request().make(query: "what's on \"today\"? a/b", sessionID: "voice-1")
        let body = "{\"messages\":[{\"content\":\"what's on \\\"today\\\"? a/b\",\"role\":\"user\"}],\"stream\":false}"
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.headers.contains { $0.name == "session_id" && $0.value == "voice-1" })
        #expect(request.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" })
        #expect(request.headers.contains { $0.name == "Authorization" && $0.value == "Bearer topsecret" })
        #expect(request.totalTimeout >= .seconds(1800), "the client has a limit of its own")
        #expect(request.connectTimeout == .seconds(3))
        #expect(request.caFile == nil)
    }

    @Test func requestWithoutATokenHasNoAuthorization() throws {
        let request = try request(token: nil).make(query: "x", sessionID: "voice-1")
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }

    @Test func theTokenIsNotPrinted() throws {
        let request = try request().make(query: "x", sessionID: "voice-1")
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request)\(String(reflecting: request))\(dumped)".contains("topsecret"))
    }

    @Test(arguments: [
        "", "ui", "ftp://h/ui", "http://", "http:///ui", "http://u:p@h/ui", "http://h:0/ui", "http://h:x/ui",
        "http://h/#a",
        "http://h h/", "http://[::1/ui", "http://h\\x/",
    ])
    func malformedAddressIsRefused(text: String) {
        #expect(ServerURL(text) == nil)
    }

    @Test(arguments: [
        ("https://homelab.lan/ui", true, false), ("http://homelab.lan/ui", true, true),
        ("http://homelab.lan/ui", false, false), ("http://127.0.0.1:8080/ui", true, true),
    ])
    func unencryptedTokenStaysInTheHome(base: String, hasToken: Bool, staysNear: Bool) throws {
        let request = try request(base: base, token: hasToken ? "topsecret" : nil)
        #expect(request.make(query: "x", sessionID: "voice-1").staysNear == staysNear)
        #expect(request.health().staysNear == staysNear)
        var settings = Configuration().jarvis
        settings.allowPlainHTTP = true
        let allowed = JarvisRequest(base: try #require(ServerURL(base)), token: Secret("topsecret"), settings: settings)
        #expect(!allowed.health().staysNear)
    }

    @Test func tokenReadLaterStaysInTheHomeToo() throws {
        let request = try request(base: "http://homelab.lan/ui", token: nil)
        request.useToken(Secret("topsecret"))
        #expect(request.health().staysNear)
    }

    @Test func sessionIsRenewedAfterAPause() {
        let source = TextSource(["a/1", "b2", "c3", "d4"])
        var session = JarvisSession(idleLimit: .seconds(1800), makeID: { source.next() })
        let first = session.id(at: .seconds(0))
        #expect(first == "voice-a1")
        #expect(session.id(at: .seconds(1800)) == first)
        session.touch(at: .seconds(2000))
        #expect(session.id(at: .seconds(3800)) == first)
        let second = session.id(at: .seconds(5601))
        #expect(second == "voice-b2")
        session.renew()
        #expect(session.id(at: .seconds(5602)) == "voice-c3")
    }

    private func request(
        base: String = "http://127.0.0.1:8080/ui",
        token: String? = "topsecret"
    ) throws -> JarvisRequest {
        JarvisRequest(
            base: try #require(ServerURL(base)),
            token: token.flatMap { Secret($0) },
            settings: Configuration().jarvis
        )
    }
}
