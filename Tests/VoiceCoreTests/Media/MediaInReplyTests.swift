import Testing

@testable import VoiceCore

/// What an agent's reply names to be played, and what is left to be said.
struct MediaInReplyTests {
    private static let address = "https://cdn.example.org/ep/147.mp3?a=1&b=(2)"

    private func spoken(_ media: MediaInReply) -> String? { SpeechShaper().shape(media.rest)?.spoken }

    @Test func anObjectIsTaken() {
        let reply = """
            {"type":"podcast","title":"Darknet Diaries 147","url":"\(Self.address)","reason":"you have not heard it"}
            """
        let media = MediaInReply(reply)
        let item = NamedMedia(
            address: Self.address,
            title: "Darknet Diaries 147",
            kind: .podcast,
            reason: "you have not heard it"
        )
        #expect(media.items == [item])
        #expect(spoken(media) == nil, "nothing of it is for the ear: \(media.rest)")
    }

    @Test func anArrayIsTakenInItsOrder() {
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
    func aCodeBlockIsTaken(fence: String) {
        let close = fence.contains("~") ? "~~~~" : "```"
        let media = MediaInReply(
            "Here it is.\n\n\(fence){\n  \"playlist\": {\"title\": \"Quiet\", \"items\": [\n"
                + "{\"url\": \"https://e.org/1\", \"title\": \"One\", \"type\": \"track\"}]}}\n\(close)\nGood night."
        )
        #expect(media.items == [NamedMedia(address: "https://e.org/1", title: "One", kind: .track)])
        #expect(spoken(media) == "Here it is. Good night.")
    }

    @Test func severalObjectsInABlockAreAllTaken() {
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

    @Test func addressesAreTakenAsPeopleWriteThem() {
        let media = MediaInReply(
            """
            [{"title":"A","url":"https://e.org/gr\u{F6}\u{DF}e.mp3"}, {"title":"B","url":"https://e.org/My Song.mp3"}]
            """
        )
        #expect(media.items.map(\.address) == ["https://e.org/gr%C3%B6%C3%9Fe.mp3", "https://e.org/My%20Song.mp3"])
    }

    @Test func whatIsWithinAListIsTakenAndItsTitleIsNoStation() {
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
        let code = "```sh\ncurl http://e.org/1.mp3\n```"
        #expect(MediaInReply(code).items.isEmpty)
        #expect(MediaInReply(code).rest == code)
    }

    @Test func aLinkIsTakenAndItsTextStays() {
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
    func aBareAddressIsTaken(reply: String, rest: String?) {
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
        "[Docs](https://docs.swift.org/guide.html) help.",
        "{\"temperature\": 21, \"unit\": \"C\"}", "![cover](https://e.org/a.mp3)", "Call f(x) [1] {2}.", "",
        "mailto:a@e.org or ftp://e.org/a.mp3", "{\"url\": \"javascript:alert(1)\", \"title\": \"x\"}",
        "<think>https://e.org/a.mp3</think>No.", "{\"title\": \"Ada\", \"address\": \"12 Main Street\"}",
    ])
    func whatIsNotToBePlayedIsLeftAsItIs(reply: String) {
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

    @Test func twentyAreTheMost() {
        let list = (1...50).map { "{\"title\":\"T\($0)\",\"url\":\"https://e.org/\($0).mp3\"}" }
        #expect(MediaInReply("[" + list.joined(separator: ",") + "]").items.map(\.title) == (1...20).map { "T\($0)" })
        #expect(MediaInReply(list.joined(separator: "\n")).items.count == 20)
        let bare = MediaInReply((1...50).map { "https://e.org/\($0).mp3" }.joined(separator: " "))
        #expect(bare.items.count == 20)
        #expect(!bare.rest.contains("http"))
    }

    /// Neither depth nor length nor repetition makes it slow; what comes out is within its bounds.
    @Test(.timeLimit(.minutes(1))) func aReplyMayHoldAnything() {
        var random = SeededGenerator(seed: 9)
        let pieces = [
            "{", "}", "[", "]", "(", ")", "\"", "\\", ":", ",", "url", "\"url\":", "\"title\":", "http://",
            "https://e.org/a.mp3",
            "```", "\n", "- ", " ", "<", ">", "](", "![", "\u{301}", "é", "type", "\"radio\"", "null",
        ]
        for _ in 0..<3000 {
            let reply = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let media = MediaInReply(reply)
            #expect(media.items.count <= 20)
            #expect(media.items.allSatisfy { $0.title.utf8.count <= 120 && $0.address.utf8.count <= 2048 })
        }
        for piece in ["[", "{\"", "[\"", "[](", "http://", "```\n", "{\"a\":", "[x](http://e.org/a.mp3"] {
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
        for name in ["media-2", "Media 2", "MEDIA2", "media_2"] { #expect(shelf.find(name) == second, "\(name)") }
        #expect(shelf.find("one") == first, "by its title")
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
