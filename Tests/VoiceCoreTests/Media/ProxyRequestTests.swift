import Testing

@testable import VoiceBase
@testable import VoiceMedia

/// What the decoder's proxy accepts as a request, and what it turns it into.
struct ProxyRequestTests {
    private func parse(_ text: String) throws -> ProxyRequest? { try ProxyRequest.parse(Array(text.utf8)) }

    @Test func proxyRequestIsRewrittenForTheServer() throws {
        let text =
            "GET http://Radio.example:8000/a?b=c HTTP/1.1\r\nUser-Agent: x\r\nHost: other.example\r\n"
            + "Proxy-Authorization:  Basic  abc \r\nConnection: keep-alive\r\nRange: bytes=5-\r\nIcy-MetaData: 1\r\n\r\n"
        let request = try #require(try parse(text + "GET http://second.example/ HTTP/1.1\r\n\r\n"))
        #expect(request.length == text.utf8.count)
        #expect(request.server.host == "radio.example")
        #expect(request.server.port == 8000)
        #expect(request.credentials == "Basic abc")
        #expect(
            String(decoding: request.forwarded, as: UTF8.self) == "GET /a?b=c HTTP/1.1\r\nHost: Radio.example:8000\r\n"
                + "Connection: close\r\nAccept-Encoding: identity\r\nUser-Agent: x\r\nRange: bytes=5-\r\nIcy-MetaData: 1\r\n\r\n"
        )
    }

    @Test func proxyAddressOfHttpsIsRestored() throws {
        let text = "GET http://Radio.example.https.invalid:443/a HTTP/1.1\r\nAccept-Encoding: gzip\r\nHost: x\r\n\r\n"
        let request = try #require(try parse(text))
        #expect(request.server == ServerURL("https://radio.example"))
        #expect(
            String(decoding: request.forwarded, as: UTF8.self)
                == "GET /a HTTP/1.1\r\nHost: radio.example\r\nConnection: close\r\nAccept-Encoding: identity\r\n\r\n"
        )
        let other = try parse("GET http://2001-db8--1.v6.https.invalid:8443/ HTTP/1.1\r\n\r\n")
        #expect(other?.server == ServerURL("https://[2001:db8::1]:8443"))
    }

    /// ffmpeg takes an answer that begins elsewhere for a failure, even one that asks for its password.
    @Test func startOfTheRangeIsRead() throws {
        let request = try #require(try parse("GET http://a/ HTTP/1.1\r\nRange: bytes=19928-39291\r\n\r\n"))
        #expect(request.firstByte == 19_928)
        let answer = String(decoding: ProxyReply.needsCredentials(from: 19_928).bytes, as: UTF8.self)
        #expect(answer.contains("\r\nContent-Range: bytes 19928-19928/*\r\n"))
    }

    @Test func overlongRequestHeadIsRefused() throws {
        #expect(try parse("GET http://a/ HTTP/1.1\r\nX: y\r\n") == nil)
        let long = "GET http://a/ HTTP/1.1\r\nX: " + String(repeating: "y", count: ProxyRequest.longestHead)
        #expect(throws: ProxyRequest.Problem.tooLong) { try parse(long) }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET https://a/ HTTP/1.1\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\n\r\n",
        "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nContent-Length: 1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nno field\r\n\r\n", "GET http://user@a/ HTTP/1.1\r\n\r\n",
        "GET http://a/ b HTTP/1.1\r\n\r\n", "GET http://a:99999/ HTTP/1.1\r\n\r\n", "CONNECT a:443 HTTP/1.1\r\n\r\n",
        "GET http://.https.invalid:443/ HTTP/1.1\r\n\r\n", "GET http://x.v6.https.invalid:443/ HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nX: a\rHost: b\r\n\r\n", "\r\n\r\n",
    ])
    func malformedPlayerRequestIsRefused(text: String) {
        #expect(throws: ProxyRequest.Problem.notUnderstood) { try parse(text) }
    }
}
