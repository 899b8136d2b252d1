import Testing

@testable import VoiceBase
@testable import VoiceMedia

/// Feeds as found in the wild, and as an attacker would write them.
struct HostileFeedTests {
    private static let episodes = (1...3).map {
        #"<item><title>\#($0)</title><enclosure url="https://h/\#($0).mp3" type="audio/mpeg"/></item>"#
    }.joined()
    private static let addresses = (1...3).map { "https://h/\($0).mp3" }

    private static func feed(title: String = "A", before: String = "", _ items: String = episodes) -> [UInt8] {
        Array("\(before)<rss version=\"2.0\"><channel><title>\(title)</title>\(items)</channel></rss>".utf8)
    }

    private static let mistaken = [
        feed(title: "Science & Friction"), feed(title: "A&nbsp;B"), feed(title: "A\u{0B}B"),
        feed(before: "\n<?xml version=\"1.0\"?>"), feed(before: "<br>"),
        Array("<rss><channel><title>Caf".utf8) + [0xE9] + Array("</title>\(episodes)</channel></rss>".utf8),
    ]

    /// Each is an error at which an XML parser must stop, or loses text (docs/decisions/markup.md).
    @Test(arguments: mistaken)
    func mistakeBeforeTheEpisodesHidesNone(bytes: [UInt8]) throws {
        #expect(try #require(PodcastFeed(bytes)).list.newestFirst.map(\.address) == Self.addresses)
    }

    @Test func sloppyAddressesAreRead() throws {
        let items = """
            <item><enclosure url=https://h/a.mp3 type=audio/mpeg></item>\
            <item><enclosure url="https://h/b.mp3?c=1&d=2"/></item>
            """
        let feed = try #require(PodcastFeed(Self.feed(items)))
        #expect(feed.list.newestFirst.map(\.address) == ["https://h/a.mp3", "https://h/b.mp3?c=1&d=2"])
    }

    /// Episodes before the cut are found; wherever the feed is cut, nothing traps.
    @Test func truncatedFeedKeepsTheEarlierEpisodes() throws {
        let whole = Self.feed()
        for length in whole.indices { _ = PodcastFeed(Array(whole[..<length])) }
        let third = try #require(PodcastFeed(Array(whole.dropLast(60))))
        #expect(third.list.newestFirst.map(\.address) == Array(Self.addresses.prefix(2)))
    }

    /// Entities that a document defines are not expanded, so none grows and none reads a file.
    @Test func entitiesOfTheDocumentAreText() throws {
        var definitions = "<!ENTITY a0 \"lol\"><!ENTITY file SYSTEM \"file:///etc/passwd\">"
        for level in 1...9 {
            definitions += "<!ENTITY a\(level) \"\(String(repeating: "&a\(level - 1);", count: 10))\">"
        }
        let feed = try #require(
            PodcastFeed(Self.feed(title: "&a9;&file;", before: "<!DOCTYPE rss [\(definitions)]>"))
        )
        #expect(feed.list.title == "&a9;&file;")
        #expect(feed.list.newestFirst.map(\.address) == Self.addresses)
    }

    /// Many elements, ends, attributes and marks are read to their end, without a deep stack.
    @Test(arguments: [
        "<x>", "</x>", "<item>", "<title>", "<x", "<![CDATA[", "]]>", "&", "<", "&#x41;", "a=b ", "<p><b>", "<x></y>",
        "<!--",
        "\"", "<title><x>",
    ])
    func parsingWorkIsBounded(piece: String) throws {
        for before in ["", "<x ", String(repeating: "<y>", count: 50_000)] {
            let feed = PodcastFeed()
            let bytes = Self.feed(before + String(repeating: piece, count: 30_000))
            for from in stride(from: 0, to: bytes.count, by: 16_384) { feed.push(Array(bytes[from...].prefix(16_384))) }
            feed.push([], isLast: true)
            #expect(feed.list.episodes.isEmpty)
        }
    }

    @Test func endlessFeedIsBounded() throws {
        let one = #"<item><title>x</title><enclosure url="https://h/x.mp3"/></item>"#
        let feed = try #require(PodcastFeed(Self.feed(String(repeating: one, count: 5000))))
        #expect(feed.list.episodes.count == EpisodeList.most)
        let long = String(repeating: "long ", count: 100_000)
        #expect(try #require(PodcastFeed(Self.feed(title: long))).list.title.utf8.count <= 120)
    }
}
