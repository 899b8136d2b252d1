import Testing

@testable import VoiceBase
@testable import VoiceNetwork

struct AddressTests {
    /// RFC 6455 section 3; the Host header contains the port only if it is not the default (section 4.1).
    @Test(arguments: [
        ("ws://host", false, "host", "/"),
        ("WSS://host/", true, "host", "/"),
        ("wss://host:443/a/b?c=d&e", true, "host", "/a/b?c=d&e"),
        ("wss://nas.lan/voice/", true, "nas.lan", "/voice/"),
        ("ws://nas.lan/voice/?x=1", false, "nas.lan", "/voice/?x=1"),
        ("ws://host:443?x=1", false, "host:443", "/?x=1"),
        ("ws://host:80/", false, "host", "/"),
        ("ws://[::1]:8080/x", false, "[::1]:8080", "/x"),
        ("ws://[::1]", false, "[::1]", "/"),
    ]) func addressHasItsParts(url: String, isSecure: Bool, authority: String, path: String) {
        let parts = ServerURL(ofWebSocket: url)
        #expect(parts?.isSecure == isSecure)
        #expect(parts?.authority == authority)
        #expect(parts?.target == path)
        #expect(parts?.curlURL == "\(isSecure ? "https" : "http")://\(authority)/")
    }

    /// The address of an HTTP server is extended, that of a WebSocket is requested.
    @Test(arguments: [
        ("wss://nas.lan/voice/", "wss://nas.lan/voice/"), ("wss://nas.lan/voice/?x=1", "wss://nas.lan/voice/?x=1"),
        ("ws://nas.lan/", "ws://nas.lan"), ("https://nas.lan/voice/", "https://nas.lan/voice"),
    ]) func trailingSlashOfAWebSocketIsKept(url: String, text: String) {
        #expect(ServerURL(url)?.text == text)
        #expect(ServerURL(url)?.path.hasSuffix("/") == false)
    }

    @Test(arguments: [
        ("127.0.0.1:10300", "127.0.0.1", 10300), ("Speech.home:1", "speech.home", 1), ("[::1]:10400", "::1", 10400),
        ("[fe80::1:2]:65535", "fe80::1:2", 65535),
    ]) func hostAndPortAreParsed(text: String, host: String, port: Int) {
        let server = HostAndPort(text)
        #expect(server?.host == host && server?.port == port)
        #expect(server?.text == text.lowercased())
    }

    /// It is ambiguous whether "::1:10400" ends with a port.
    @Test(arguments: [
        "::1:10400", "fe80::1:2:10400", "[::1]", "::1", "host", "host:", ":10300", "host:0", "host:65536", "host:+1",
        "a:b:1", "[::1:10400", "::1]:10400", "[host]:1", "http://host:1", "host:1/x", "ho st:1", "me@host:1", "",
    ]) func malformedHostAndPortIsRefused(text: String) {
        #expect(HostAndPort(text) == nil)
    }

    @Test(arguments: [
        ("https://host/x", "host"), ("http://user:word@host:80/x", "host:80"), ("http://host?x@y", "host"),
        ("nonsense", "nonsense"),
    ]) func messageNamesOnlyTheHost(url: String, host: String) {
        #expect(CurlProblem.host(of: url) == host)
    }

    /// Messages for the user are one line, whatever a server wrote.
    @Test func descriptionsAreOneLine() {
        let reason = "first\r\nsecond\n" + String(repeating: "x", count: 5000)
        let refusal = WebSocketRefusal(status: 403, reason: reason, retryAfter: nil, body: reason)
        for closure in [.closed(code: 4000, reason: reason), .refused(refusal)] as [WebSocketClosure] {
            let lines = closure.description.split(omittingEmptySubsequences: false) { $0.isNewline }
            #expect(lines.count == 1)
            #expect(closure.description.count < 300)
        }
    }
}
