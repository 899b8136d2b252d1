import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceReply

/// The media that an agent's reply names, and the words without it.
struct MediaInReplyTests {
    private static let address = "https://cdn.example.org/ep/147.mp3?a=1&b=(2)"

    private func spoken(_ media: MediaInReply) -> String? { SpeechShaper().shape(media.rest)?.spoken }

    @Test func jsonObjectBecomesAnItem() {
        let reply = """
            {"type":"podcast","title":"Darknet Diaries 147","url":"\(Self.address)","reason":"you have not heard it"}
            """
        let media = MediaInReply(reply)
        let item = NamedMedia(
            address: Self.address, title: "Darknet Diaries 147", kind: .podcast, reason: "you have not heard it"
        )
        #expect(media.items == [item])
        #expect(spoken(media) == nil, "nothing of it is for the ear: \(media.rest)")
    }

    @Test func jsonArrayKeepsItsOrder() {
        let media = MediaInReply(
            """
            Three for the evening: [{"title":"B","url":"https://e.org/b.mp3"}, {"name":"A","link":"https://e.org/a"},
            "https://e.org/c.ogg"] Enjoy them.
            """
        )
        #expect(media.items.map(\.title) == ["B", "A", "c"])
        #expect(media.items.map(\.address) == ["https://e.org/b.mp3", "https://e.org/a", "https://e.org/c.ogg"])
        #expect(spoken(media) == "Three for the evening: Enjoy them.")
    }

    @Test(arguments: ["```json\n", "```\n", "~~~~\n", "  ```JSON\n"])
    func jsonInACodeBlockBecomesAnItem(fence: String) {
        let close = fence.contains("~") ? "~~~~" : "```"
        let media = MediaInReply(
            "Here it is.\n\n\(fence){\n  \"playlist\": {\"title\": \"Quiet\", \"items\": [\n"
                + "{\"url\": \"https://e.org/1\", \"title\": \"One\", \"type\": \"track\"}]}}\n\(close)\nGood night."
        )
        #expect(media.items == [NamedMedia(address: "https://e.org/1", title: "One", kind: .track)])
        #expect(spoken(media) == "Here it is. Good night.")
    }

    @Test func severalObjectsInABlockBecomeItems() {
        let media = MediaInReply(
            """
            ```json
            {"title":"A","url":"https://e.org/a.mp3"}
            {"title":"B","url":"https://e.org/b.mp3"}
            ```
            """
        )
        #expect(media.items.map(\.title) == ["A", "B"])
    }

    @Test func addressesAreFoundInProse() {
        let media = MediaInReply(
            """
            [{"title":"A","url":"https://e.org/gr\u{F6}\u{DF}e.mp3"}, {"title":"B","url":"https://e.org/My Song.mp3"}]
            """
        )
        #expect(media.items.map(\.address) == ["https://e.org/gr%C3%B6%C3%9Fe.mp3", "https://e.org/My%20Song.mp3"])
    }

