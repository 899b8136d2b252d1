import FoundationEssentials
import Testing

@testable import VoiceBase
@testable import VoiceMedia

/// Which episode of a podcast comes next.
struct EpisodeListTests {
    /// 2025-07-01.
    private static let now = 1_751_328_000

    private func next(
        _ items: [String],
        channel: String = "",
        unheard isHeard: (EpisodeList.Episode) -> Bool = { _ in false }
    ) throws -> String? {
        let all = items.map { "<item>\($0)<enclosure url=\"http://h/a.mp3\" type=\"audio/mpeg\"/></item>" }.joined()
        let feed = try #require(PodcastFeed(Array("<rss><channel>\(channel)\(all)</channel></rss>".utf8)))
        return feed.list.next(at: Self.now, unheard: isHeard)?.title
    }

    private func dated(_ title: String, _ date: String, _ more: String = "") -> String {
        "<title>\(title)</title><pubDate>\(date)</pubDate>\(more)"
    }

    @Test(arguments: [
        ["Di, 10 Jun 2025 04:00:00 +0200", "Mo, 05 Mai 2025 04:00:00 +0200", "Do, 03 Apr 2025 04:00:00 +0200"],
        ["Mi, 5. M\u{E4}rz 2025", "Di, 4. Februar 2025", "Mo, 2. Dezember 2024"],
        ["mar., 10 juin 2025", "lun., 5 mai 2025", "jeu., 3 avr. 2025"],
        ["mar. 10/06/2025", "lun. 05/05/2025", "jeu. 03/04/2025"], ["mar 10.06.2025", "lun 5.5.2025", "gio 3.4.2025"],
        ["10/06/2025", "28/05/2025", "11/05/2025"], ["10/06/2025 08:00", "05/06/2025 08:00", "07/04/2025 08:00"],
        ["06/10/2025", "05/28/2025", "04/11/2025"], ["10.06.2025", "28.05.2025", "11.5.2025"],
        ["10 \u{438}\u{44E}\u{43D}\u{44F} 2025", "5 \u{43C}\u{430}\u{44F} 2025", "Thu, 3 Apr 2025 04:00:00 GMT"],
        ["2025-06-10T04:00:00+02:00", "2025-06-10T03:00:00+02:00", "2025-06-09"],
    ])
    func newestEpisodeIsFoundInAnyDateFormat(dates: [String]) throws {
        let items = zip(["new", "middle", "old"], dates).map { dated($0, $1) }
        #expect(try next(items) == "new")
        if !dates[0].contains("\u{438}") { #expect(try next(items.reversed()) == "new") }
        #expect(try next(items) { $0.title == "new" } == "middle")
    }

    /// "Marraskuuta" is November, not March.
    @Test func unknownMonthIsNotGuessed() { #expect(FeedDate("10. marraskuuta 2024") == nil) }

    @Test func startsASerialPodcastWithItsFirstPart() throws {
        let serial = "<itunes:type>serial</itunes:type>"
        let parts = (1...3).reversed().map { dated("\($0)", "\($0) Jun 2025") }
        #expect(try next(parts, channel: serial) == "1")
        #expect(try next(parts, channel: serial) { $0.title == "1" } == "2")
        #expect(try next(parts) == "3")
        // Numbers count more than dates, which change when parts are published again.
        let numbered = (1...3).map {
            dated(
                "\($0)", "\(10 - $0) Jun 2025", "<itunes:season>1</itunes:season><itunes:episode>\($0)</itunes:episode>"
            )
        }
        #expect(try next(numbered.reversed(), channel: serial) == "1")
    }

    @Test func trailersAndFutureEpisodesAreNotTheNewest() throws {
        let trailer = dated("trailer", "30 Jun 2025", "<itunes:episodeType>trailer</itunes:episodeType>")
        let future = dated("future", "Sun, 06 Jul 2025 04:00:00 GMT")
        let usual = dated("usual", "Mon, 02 Jun 2025 04:00:00 GMT")
        #expect(try next([future, trailer, usual]) == "usual")
        #expect(try next([future, trailer, usual]) { $0.title == "usual" } == "usual")
        #expect(try next([trailer]) == "trailer")
        #expect(try next([future]) == "future")
    }

    @Test func absurdTimeZoneDoesNotTrap() {
        #expect(FeedDate("Tue, 10 Jun 2025 04:00 +9200000000000000000") != nil)
    }

    @Test func aSerialPodcastIsReadToItsEnd() throws {
        var list = EpisodeList()
        for day in (1...9).reversed() {
            var episode = EpisodeList.Episode(title: "\(day)", address: "http://h/\(day).mp3")
            episode.date = FeedDate("\(day) Jun 2025")
            list.append(episode)
        }
        #expect(list.isSettled(at: Self.now) { _ in false })
        list.isSerial = true
        #expect(!list.isSettled(at: Self.now) { _ in false } && !list.isPromising(at: Self.now) { _ in false })
    }

    @Test(arguments: [
        ("<![CDATA[<p>Hello</p> <p>World</p>]]>", "Hello World"), ("<![CDATA[One<br>two]]>", "One two"),
        ("<![CDATA[Folge <b>3</b> & <i>mehr</i>]]>", "Folge 3 & mehr"),
        ("<![CDATA[<h1>A</h1><script>b</script>]]>", "A"),
        ("&lt;p&gt;A&lt;/p&gt;&lt;p&gt;B&lt;/p&gt;", "A B"), ("A<p>B</p>C", "A B C"),
        ("<![CDATA[Rock <Live]]>", "Rock Live"),
    ])
    func titlesWithHTMLAreWhole(written: String, title: String) throws {
        #expect(try next(["<title>\(written)</title>"]) == title)
    }
}
