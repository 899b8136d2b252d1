import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceMedia
@testable import VoiceNetwork
@testable import VoiceReply

/// From an address to the sound behind it, with a web server on this machine.
@Suite(.serialized) struct MediaResolverTests {
    private struct Web {
        let server = MediaServer()
        let network = NetworkThread()
        let port: Int

        init() async throws {
            port = try await server.start()
            try network.start()
            server.serve(
                "/sound.mp3", .file(type: "audio/mpeg", [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 900))
            )
        }

        var place: String { "http://127.0.0.1:\(port)" }

        func resolve(
            _ address: String,
            kind: MediaKind = .track,
            tried: Int = 0,
            isHeard: (MediaItem) -> Bool = { _ in false }
        ) async throws(MediaProblem) -> MediaResolver.Found {
            let network = network
            let resolver = MediaResolver(policy: MediaPolicy(hosts: "127.0.0.1")) { request throws(HTTPFailure) in
                try await network.open(request)
            }
            var item = MediaItem(address: address, title: "", kind: kind)
            item.tried = tried
            return try await resolver.resolve(item, isHeard: isHeard)
        }

        func stop() async {
            await network.stop()
            await server.stop()
        }
    }

    struct Row: CustomTestStringConvertible {
        var name: String
        var path = "/list"
        var type: String
        /// "%" stands for the server.
        var text: String
        /// nil if it leads to /sound.mp3.
        var problem: String?
        var headers: [String: String] = [:]
        var bytes: [UInt8]?

        var testDescription: String { name }
    }

    private static let episode = #"<item><title>One</title><enclosure url="/sound.mp3" type="audio/mpeg"/></item>"#

