import Testing

@testable import VoiceMedia

/// What the decoder receives of a server's answer, and what not.
struct ProxyAnswerTests {
    private func passed(
        _ pieces: String...,
        isSecure: Bool = false,
        hasNoBody: Bool = false
    ) throws -> String {
        var answer = ProxyAnswer(isSecure: isSecure, hasNoBody: hasNoBody)
        var bytes: [UInt8] = []
        for piece in pieces where !answer.isOver { bytes += try answer.pass(Array(piece.utf8)) }
        if !answer.isOver { bytes += try answer.end() }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func answerAnnouncesTheEndOfItsConnection() throws {
        #expect(
            try passed("HTTP/1.1 200", " OK\r\nA: b\r\nConnection: keep-alive\r\n\r\nx", "y")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\nA: b\r\n\r\nxy"
        )
        #expect(
            try passed("ICY 200 OK\r\n", "icy-name: a\r\n\r\n")
                == "ICY 200 OK\r\nConnection: close\r\nicy-name: a\r\n\r\n"
        )
        #expect(
            try passed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\n\nx")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx"
        )
    }

    @Test func bodyHasTheLengthOfItsHead() throws {
        let sized = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(
            try passed(sized + "abcdef", "more")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc"
        )
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(
            try passed(chunked + "5;x=y\r\nab", "cde\r", "\n2\r\nfg\r\n0\r\nT: x\r\n\r\nno more")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdefg"
        )
        #expect(
            try passed(sized, hasNoBody: true)
                == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\n"
        )
        var cut = ProxyAnswer()
        _ = try cut.pass(Array((sized + "ab").utf8))
        #expect(cut.isCutShort && !cut.isOver)
    }

    @Test(arguments: ["none", "utf-8", "binary", "aws-chunked", "Identity", ""])
    func meaninglessCodingIsLeftOut(coding: String) throws {
        #expect(
            try passed("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\nsound")
                == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsound"
        )
    }

    @Test(arguments: [
        "noise", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Encoding: none, br\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: httpproxy://inner:22/x\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    ])
    func unreadableAnswerIsRefused(answer: String) {
        #expect(throws: ProxyAnswer.Refusal.self) { _ = try passed(answer) }
    }

    @Test func endlessHeadsAreRefused() {
        let head = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "b", count: ProxyAnswer.longestHead)
        #expect(throws: ProxyAnswer.Refusal.self) { _ = try passed(head) }
    }

    @Test func redirectsLeadToTheProxy() throws {
        func location(_ text: String, isSecure: Bool = false) throws -> Substring? {
            let answer = try passed("HTTP/1.1 302 Found\r\nLocation: \(text)\r\n\r\n", isSecure: isSecure)
            return answer.split(separator: "\r\n").first { $0.hasPrefix("Location: ") }?.dropFirst(10)
        }
        #expect(try location("https://a.example/b?c=d:e") == "http://a.example.https.invalid:443/b?c=d:e")
        #expect(try location("http://a.example/b") == "http://a.example/b")
        #expect(try location("/b", isSecure: true) == "/b")
        #expect(try location("//a.example/b", isSecure: true) == "http://a.example.https.invalid:443/b")
        #expect(try location("//a.example/b") == "//a.example/b")
    }

    @Test func playlistAddressesLeadToTheProxy() throws {
        let head = "HTTP/1.1 206 Partial Content\r\nContent-Length: %\r\nContent-Range: bytes 0-9/10\r\n\r\n"
        let list = """
            #EXTM3U
            #EXT-X-KEY:METHOD=AES-128,URI="https://k.example:8443/k",IV=0xU
            #EXT-X-MAP:URI="init.mp4"
            a/b.ts
            2026-01-01T10:00:00.ts
            https://[2001:db8::1]/c.ts
            //d.example/e.ts
            """
        let whole = try passed(
            head.replacing("%", with: "\(list.utf8.count)") + String(list.prefix(5)), String(list.dropFirst(5)),
            isSecure: true
        )
        #expect(
            whole == "HTTP/1.1 206 Partial Content\r\nConnection: close\r\n\r\n" + """
                #EXTM3U
                #EXT-X-KEY:METHOD=AES-128,URI="http://k.example.https.invalid:8443/k",IV=0xU
                #EXT-X-MAP:URI="init.mp4"
                a/b.ts
                2026-01-01T10:00:00.ts
                http://2001-db8--1.v6.https.invalid:443/c.ts
                http://d.example.https.invalid:443/e.ts
                """
        )
    }

    @Test(arguments: [
        "httpproxy://inner:22/x:1", "HTTPPROXY://inner:22", "tcp://inner:22", "crypto+tcp://inner:22",
        "file:/etc/passwd",
        "data:audio/aac;base64,AAAA", "udp://inner:1", " https:inner", "concat:a|b", "https://", "rtmp://x/y",
    ])
    func otherSchemesInAPlaylistAreRefused(address: String) {
        for line in [
            address, "#EXT-X-KEY:METHOD=AES-128,URI=\"\(address)\"", "#EXT-X-MEDIA:TYPE=AUDIO,URI=\"\(address)",
        ] {
            #expect(throws: SegmentList.Refusal.self, "\(line)") {
                _ = try SegmentList.passed(Array("#EXTM3U\n\(line)\r\n".utf8), isSecure: true)
            }
        }
    }

    @Test func anEndlessPlaylistIsRefused() {
        var answer = ProxyAnswer()
        #expect(throws: ProxyAnswer.Refusal.self) {
            _ = try answer.pass(Array("HTTP/1.1 200 OK\r\n\r\n#EXTM3U\n".utf8))
            for _ in 0..<64 { _ = try answer.pass([UInt8](repeating: 0x61, count: 64 << 10)) }
        }
    }

    @Test(arguments: [
        ("https://Example.org/a?b", "http://example.org.https.invalid:443/a?b"),
        ("HTTPS://example.org:8443", "http://example.org.https.invalid:8443"), ("http://a/b", "http://a/b"),
        ("https://user@a/", "https://user@a/"), ("ftp://a", "ftp://a"),
    ])
    func httpsBecomesAProxyAddress(address: String, plain: String) {
        #expect(SecureAddress.plain(address) == plain)
    }
}
