import Testing

@testable import VoiceCore

/// What the decoder's proxy takes for a request, and what it makes of it.
struct ProxyRequestTests {
    private func parse(_ text: String) throws -> ProxyRequest? { try ProxyRequest.parse(Array(text.utf8)) }

    @Test func aPageIsAskedForInTheFormOfItsServer() throws {
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
                + "Connection: close\r\nUser-Agent: x\r\nRange: bytes=5-\r\nIcy-MetaData: 1\r\n\r\n"
        )
    }

    @Test func aTunnelHasNothingForItsServer() throws {
        let request = try #require(try parse("CONNECT [2001:db8::1]:8443 HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(request.isTunnel && request.forwarded.isEmpty)
        #expect(request.server.host == "2001:db8::1")
        #expect(request.server.port == 8443)
    }

    @Test func aRequestIsWaitedForButNotForEver() throws {
        #expect(try parse("GET http://a/ HTTP/1.1\r\nX: y\r\n") == nil)
        let long = "GET http://a/ HTTP/1.1\r\nX: " + String(repeating: "y", count: ProxyRequest.longestHead)
        #expect(throws: ProxyRequest.Problem.tooLong) { try parse(long) }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET https://a/ HTTP/1.1\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\n\r\n",
        "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\n\r\n", "GET http://a/ HTTP/1.1\r\nContent-Length: 1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nno field\r\n\r\n", "GET http://user@a/ HTTP/1.1\r\n\r\n",
        "GET http://a/ b HTTP/1.1\r\n\r\n", "GET http://a:99999/ HTTP/1.1\r\n\r\n", "CONNECT a:443/x HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nX: a\rHost: b\r\n\r\n", "\r\n\r\n",
    ])
    func whatIsNoRequestOfAPlayerIsRefused(text: String) {
        #expect(throws: ProxyRequest.Problem.notUnderstood) { try parse(text) }
    }

    @Test func theAnswerTellsThatItsConnectionEnds() {
        func passed(_ pieces: String...) -> String {
            var answer = ProxyAnswer()
            var bytes: [UInt8] = []
            for piece in pieces { bytes += answer.pass(Array(piece.utf8)) }
            return String(decoding: bytes + answer.end(), as: UTF8.self)
        }
        #expect(
            passed("HTTP/1.1 200", " OK\r\nA: b\r\n\r\nx", "y")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\nA: b\r\n\r\nxy"
        )
        #expect(passed("ICY 200 OK\r\n", "icy-name: a\r\n\r\n") == "ICY 200 OK\r\nicy-name: a\r\n\r\n")
        #expect(passed("HTTP/1.1 100 Continue\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        let noise = String(repeating: "n", count: 600)
        #expect(passed(noise) == noise)
        #expect(passed("short") == "short")
    }
}