    static let rows = [
        Row(name: "M3U without header as text", type: "text/plain", text: "%/sound.mp3\n"),
        Row(name: "relative M3U as text", path: "/a/list.m3u", type: "text/plain", text: "../sound.mp3\n"),
        Row(name: "M3U as MP3", type: "audio/mpeg", text: "#EXTM3U\n%/sound.mp3\n"),
        Row(name: "M3U with a byte order mark", type: "audio/x-mpegurl", text: "\u{FEFF}#EXTM3U\r\nsound.mp3\r\n"),
        Row(
            name: "PLS whose first server is down",
            type: "audio/x-scpls",
            text: "[playlist]\nFile1=http://127.0.0.1:1/x\nFile2=%/sound.mp3\n"
        ),
        Row(
            name: "PLS whose first stream is gone", type: "audio/x-scpls",
            text: "[playlist]\nFile1=%/gone\nFile2=/sound.mp3\n"
        ),
        Row(
            name: "PLS whose first stream is a page", type: "application/pls+xml",
            text: "[playlist]\nFile1=%/page\nFile2=/sound.mp3\n"
        ),
        Row(
            name: "PLS whose first host is refused",
            type: "audio/x-scpls",
            text: "[playlist]\nFile1=http://10.0.0.1/\nFile2=/sound.mp3\n"
        ),
        Row(
            name: "ASX", type: "video/x-ms-asf",
            text: #"<asx version="3.0"><entry><ref href="%/sound.mp3"/></entry></asx>"#
        ),
        Row(
            name: "XSPF", type: "application/xspf+xml",
            text: "<playlist><trackList><track><location>sound.mp3</location></track></trackList></playlist>"
        ),
        Row(name: "a list of lists", type: "audio/x-mpegurl", text: "#EXTM3U\n%/inner\n"),
        Row(name: "OPML", type: "text/x-opml", text: #"<opml><body><outline text="P" xmlUrl="/feed"/></body></opml>"#),
        Row(
            name: "OPML of several", type: "text/x-opml",
            text: #"<opml><body><outline text="P" xmlUrl="/a"/><outline text="Q" xmlUrl="/b"/></body></opml>"#,
            problem: "a list of 2 podcasts"
        ),
        Row(name: "a feed as HTML", type: "text/html", text: "<rss><channel>\(episode)</channel></rss>"),
        Row(
            name: "a feed compressed unasked",
            type: "application/rss+xml",
            text: "",
            headers: ["Content-Encoding": "gzip"],
            bytes: bytes(
                "H4sIAAAAAAACAz2NuQ3AIAwAV0EMEBdpDSukyAQIrATJGMRTZPsoQqE7XXGHtTWL/nYixBZ77Ez2RJiAsVP67SG0PInn3EYlNSobDS0PCVsqu1b9KWS0GyFmSIUuDRZhdmB94Nu+oxhUCXwAAAA="
            )
        ),
        Row(
            name: "a feed deflated unasked",
            type: "application/rss+xml",
            text: "",
            headers: ["Content-Encoding": "deflate"],
            bytes: bytes(
                "eJw9jbkNwCAMAFdBDBAXaQ0rpMgECKwEyRjEU2T7KEKhO11xh7U1i/52IsQWe+xM9kSYgLFT+u0htDyJ59xGJTUqGw0tDwlbKrtW/SlktBshZkiFLg0WYXZgfeDbvt8iK70="
            )
        ),
        Row(
            name: "a feed compressed twice", type: "application/rss+xml", text: "x", problem: "not asked for",
            headers: ["Content-Encoding": "gzip, gzip"]
        ),
        Row(
            name: "JSON Feed",
            type: "application/feed+json",
            text:
                #"{"items":[{"title":"One","attachments":[{"url":"/sound.mp3","mime_type":"audio/mpeg"}]}],"version":"https://jsonfeed.org/version/1.1"}"#
        ),
        Row(
            name: "a feed behind messages of a script",
            type: "text/html",
            text: "<br />\n<b>Warning</b>: Undefined variable <i>$x</i> in <b>/a.php</b> on line <b>5</b><br />\n"
                + "<?xml version=\"1.0\"?><rss><channel>\(episode)</channel></rss>"
        ),
        Row(
            name: "a feed behind 30 kB of messages",
            type: "text/html",
            text: String(repeating: "<br />\n<b>Notice</b>: Undefined index in <b>/a.php</b><br />\n", count: 500)
                + "<rss><channel>\(episode)</channel></rss>"
        ),
        Row(
            name: "a feed behind plain messages",
            type: "text/xml",
            text:
                "\nPHP Notice:  Undefined index: x in /a.php on line 5\n<?xml version=\"1.0\"?><rss><channel>\(episode)"
        ),
        Row(name: "a list of itself", type: "audio/x-mpegurl", text: "#EXTM3U\n/list\n", problem: "ever more lists"),
        Row(
            name: "an empty list", type: "audio/x-mpegurl", text: "#EXTM3U\n", problem: "no address that can be played"
        ),
        Row(name: "a DASH stream", type: "application/dash+xml", text: "<MPD/>", problem: "a DASH stream"),
        Row(name: "JSON", type: "application/json", text: "{}", problem: "text, not sound"),
        Row(
            name: "a feed without sound", type: "text/xml",
            text: "<rss><channel><item><title>x</title></item></channel></rss>", problem: "no episode"
        ),
    ]

    private static func bytes(_ text: String) -> [UInt8] { Data(base64Encoded: text).map { Array($0) } ?? [] }

    @Test(arguments: rows) func anAddressLeadsToItsSound(row: Row) async throws {
        let web = try await Web()
        web.server.serve("/page", .file(type: "text/html", Array("<html>offline</html>".utf8)))
        web.server.serve("/inner", .file(type: "audio/x-scpls", Array("[playlist]\nFile1=/sound.mp3".utf8)))
        web.server.serve("/feed", .file(type: "text/xml", Array("<rss><channel>\(Self.episode)</channel></rss>".utf8)))
        let text = row.text.replacing("%", with: web.place)
        web.server.serve(row.path, .file(type: row.type, row.bytes ?? Array(text.utf8), headers: row.headers))
        do throws(MediaProblem) {
            let found = try await web.resolve(web.place + row.path)
            #expect(found.source == .network(.init(address: web.place + "/sound.mp3")))
            #expect(row.problem == nil)
        } catch {
            #expect(row.problem.map { error.description.contains($0) } == true, "\(error)")
        }
        await web.stop()
    }

    /// The recordings of a list follow each other; the streams of a station replace each other.
    @Test(arguments: [
        ("#EXTM3U\n#EXTINF:180,A\n%/sound.mp3\n#EXTINF:200,B\n%/b.mp3\n", ["B"], false),
        ("sound.mp3\nb.mp3\nc.mp3\n", ["", ""], false),
        (
            "[playlist]\nFile1=%/gone\nLength1=9\nFile2=%/sound.mp3\nLength2=9\nFile3=%/c.mp3\nTitle3=C\nLength3=9\n",
            ["C"], false
        ),
        (
            "<playlist><trackList><track><location>sound.mp3</location><title>A</title><duration>9000</duration></track>"
                + "<track><location>b.mp3</location><title>B</title><duration>9000</duration></track></trackList></playlist>",
            ["B"], false
        ),
        ("#EXTM3U\n#EXTINF:-1,A\n%/sound.mp3\n#EXTINF:-1,B\n%/b.mp3\n", [], true),
        ("[playlist]\nFile1=%/sound.mp3\nLength1=-1\nFile2=%/b.mp3\nLength2=-1\n", [], true),
        ("%/sound.mp3\n%/b.mp3\n", [], true), ("%/sound.mp3\n", [], false),
    ])
    func recordingsOfAListFollowEachOther(text: String, more: [String], hasOthers: Bool) async throws {
        let web = try await Web()
        web.server.serve("/list", .file(type: "audio/x-mpegurl", Array(text.replacing("%", with: web.place).utf8)))
        let found = try await web.resolve(web.place + "/list")
        #expect(found.more.map(\.title) == more && found.item.hasOthers == hasOthers)
        await web.stop()
    }

    @Test func triedAddressIsSkipped() async throws {
        let web = try await Web()
        let sound = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 900)
        web.server.serve("/b.mp3", .file(type: "audio/mpeg", sound))
        web.server.serve(
            "/list", .file(type: "audio/x-scpls", Array("[playlist]\nFile1=/sound.mp3\nFile2=/b.mp3\n".utf8))
        )
        #expect(
            try await web.resolve(web.place + "/list", tried: 1).source
                == .network(.init(address: web.place + "/b.mp3"))
        )
        await #expect(throws: MediaProblem.failed("no address of its list can be played")) {
            try await web.resolve(web.place + "/list", tried: 2)
        }
        await web.stop()
    }

    /// Hosts of podcasts count downloads by chains of redirects.
    @Test func redirectsOfAFeedAndOfItsFileCountApart() async throws {
        let web = try await Web()
        for index in 0..<7 {
            web.server.serve("/feed\(index)", .redirect(to: "/feed\(index + 1)"))
            web.server.serve("/file\(index)", .redirect(to: index == 6 ? "/sound.mp3" : "/file\(index + 1)"))
        }
        let feed = #"<rss><channel><item><enclosure url="/file0" type="audio/mpeg"/></item></channel></rss>"#
        web.server.serve("/feed7", .file(type: "text/xml", Array(feed.utf8)))
        let found = try await web.resolve(web.place + "/feed0")
        #expect(found.source == .network(.init(address: web.place + "/sound.mp3")))
        await web.stop()
    }

    /// 9 MB with the newest first, and slow: what comes first is enough.
    @Test func hugeFeedIsReadUntilTheNewestEpisodeIsKnown() async throws {
        let web = try await Web()
        let items = (1...900).map { index in
            let day = "\(28 - index / 36) \(["Jun", "May"][index % 2 == 0 ? 0 : 0]) 2025 0\(9 - index % 9):00:00 GMT"
            return "<item><title>\(index)</title><pubDate>\(day)</pubDate><description>"
                + String(repeating: "words ", count: 1700)
                + #"</description><enclosure url="/sound.mp3?\#(index)" type="audio/mpeg"/></item>"#
        }
        let text = Array("<rss><channel><title>S</title>\(items.joined())</channel></rss>".utf8)
        #expect(text.count > 9_000_000)
        web.server.serve("/feed", .drip(type: "text/xml", text, bytesPerTick: 50_000))
        for index in 1...900 { web.server.serve("/sound.mp3?\(index)", .file(type: "audio/mpeg", [0xFF, 0xFB, 0, 0])) }
        let found = try await web.resolve(web.place + "/feed")
        #expect(found.item.title == "1" && found.item.artist == "S")
        #expect(web.server.sent < 1_000_000)
        let second = try await web.resolve(web.place + "/feed") { $0.title == "1" }
        #expect(second.item.title == "2")
        await web.stop()
    }

    @Test func brokenFeedKeepsTheEarlierEpisodes() async throws {
        let web = try await Web()
        web.server.serve(
            "/feed", .broken(type: "text/xml", Array("<rss><channel>\(Self.episode)<item>".utf8), stalls: false)
        )
        #expect(try await web.resolve(web.place + "/feed").item.title == "One")
        await web.stop()
    }

    @Test func cookiesAndTheNameOfTheProgramAreSent() async throws {
        let web = try await Web()
        let heads = Mutex<[String]>([])
        func script(_ answer: String) -> LoopbackServer.Script {
            { socket in
                heads.withLock { $0.append(socket.readHeader()) }
                socket.write(answer)
            }
        }
        let moved =
            "HTTP/1.1 302 Found\r\nSet-Cookie: s=1; Path=/; HttpOnly\r\nSet-Cookie: t=2\r\nLocation: /b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let sound =
            "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 4\r\nConnection: close\r\n\r\nID3\u{0}"
        let server = try LoopbackServer(script(moved), script(sound))
        let found = try await web.resolve("http://127.0.0.1:\(server.port)/a")
        let asked = heads.withLock { $0 }
        #expect(!asked[0].contains("Cookie:") && asked[1].contains("Cookie: s=1; t=2\r\n"), "\(asked)")
        #expect(asked.allSatisfy { $0.contains("User-Agent: jarvis-voiced/\(ProgramVersion.current) (+https://") })
        guard case .network(let place) = found.source else { return #expect(Bool(false), "\(found)") }
        #expect(place.address == "http://127.0.0.1:\(server.port)/b")
        let url = try #require(ServerURL(place.address))
        #expect(place.secrets.headers(for: url).map(\.value) == ["s=1; t=2"])
        await web.stop()
    }

    /// Private podcasts are addressed that way; the password goes to that server alone.
    @Test func thePasswordOfAnAddressIsSentToItsServer() async throws {
        let web = try await Web()
        let heads = Mutex<[String]>([])
        func script(_ answer: String) -> LoopbackServer.Script {
            { socket in
                heads.withLock { $0.append(socket.readHeader()) }
                socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n" + answer)
            }
        }
        let feed = #"<rss><channel><item><enclosure url="/a.mp3" type="audio/mpeg"/></item></channel></rss>"#
        let server = try LoopbackServer(
            script("Content-Type: text/xml\r\nContent-Length: \(feed.utf8.count)\r\n\r\n" + feed),
            script("Content-Type: audio/mpeg\r\nContent-Length: 4\r\n\r\nID3\u{0}")
        )
        let found = try await web.resolve("HTTP://us%20er:p:w@127.0.0.1:\(server.port)/feed")
        let right = "Authorization: Basic \(Data("us er:p:w".utf8).base64EncodedString())\r\n"
        #expect(heads.withLock { $0.allSatisfy { $0.contains(right) && !$0.contains("@") } })
        guard case .network(let place) = found.source else { return #expect(Bool(false), "\(found)") }
        #expect(place.address == "http://127.0.0.1:\(server.port)/a.mp3")
        let other = try #require(ServerURL("http://127.0.0.1:1/"))
        #expect(place.secrets.headers(for: other).isEmpty)
        await web.stop()
    }

    /// One episode, and then nothing for as long as the connection lasts.
    @Test func slowFeedEndsOnceAnEpisodeIsKnown() async throws {
        let web = try await Web()
        web.server.serve(
            "/feed", .broken(type: "text/xml", Array("<rss><channel>\(Self.episode)".utf8), stalls: true)
        )
        let begin = ContinuousClock.now
        #expect(try await web.resolve(web.place + "/feed").item.title == "One")
        #expect(ContinuousClock.now - begin < .seconds(10), "before the limit of the reply")
        await web.stop()
    }

    private final class Flags: Sendable {
        let hasBegun = Atomic(false)
        let isReleased = Atomic(false)
        let wasLate = Atomic(false)

        /// Computes until it is released.
        func compute() {
            hasBegun.store(true, ordering: .relaxed)
            let end = ContinuousClock.now + .seconds(20)
            while !isReleased.load(ordering: .relaxed), ContinuousClock.now < end { usleep(1000) }
            if !isReleased.load(ordering: .relaxed) { wasLate.store(true, ordering: .relaxed) }
        }
    }

    /// Swift's own threads are as few as the cores: searches that compute for long leave them to the conversation.
    @Test func longSearchDoesNotDelayOtherTasks() async throws {
        let web = try await Web()
        web.server.serve("/feed", .file(type: "text/xml", Array("<rss><channel>\(Self.episode)</channel></rss>".utf8)))
        let flags = Flags()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    _ = try? await web.resolve(web.place + "/feed") { _ in
                        flags.compute()
                        return false
                    }
                }
            }
            while !flags.hasBegun.load(ordering: .relaxed) { await Task.yield() }
            flags.isReleased.store(true, ordering: .relaxed)
        }
        let wasLate = flags.wasLate.load(ordering: .relaxed)
        #expect(!wasLate)
        await web.stop()
    }

    @Test func cookiesBelongToTheirHost() throws {
        var secrets = ServerSecrets()
        func cookies(_ address: String) throws -> String? {
            secrets.headers(for: try #require(ServerURL(address))).first?.value
        }
        let url = try #require(ServerURL("https://a.radio.example/x"))
        for cookie in [
            "own=1", "all=2; Domain=.radio.example", "no=3; Domain=example", "own=4", "nonsense",
            "other=5; Domain=other.example", "tls=6; Secure", "gone=7", "gone=; Max-Age=0", "line=8\r\nX: y",
        ] {
            secrets.keep(cookie: cookie, from: url)
        }
        #expect(try cookies("https://a.radio.example/") == "all=2; no=3; own=4; other=5; tls=6")
        #expect(try cookies("http://a.radio.example/") == "all=2; no=3; own=4; other=5")
        #expect(try cookies("https://b.radio.example/") == "all=2")
        #expect(try cookies("https://b.example/") == nil)
    }

    @Test func segmentOptionsMatchTheDecoder() {
        let old = "  -allowed_extensions <string>     .D... List\n"
        #expect(DecoderJob.segmentOptions(help: old) == ["-allowed_extensions", "ALL"])
        #expect(DecoderJob.segmentOptions(help: "").isEmpty)
        let new = old + "  -extension_picky   <boolean>    .D...\n"
        #expect(DecoderJob.segmentOptions(help: new) == ["-extension_picky", "0", "-allowed_extensions", "ALL"])
    }
}
