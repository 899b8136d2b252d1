import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceNetwork
@testable import VoiceReply

/// What is read from outside to determine what to play, and what is refused.
struct MediaSourceTests {
    @Test(arguments: [
        "127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "172.31.255.255", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1",
        "64:ff9b::10.0.0.1", "2002:7f00:1::", "2001:db8::1", "ff02::1",
    ])
    func privateAddressesAreKnown(text: String) throws {
        #expect(try !#require(NetworkAddress(text: text)).isPublic)
    }

    @Test(arguments: ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])
    func publicAddressesAreAllowed(text: String) throws {
        #expect(try #require(NetworkAddress(text: text)).isPublic)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://localhost:8080/x", "http://[::1]/", "http://192.168.0.2/a.mp3", "ftp://x.org/a",
        "file:///etc/passwd", "javascript:1", "http://user:pw@127.0.0.1/", "http://a@b@127.0.0.1/", "concat:http://a|b",
        "ws://example.org/",
    ])
    func privateAndForeignSchemesAreRefused(address: String) {
        #expect(throws: MediaProblem.self) { _ = try MediaPolicy().network(address) }
    }

    @Test func listedHostsAreAllowed() throws {
        let policy = MediaPolicy(hosts: "nas.lan 127.0.0.1:8000", folders: "")
        _ = try policy.network("http://127.0.0.1:8000/a.mp3")
        #expect(throws: MediaProblem.self) { _ = try policy.network("http://127.0.0.1:8001/a.mp3") }
        let nas = try policy.network("http://nas.lan/a.mp3")
        #expect(policy.allows([], of: nas))
        let other = try policy.network("http://example.org/")
        let address = try #require(NetworkAddress(text: "10.1.2.3"))
        #expect(!policy.allows([address], of: other), "a name that stands for a private address")
        #expect(!policy.allows([], of: other))
    }

    @Test func theHomeIsKnownByItsPrefix() throws {
        func bytes(_ text: String) throws -> [UInt8] { try #require(NetworkAddress(text: text)).written }
        let home = HomeNetwork([
            .init(bytes: try bytes("2001:4dd0:1234:5601::2"), length: 64),
            .init(bytes: try bytes("93.184.216.34"), length: 29),
        ])
        for text in ["2001:4dd0:1234:5601::9", "2001:4dd0:1234:56ff::1", "93.184.216.33", "::ffff:93.184.216.38"] {
            #expect(home.contains(try #require(NetworkAddress(text: text))), "\(text)")
        }
        for text in ["2001:4dd0:1234:5701::9", "2001:4dd0:1235::1", "93.184.216.40", "1.1.1.1"] {
            #expect(!home.contains(try #require(NetworkAddress(text: text))), "\(text)")
        }
        #expect(HomeNetwork.now().contains(try #require(NetworkAddress(text: "127.0.0.1"))))
        let url = try MediaPolicy().network("http://nas.example/")
        let address = try #require(NetworkAddress(text: "2001:4dd0:1234:5601::9"))
        #expect(!MediaPolicy().allows([address], of: url, home: home))
        #expect(MediaPolicy().allows([address], of: url, home: HomeNetwork([])))
    }

    @Test func onlyFilesBelowTheFoldersArePlayed() throws {
        let policy = MediaPolicy(hosts: "", folders: "/music/:/more")
        let disk = MediaDisk(realPath: { $0 == "/music/link" ? "/etc/passwd" : $0 }, names: { _ in [] })
        #expect(try policy.file("/music/a.mp3", in: disk) == "/music/a.mp3")
        for path in ["/etc/passwd", "/music/link", "/musical/a.mp3", "a.mp3", "/music", "/music%2F..%2Fetc/passwd"] {
            #expect(throws: MediaProblem.refusedFolder) { _ = try policy.file(path, in: disk) }
        }
    }

    /// As agents write names, and as the disk spells them.
    @Test(arguments: [
        ("/music/My%20Song.mp3", "/music/My Song.mp3"), ("/music/100%.mp3", "/music/100%.mp3"),
        ("/music/B\u{F6}hse/\u{DC}.mp3", "/music/Bo\u{308}hse/U\u{308}.mp3"),
        ("/music/Bo\u{308}hse/a.mp3", "/music/B\u{F6}hse/a.mp3"),
        ("/music/B%C3%B6hse/a.mp3", "/music/Bo\u{308}hse/a.mp3"),
    ])
    func fileIsFoundInAnyUnicodeForm(written: String, onDisk: String) throws {
        let parts = onDisk.split(separator: "/")
        let known = (1...parts.count).map { "/" + parts.prefix($0).joined(separator: "/") }
        let disk = MediaDisk(
            realPath: { path in known.first { $0.utf8.elementsEqual(path.utf8) } },
            names: { folder in
                known.filter { $0.utf8.starts(with: (folder + "/").utf8) }
                    .compactMap { $0.dropFirst(folder.count + 1).split(separator: "/").first.map(String.init) }
            }
        )
        let found = try MediaPolicy(folders: "/music").file(written, in: disk)
        #expect(found.utf8.elementsEqual(onDisk.utf8))
    }

    @Test func missingFileIsNotCalledForbidden() {
        let disk = MediaDisk(realPath: { $0 == "/music" ? $0 : nil }, names: { _ in [] })
        let policy = MediaPolicy(folders: "/music")
        #expect(throws: MediaProblem.failed("there is no file gone.mp3")) {
            _ = try policy.file("/music/gone.mp3", in: disk)
        }
        for path in ["/etc/gone", "/music/../etc/gone"] {
            #expect(throws: MediaProblem.refusedFolder) { _ = try policy.file(path, in: disk) }
        }
    }

    @Test(arguments: [
        ("nas.lan", nil), ("NAS.lan:8000, 192.168.1.5", nil), ("[fd00::5]:8000 fd00::5 [fd00::6]", nil), ("", nil),
        ("http://nas.lan", "http://nas.lan"), ("nas.lan/music", "nas.lan/music"),
        ("a 192.168.1.0/24", "192.168.1.0/24"),
        ("*.lan", "*.lan"), ("192.168.1.*", "192.168.1.*"), ("nas.lan:", "nas.lan:"), ("nas.lan:0", "nas.lan:0"),
        ("nas.lan:80-90", "nas.lan:80-90"), ("192.168.1", "192.168.1"), ("10.0.0.300", "10.0.0.300"),
        ("nas.lan;b.lan", "nas.lan;b.lan"), ("fe80::1%eth0", "fe80::1%eth0"), ("u:p@nas.lan", "an address"),
    ])
    func malformedHostsAreRefused(text: String, wrong: String?) throws {
        var configuration = Configuration()
        let key = try #require(ConfigurationSchema.key("media.allow_hosts"))
        let problem = key.set(.text(text), in: &configuration)
        #expect(
            problem?.contains("names \"\(wrong ?? "")\"") == (wrong == nil ? nil : wrong != "an address"),
            "\(problem ?? "-")"
        )
        #expect(problem?.contains("u:p") != true)
    }

    @Test func listedHostsAreComparedAsAddresses() throws {
        let policy = MediaPolicy(hosts: "[FD00::5]:8000 fd00::6 Nas.LAN.")
        for address in ["http://[fd00::5]:8000/a", "http://[fd00::6]:9/a", "http://nas.lan/a"] {
            #expect(policy.isListed(try policy.network(address)), "\(address)")
        }
        #expect(throws: MediaProblem.self) { _ = try policy.network("http://[fd00::5]/a") }
    }

    @Test func podcastPlaysItsNewestUnheardEpisode() throws {
        let text = """
            <?xml version="1.0"?><!-- c --><rss><channel><title>Show &amp; Tell</title><image><title>No</title></image>
            <item><title>Old</title><pubDate>Mon, 02 Jun 2025 04:00:00 GMT</pubDate>
            <enclosure url="https://e.org/1.mp3?a=1&amp;b=2" type="audio/mpeg" length="1"/></item>
            <item><title><![CDATA[New <b>]]></title><pubDate>Tue, 10 Jun 2025 04:00:00 +0200</pubDate>
            <enclosure url='https://e.org/2.mp3' type='audio/mpeg'/></item>
            <item><title>Text only</title></item></channel></rss>
            """
        let feed = try #require(PodcastFeed(Array(text.utf8)))
        #expect(feed.list.title == "Show & Tell")
        #expect(feed.list.newestFirst.map(\.title) == ["New", "Old"])
        let now = 1_800_000_000
        let next = feed.list.next(at: now) { $0.address == "https://e.org/2.mp3" }
        #expect(next?.address == "https://e.org/1.mp3?a=1&b=2")
        #expect(feed.list.next(at: now) { _ in true }?.title == "New")
        #expect(PodcastFeed(Array("<html><body>no</body></html>".utf8)) == nil)
    }

    @Test func randomFeedIsParsed() {
        var random = SeededGenerator(seed: 3)
        let pieces = [
            "<", ">", "</", "/>", "<![CDATA[", "]]>", "<!--", "-->", "&#x", "&amp;", ";", "\"", "'", "=", "<rss>",
            "<item ",
            "<enclosure url=\"", "title", " ", "\u{0}", "&#1114112;", "é",
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            _ = PodcastFeed(Array(text.joined().utf8))
            _ = PlaylistText(Array(text.joined().utf8), isDeclared: true)
            _ = StationTitle.reduced(text.joined())
            _ = DecoderTag(line: text.joined())
        }
    }

    @Test func archiveItemPlaysItsFilesInOrder() throws {
        let url = try #require(ServerURL("https://archive.org/details/some-show"))
        #expect(ArchiveItem.identifier(in: url) == "some-show")
        let text = """
            {"metadata":{"title":"Show","creator":["Band","Other"]},"files":[
            {"name":"b 2.flac","format":"Flac"},{"name":"b 2.mp3","format":"VBR MP3","title":"Second"},
            {"name":"a1.ogg","format":"Ogg Vorbis"},{"name":"cover.jpg","format":"JPEG"}]}
            """
        let items = try #require(ArchiveItem(Array(text.utf8), identifier: "some-show")).items
        #expect(items.map(\.title) == ["Show", "Second"])
        #expect(items.last?.address == "https://archive.org/download/some-show/b%202.mp3")
        #expect(items.first?.artist == "Band")
        #expect(ArchiveItem(Array("[]".utf8), identifier: "x") == nil)
    }

    @Test func stationsAreFoundByTheirWords() throws {
        let text = """
            [stations]
            "SomaFM Groove Salad" = "https://ice.somafm.com/groovesalad-128-mp3"
            "Radio Paradise" = "https://stream.radioparadise.com/mp3-128"
            "Radio Paradise Mellow" = "https://stream.radioparadise.com/mellow-128"
            """
        let table = try StationTable(parsing: Array(text.utf8))
        #expect(table.find("groove salad")?.name == "SomaFM Groove Salad")
        #expect(table.find("radio paradise")?.name == "Radio Paradise")
        #expect(table.find("Mellow, Radio Paradise")?.name == "Radio Paradise Mellow")
        #expect(table.find("something else") == nil && table.find(" ") == nil)
        #expect(throws: MediaProblem.self) { _ = try StationTable(parsing: Array("[stations".utf8)) }
    }

    @Test(arguments: [
        ("http://b.org/x", "http://b.org/x"), ("/x", "https://a.org:8/x"), ("x?y", "https://a.org:8/p/x?y"),
        ("//c.org/z", "https://c.org/z"), ("../x y", "https://a.org:8/x%20y"), ("?s=1", "https://a.org:8/p/q?s=1"),
        ("mms://b.org/x", "mms://b.org/x"), ("a:b.mp3", "a:b.mp3"),
    ])
    func redirectsMayBeRelative(reference: String, joined: String) {
        #expect(MediaResolver.join(reference, to: "https://a.org:8/p/q?r=/s") == joined)
    }

    @Test func messagesOfTheDecoderAreUnderstood() {
        func tag(_ line: String) -> DecoderTag? { DecoderTag(line: line) }
        #expect(tag("[info]   Duration: 00:01:02.50, start: 0.02, bitrate: 128 kb/s") == .duration(62.5))
        #expect(tag("[info]   Duration: N/A, bitrate: 128 kb/s") == nil)
        #expect(tag("[info]     title           : A: B") == .title("A: B"))
        #expect(tag("[info]     icy-name        : Groove") == .station("Groove"))
        #expect(tag("[http @ 0x55] [verbose] Metadata update for StreamTitle: X - Y") == .nowPlaying("X - Y"))
        #expect(tag("[http @ 0x55] [error] HTTP error 404 Not Found") == .error("HTTP error 404 Not Found"))
        #expect(tag("") == nil)
    }

    /// ffmpeg 7 exits with 183 for input it cannot read; 128 + 55 is not a signal then.
    @Test func endOfTheDecoderIsReportedInItsWords() {
        let error = "Error opening input files: Invalid data found when processing input"
        #expect(DecoderReader.sentence(.exited(183), error) == "Invalid data found when processing input")
        #expect(DecoderReader.sentence(.exited(1), nil) == "the decoder exited with status 1")
        #expect(DecoderReader.sentence(.killed(signal: 11), error) == "the decoder was killed by signal 11")
    }

    @Test func podcastPositionIsRemembered() {
        let episode = MediaItem(address: "https://e.org/1.mp3", title: "One", kind: .podcast, artist: "Show")
        var library = MediaLibrary()
        library.note(episode, second: 0, isDone: false, at: 100)
        #expect(library.entries.isEmpty, "what did not sound was not played")
        library.note(episode, second: 600, isDone: false, at: 1000)
        library.note(episode, second: 900, isDone: false, at: 2000)
        #expect(library.entries.count == 1)
        library.note(episode, second: 0, isDone: false, at: 2500)
        #expect(library.place(of: episode) == 895, "a failed connection does not lose the place")
        let again = MediaLibrary.reading(library.text + Array("nonsense\n{}\n".utf8)).library
        #expect(again == library)
        #expect(again.place(of: episode) == 895)
        #expect(!again.isHeard(episode))
        library.note(episode, second: 1800, isDone: true, at: 3000)
        #expect(library.place(of: episode) == 0)
        #expect(library.isHeard(episode))
        #expect(library.recent(5, since: 0) == ["Show - One"])
        var moved = episode
        moved.address = "https://e.org/1.mp3?token=2"
        #expect(!library.isHeard(moved))
        (moved.id, moved.address) = ("guid", "https://e.org/3.mp3?token=1")
        library.note(moved, second: 1800, isDone: true, at: 3500)
        moved.address = "https://e.org/3.mp3?token=2"
        #expect(library.isHeard(moved), "an episode is known by its guid")
        moved.artist = "Another show"
        #expect(!library.isHeard(moved), "a guid counts within its feed")
        for index in 0..<1000 {
            let item = MediaItem(address: "x\(index)", title: "t\(index)", kind: .track)
            library.note(item, second: 1, isDone: true, at: 4000 + index)
        }
        #expect(library.entries.count == MediaLibrary.most)
    }
}
