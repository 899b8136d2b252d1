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

    /// Each is an error at which an XML parser must stop (docs/decisions/markup.md).
    @Test(arguments: mistaken)
    func aMistakeBeforeTheEpisodesHidesNoneOfThem(bytes: [UInt8]) throws {
        #expect(try #require(PodcastFeed(bytes)).episodes.map(\.address) == Self.addresses)
    }

    @Test func addressesAreReadAsTheyWereMeant() throws {
        let items = """
            <item><enclosure url=https://h/a.mp3 type=audio/mpeg></item>\
            <item><enclosure url="https://h/b.mp3?c=1&d=2"/></item>
            """
        let feed = try #require(PodcastFeed(Self.feed(items)))
        #expect(feed.episodes.map(\.address) == ["https://h/a.mp3", "https://h/b.mp3?c=1&d=2"])
    }

    /// Episodes before the cut are found; wherever the feed is cut, nothing traps.
    @Test func aFeedThatWasCutOffHasWhatCameBefore() throws {
        let whole = Self.feed()
        for length in whole.indices { _ = PodcastFeed(Array(whole[..<length])) }
        let third = try #require(PodcastFeed(Array(whole.dropLast(60))))
        #expect(third.episodes.map(\.address) == Array(Self.addresses.prefix(2)))
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
        #expect(feed.title == "&a9;&file;")
        #expect(feed.episodes.map(\.address) == Self.addresses)
    }

    /// 200,000 nested elements cost no stack and no list of that length; neither do as many attributes.
    @Test func depthAndBreadthAreBounded() throws {
        let count = 200_000
        let deep = String(repeating: "<a>", count: count)
        #expect(try #require(PodcastFeed(Self.feed(deep + Self.episodes))).episodes.count == 3)
        var scanner = MarkupScanner(Array("<a \(String(repeating: "b=c ", count: count))d=e>".utf8))
        guard case .open("a", let attributes) = scanner.next() else { throw Unexpected() }
        #expect(attributes == ["b": "c", "d": "e"])
        let keys = (0..<count).map { "k\($0)=v " }.joined()
        scanner = MarkupScanner(Array("<a \(keys)>".utf8))
        guard case .open("a", let many) = scanner.next() else { throw Unexpected() }
        #expect(many.count == 64)
    }

    @Test func aFeedWithoutEndHasAnEnd() throws {
        let one = #"<item><title>x</title><enclosure url="https://h/x.mp3"/></item>"#
        let feed = try #require(PodcastFeed(Self.feed(String(repeating: one, count: 5000))))
        #expect(feed.episodes.count == PodcastFeed.mostEpisodes)
        let long = String(repeating: "long ", count: 100_000)
        #expect(try #require(PodcastFeed(Self.feed(title: long))).title.utf8.count <= 120)
    }

    private struct Unexpected: Error {}
}