    @Test func titleOfAListIsNotAStation() {
        let media = MediaInReply(
            """
            {"type":"radio","title":"My evening","items":[{"title":"A","url":"https://e.org/a.mp3"}]}
            """
        )
        #expect(media.items.map(\.title) == ["A"])
        #expect(
            MediaInReply("{\"type\":\"radio\",\"title\":\"Groove Salad\"}").items.map(\.address) == ["Groove Salad"]
        )
    }

    @Test func aCodeBlockOfAddressesIsAPlaylist() {
        let media = MediaInReply("```\n#EXTM3U\n#EXTINF:1,x\nhttp://e.org/1.mp3\nhttp://e.org/2.mp3\n```")
        #expect(media.items.map(\.title) == ["1", "2"])
        #expect(spoken(media) == nil)
        let code = "```sh\ncurl http://e.org/1.mp3\n```"
        #expect(MediaInReply(code).items.isEmpty)
        #expect(MediaInReply(code).rest == code)
    }

    @Test func linkBecomesAnItemAndItsTextIsSpoken() {
        let media = MediaInReply("I found [**Evening** radio](<https://radio.example.org/evening> \"now\") for you.")
        #expect(
            media.items == [
                NamedMedia(address: "https://radio.example.org/evening", title: "Evening radio", kind: .radio)
            ]
        )
        #expect(spoken(media) == "I found Evening radio for you.")
        let bracketed = MediaInReply("[One](https://e.org/a_(live).mp3), [a page](https://en.wikipedia.org/wiki/Radio)")
        #expect(bracketed.items.map(\.address) == ["https://e.org/a_(live).mp3"])
        #expect(spoken(bracketed) == "One, a page")
    }

    @Test(arguments: [
        ("Play this: \(address)", "Play this:"), ("You can hear it at <\(address)>, now.", "You can hear it at, now."),
        ("Try `\(address)`.", "Try."), ("(\(address))", nil), (address, nil),
    ])
    func bareAddressBecomesAnItem(reply: String, rest: String?) {
        let media = MediaInReply(reply)
        #expect(media.items.map(\.address) == [Self.address])
        #expect(media.items.first?.kind == .track)
        #expect(spoken(media) == rest)
    }

    @Test func inAListTheWordsBeforeAnAddressNameIt() {
        let media = MediaInReply(
            "Two things:\n\n- **Groove Salad**: https://ice2.somafm.com/groovesalad-128-mp3\n"
                + "2. The Daily - https://feeds.example.com/daily\n"
        )
        #expect(
            media.items == [
                NamedMedia(address: "https://ice2.somafm.com/groovesalad-128-mp3", title: "Groove Salad", kind: .radio),
                NamedMedia(address: "https://feeds.example.com/daily", title: "The Daily", kind: .podcast),
            ]
        )
        #expect(spoken(media)?.contains("http") == false)
    }

    @Test(arguments: [
        ("https://e.org/list.m3u", MediaKind.track), ("https://e.org/list.PLS", .track),
        ("https://e.org/feed.xml", .podcast),
        ("https://e.org/show/rss", .podcast), ("https://feeds.example.com/x", .podcast),
        ("https://archive.org/details/gd77-05-08", .track), ("http://stream.example.org:8000/", .radio),
        ("http://e.org:8000/live", .radio), ("https://e.org/a/b.flac#t=3", .track),
    ])
    func playlistsAndFeedsAreKnownByTheirPath(address: String, kind: MediaKind) {
        #expect(MediaInReply("Play this: \(address)").items.map(\.kind) == [kind])
    }

    @Test(arguments: [
        "See https://en.wikipedia.org/wiki/Radio and https://web.example.org/x/https://e.org/a.mp4b for more.",
        "https://podcasts.apple.com/us/podcast/x is a page.", "[Radio](/relative)", "Ask me [later](never).",
        "[Docs](https://docs.swift.org/guide.html) help.", "Wind from the west, see [the station](https://e.org/kiel).",
        "{\"temperature\": 21, \"unit\": \"C\"}", "![cover](https://e.org/a.mp3)", "Call f(x) [1] {2}.", "",
        "mailto:a@e.org or ftp://e.org/a.mp3", "{\"url\": \"javascript:alert(1)\", \"title\": \"x\"}",
        "<think>https://e.org/a.mp3</think>No.", "{\"title\": \"Ada\", \"address\": \"12 Main Street\"}",
    ])
    func pageLinksAreLeftUnchanged(reply: String) {
        let media = MediaInReply(reply)
        #expect(media.items.isEmpty)
        #expect(media.rest == reply)
    }

    @Test func stationsAndFilesAreNamedByObjects() {
        let media = MediaInReply(
            """
            [{"type":"radio","title":"Groove Salad"},{"type":"track","title":"Mine","path":"/music/mine.flac"}]
            """
        )
        #expect(
            media.items == [
                NamedMedia(address: "Groove Salad", title: "Groove Salad", kind: .radio),
                NamedMedia(address: "/music/mine.flac", title: "Mine", kind: .track),
            ]
        )
    }

    @Test func twentyItemsAreTheLimit() {
        let list = (1...50).map { "{\"title\":\"T\($0)\",\"url\":\"https://e.org/\($0).mp3\"}" }
        #expect(MediaInReply("[" + list.joined(separator: ",") + "]").items.map(\.title) == (1...20).map { "T\($0)" })
        #expect(MediaInReply(list.joined(separator: "\n")).items.count == 20)
        let bare = MediaInReply((1...50).map { "https://e.org/\($0).mp3" }.joined(separator: " "))
        #expect(bare.items.count == 20)
        #expect(!bare.rest.contains("http"))
    }

    @Test func omittedItemsAreCounted() {
        let list = (1...25).map { "{\"title\":\"T\($0)\",\"url\":\"https://e.org/\($0).mp3\"}" }
        for reply in ["[" + list.joined(separator: ",") + "]", list.joined(separator: "\n")] {
            let media = MediaInReply(reply)
            #expect(media.items.count == 20 && media.leftOut == 5)
            let lines = MediaShelf.lines(media.items, handles: media.items.map(\.title), leftOut: media.leftOut)
            #expect(lines.split(separator: "\n").last?.hasPrefix("5 more were named and have no handle") == true)
        }
        #expect(MediaInReply(list.prefix(20).joined()).leftOut == 0)
        #expect(MediaInReply((list + list).joined()).leftOut == 5, "each counts once")
    }

    /// Letters of every script belong to an address, punctuation of none does.
    @Test(
        arguments: [
            (
                "H\u{F6}r mal: https://e.org/gr\u{F6}\u{DF}e.mp3, ja?", "https://e.org/gr%C3%B6%C3%9Fe.mp3",
                "H\u{F6}r mal: ja?"
            ),
            ("\u{201E}https://e.org/a.mp3\u{201C} passt.", "https://e.org/a.mp3", "passt."),
            ("Take \u{AB}https://e.org/a.mp3\u{BB}\u{2026}", "https://e.org/a.mp3", "Take \u{2026}"),
            ("Try \u{2018}https://e.org/a.mp3\u{2019} now.", "https://e.org/a.mp3", "Try now."),
            (
                "\u{8BF7}\u{542C}\u{FF1A}https://e.org/a.mp3\u{3002}", "https://e.org/a.mp3",
                "\u{8BF7}\u{542C}\u{FF1A}\u{3002}"
            ),
            ("\u{8BF7}\u{542C}https://e.org/a.mp3\u{5427}\u{FF0C}\u{597D}", "https://e.org/a.mp3", nil),
            ("\u{300C}https://e.org/a.mp3\u{300D}\u{3092}\u{805E}\u{304F}", "https://e.org/a.mp3", nil),
            ("\u{FF08}https://e.org/a.mp3\u{FF09}", "https://e.org/a.mp3", nil),
            ("https://e.org/\u{97F3}\u{4E50}.mp3 \u{597D}", "https://e.org/%E9%9F%B3%E4%B9%90.mp3", nil),
            ("https://e.org/a.mp3\u{B97C} \u{B4E3}\u{C790}", "https://e.org/a.mp3", nil),
            ("Dort: https://b\u{FC}cher.example:8443/a.mp3", "https://xn--bcher-kva.example:8443/a.mp3", nil),
            ("https://B\u{DC}CHER.example/a.mp3!", "https://xn--bcher-kva.example/a.mp3", nil),
            ("\u{542C} https://\u{4F8B}\u{5B50}.\u{6D4B}\u{8BD5}/a.mp3", "https://xn--fsqu00a.xn--0zwm56d/a.mp3", nil),
            (
                "[Lied](https://b\u{FC}cher.example/gr\u{FC}n.mp3)", "https://xn--bcher-kva.example/gr%C3%BCn.mp3",
                "Lied"
            ),
        ] as [(String, String, String?)]
    )
    func addressesInRunningTextBecomeItems(reply: String, address: String, rest: String?) {
        let media = MediaInReply(reply)
        #expect(media.items.map(\.address) == [address])
        if let rest { #expect(spoken(media) == rest) }
        #expect(!media.rest.contains("e.org") && !media.rest.contains("http"), "\(media.rest)")
    }

    @Test(arguments: [
        "See <a href=\"https://e.org/page\">the page</a>.", "[1]: a note", "It is so [1], and [x][y].",
    ])
    func otherLinkFormsAreLeftUnchanged(reply: String) {
        #expect(MediaInReply(reply).items.isEmpty)
        #expect(MediaInReply(reply).rest == reply)
    }

    /// As models write it.
    @Test(arguments: [
        "{\"title\": \"A\", // the best\n \"url\": \"https://e.org/a.mp3\"}",
        "{\"title\": \"A\", /* so } it is */ \"url\": \"https://e.org/a.mp3\",}",
        "[{\"title\": \"A\", \"url\": \"https://e.org/a.mp3\"},]",
        "{'title': 'A', 'url': 'https://e.org/a.mp3', 'x': null}",
        "{title: \"A\", url: \"https://e.org/a.mp3\", live: false}",
        "{\"title\": \"A\", \"url\": \"www.e.org/a.mp3\"}",
        "```json\n// for you\n{\n  // one\n  \"title\": \"A\",\n  \"url\": \"https://e.org/a.mp3\",\n}\n```",
    ])
    func looseJSONIsRead(reply: String) {
        let media = MediaInReply(reply)
        let isWritten = media.items.first?.address.hasSuffix("e.org/a.mp3") == true
        #expect(isWritten && media.items.map(\.title) == ["A"] && media.items[0].kind == .track, "\(media)")
        #expect(spoken(media) == nil, "nothing of it is for the ear: \(media.rest)")
    }

    /// In valid JSON, only JSON's own quotation mark ends a text.
    @Test(arguments: [
        (
            "```json\n{\"type\":\"podcast\",\"title\":\"The \u{201C}Big\u{201D} talk\",\"url\":\"https://e.org/a.mp3\",\"reason\":\"He calls it \u{201C}art\u{201D}: listen\"}\n```",
            "He calls it \u{201C}art\u{201D}: listen"
        ),
        (
            "{\"type\":\"podcast\",\"title\":\"\u{201C}Serial\u{201D}: Season 1\",\"url\":\"https://e.org/a.mp3\",\"reason\":\"you like it\"}",
            "you like it"
        ),
        (
            "Here: [{\"type\":\"podcast\",\"title\":\"\u{201C}A\u{201D}, \u{201C}B\u{201D}\",\"url\":\"https://e.org/a.mp3\",\"reason\":\"new\", \"x\": [1.5e3, true, null]}]",
            "new"
        ),
    ])
    func typographicQuotesWithinJSONAreOfTheText(reply: String, reason: String) {
        let media = MediaInReply(reply)
        #expect(media.items.map(\.address) == ["https://e.org/a.mp3"] && media.items.first?.kind == .podcast)
        #expect(media.items.first?.reason?.filter(\.isLetter) == reason.filter(\.isLetter))
        #expect(spoken(media) == (reply.hasPrefix("Here") ? "Here:" : nil), "\(media.rest)")
    }

    /// Prose with unclosed brackets does not use up the limits for JSON.
    @Test func bracketsBeforeJSONAreSkipped() {
        let prose = String(repeating: "See [here for more of it and {so on. ", count: 800)
        let media = MediaInReply(prose + "{\"title\":\"A\",\"url\":\"https://e.org/a\",\"type\":\"track\"}")
        #expect(media.items.map(\.title) == ["A"])
    }

    @Test func addressesInABlockBecomeItemsAndItsTextIsSpoken() {
        let media = MediaInReply(
            "Two for you.\n```\nFirst: https://e.org/f1.mp3\n- Second: https://e.org/f2.mp3\n```\nEnjoy."
        )
        #expect(media.items.map(\.address) == ["https://e.org/f1.mp3", "https://e.org/f2.mp3"])
        #expect(spoken(media)?.contains("http") == false)
        let pages = "```text\nhttps://e.org/page - A page\n```"
        #expect(MediaInReply(pages).items.isEmpty && MediaInReply(pages).rest == pages)
    }

    @Test func textInABlockOfValuesIsSpoken() {
        let media = MediaInReply(
            """
            ```json
            {"title":"A","url":"https://e.org/a.mp3"}
            Then something slow: {"title":"B","url":"https://e.org/b.mp3"};
            // the end
            It rains today, stay in.
            ```
            Enjoy it.
            """
        )
        #expect(media.items.map(\.title) == ["A", "B"])
        #expect(spoken(media) == "Then something slow: It rains today, stay in. Enjoy it.")
        let program = "```json\n{\"a\": 1}\nThen this.\n```"
        #expect(MediaInReply(program).items.isEmpty && MediaInReply(program).rest == program)
    }

    @Test(
        arguments: [
            ("Play www.e.org/a.mp3 now.", "https://www.e.org/a.mp3", "Play now."),
            ("[A song](www.e.org/a.mp3)", "https://www.e.org/a.mp3", "A song"),
            ("Play https://e.org/a.mp3?x=1&amp;y=2 now.", "https://e.org/a.mp3?x=1&y=2", "Play now."),
            ("[A song](https://e.org/a.mp3?x=1&amp;y=2)", "https://e.org/a.mp3?x=1&y=2", "A song"),
            ("{\"title\":\"A\",\"url\":\"https://e.org/a.mp3?x=1&amp;y=2\"}", "https://e.org/a.mp3?x=1&y=2", nil),
            ("[![A song](https://e.org/c.jpg)](https://e.org/a.mp3) is new.", "https://e.org/a.mp3", "A song is new."),
            ("[![](https://e.org/c.jpg) A song](https://e.org/a.mp3)", "https://e.org/a.mp3", "A song"),
        ] as [(String, String, String?)]
    )
    func addressesAreFoundAsTheyAreWritten(reply: String, address: String, rest: String?) {
        let media = MediaInReply(reply)
        #expect(media.items.map(\.address) == [address])
        #expect(spoken(media) == rest)
        if rest?.contains("A song") == true { #expect(media.items.first?.title == "A song") }
    }

    @Test func incompleteWebNamesStayText() {
        for reply in ["It is www. and www.x", "awww.e.org/a.mp3"] { #expect(MediaInReply(reply).items.isEmpty) }
    }

    /// A mention with only the address removes nothing.
    @Test func bareMentionKeepsTheEarlierTitle() {
        var shelf = MediaShelf()
        let address = "https://e.org/147.mp3"
        let full = NamedMedia(address: address, title: "Darknet Diaries 147", kind: .podcast, reason: "it is new")
        let bare = MediaInReply("Play \(address)").items
        #expect(shelf.keep([full]) == shelf.keep(bare))
        #expect(shelf.find("media-1") == full && shelf.find("darknet diaries 147") == full)
        let renamed = NamedMedia(address: address, title: "Another", kind: .radio)
        _ = shelf.keep([renamed])
        #expect(
            shelf.find("media-1") == NamedMedia(address: address, title: "Another", kind: .radio, reason: "it is new")
        )
    }

    @Test(
        arguments: [
            ("media-1, media-2", ["media-1", "media-2"]),
            ("media-1 media-2 and media-3.", ["media-1", "media-2", "media-3"]),
            ("[\"media-1\",\"media-2\"]", ["media-1", "media-2"]), ("Media 1 und Media 2", ["media-1", "media-2"]),
            ("media-1", nil), ("media-1 to media-3", nil), ("media-1 - media-3", nil), ("Media Radio 1, Media 2", nil),
            ("media-1, SomaFM", nil), ("https://e.org/media-1/media-2", nil), ("", nil),
        ] as [(String, [String]?)]
    )
    func handlesAreSplitFromOneText(text: String, handles: [String]?) {
        #expect(MediaShelf.handles(in: text) == handles)
    }

    @Test(arguments: [
        #"{"podcast":"P","url":"https://e.org/feed.xml","episode":{"title":"E","url":"https://e.org/e.mp3"}}"#,
        #"{"title":"E","type":"podcast","url":"https://e.org/feed.xml","enclosure":{"url":"https://e.org/e.mp3","type":"audio/mpeg"}}"#,
        #"{"title":"P","feed":"https://e.org/rss","episodes":[{"title":"E","audio_url":"https://e.org/e.mp3"}]}"#,
        #"{"title":"E","url":"https://e.org/show/e","audio_url":"https://e.org/e.mp3"}"#,
    ])
    func theEpisodeComesBeforeItsFeed(reply: String) {
        #expect(MediaInReply(reply).items.map(\.address) == ["https://e.org/e.mp3"])
        #expect(MediaInReply(reply).items.map(\.title) == ["E"])
    }

    @Test func messageInAnObjectIsSpoken() {
        let media = MediaInReply(
            """
            {"say": "I picked two for you.", "items": [{"title": "A", "url": "https://e.org/a.mp3", "message": "The first is new."},
            {"title": "B", "url": "https://e.org/b.mp3"}]}
            """
        )
        #expect(media.items.map(\.title) == ["A", "B"])
        #expect(spoken(media) == "I picked two for you. The first is new.")
        for key in ["answer", "text", "message", "response", "summary", "description", "note"] {
            let media = MediaInReply(
                "{\"\(key)\":\"Here it is.\",\"media\":{\"title\":\"A\",\"url\":\"https://e.org/a.mp3\"}}"
            )
            #expect(spoken(media) == "Here it is.")
        }
    }

    /// A title beside a link does not make it media.
    @Test(arguments: [
        #"[{"title":"Standup","link":"https://meet.example.com/abc","start":"9:00"},{"title":"Lunch","link":"https://maps.example.com/x"}]"#,
        #"{"items":[{"title":"News of today","url":"https://news.example.com/1"}]}"#,
        #"{"title":"Dentist","url":"https://e.org/appointment","type":"event"}"#,
    ])
    func titledLinkWithoutMediaSignsIsNotAnItem(reply: String) {
        #expect(MediaInReply(reply).items.isEmpty)
    }

    /// Neither depth nor length nor repetition makes it run forever, as quadratic work would; the result is within its
    /// bounds.
    @Test(.timeLimit(.minutes(10))) func randomReplyIsParsed() {
        var random = SeededGenerator(seed: 9)
        let pieces = [
            "{", "}", "[", "]", "(", ")", "\"", "\\", ":", ",", "url", "\"url\":", "\"title\":", "http://",
            "https://e.org/a.mp3",
            "```", "\n", "- ", " ", "<", ">", "](", "![", "\u{301}", "é", "type", "\"radio\"", "null",
            "[1]: ", "[1]", "<a href=\"", "</a>", "//", "/*", "'", "#EXTINF:1,x\n", "[playlist]\n", "File1=",
            "\u{4E50}", "\u{201C}",
            "https://\u{FC}.org", "title: ", "- url: ", "www.", "\u{201D}: ", "&amp;",
        ]
        for _ in 0..<3000 {
            let reply = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let media = MediaInReply(reply)
            #expect(media.items.count <= 20)
            #expect(media.items.allSatisfy { $0.title.utf8.count <= 120 && $0.address.utf8.count <= 2048 })
        }
        for piece in [
            "[", "{\"", "[\"", "[](", "http://", "```\n", "{\"a\":", "[x](http://e.org/a.mp3", "[1]: ",
            "```\n~~~\n", "\u{4E50}https://e.org/\u{4E50}", "{'", "{/*",
            "- a: b\n", "url: x\n", "{\"a\":\"b\",", "[![", "www.e.org ", "{\u{201C}",
            "https://\u{FC}.org/a.mp3 ",
        ] {
            let reply = String(repeating: piece, count: 100_000 / piece.utf8.count)
            #expect(MediaInReply(reply).items.count <= 20)
        }
    }

    @Test func handlesAreKeptAndFound() {
        var shelf = MediaShelf()
        let first = NamedMedia(address: "https://e.org/1.mp3", title: "One", kind: .track)
        let two = "Two \"x\"\n"
        let second = NamedMedia(address: "https://e.org/2.mp3", title: two, kind: .podcast, reason: "it is new")
        #expect(shelf.keep([first, second]) == ["media-1", "media-2"])
        #expect(shelf.keep([second]) == ["media-2"], "what was named before keeps its handle")
        for name in [
            "media-2", "Media 2", "MEDIA2", "media_2", "Media-2.", "\"media-2\"", "\u{201E}Media 2\u{201C},",
            "media number 2",
        ] { #expect(shelf.find(name) == second, "\(name)") }
        #expect(shelf.find("one") == first && shelf.find("One.") == first, "by its title")
        #expect(shelf.find("media-1.5") == nil && shelf.find(".") == nil)
        #expect(
            shelf.find("media-3") == nil && shelf.find("") == nil && shelf.find("media-99999999999999999999") == nil
        )
        #expect(MediaShelf.isHandle("media-3") && !MediaShelf.isHandle("Media Radio 3"))
        #expect(
            MediaShelf.lines([first, second], handles: ["media-1", "media-2"]) == """
                media-1: "One" (track)
                media-2: "Two x" (podcast), reason: "it is new"
                """
        )
        for number in 0..<MediaShelf.most {
            _ = shelf.keep([NamedMedia(address: "https://e.org/n\(number)", title: "", kind: .track)])
        }
        #expect(shelf.find("media-1") == nil && shelf.find("media-102") != nil)
    }
}
