import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceMedia

/// Lists of every kind, as servers send them.
struct PlaylistTests {
    struct Row: CustomTestStringConvertible {
        var name: String
        var text: String
        var isDeclared = false
        var addresses: [String]?

        var testDescription: String { name }
    }

    private static let base = "https://e.org/a/b/list"
    private static let xspf =
        #"<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><title>L</title>"#

    static let rows = [
        Row(
            name: "PLS",
            text: "[playlist]\nNumberOfEntries=1\nFile1=http://a.org/s\nTitle1=x",
            addresses: ["http://a.org/s"]
        ),
        Row(
            name: "PLS by its numbers, in other cases, with blanks",
            text: "[Playlist]\r\nfile2 = http://a.org/2 \r\nFILE1=http://a.org/1\r\n",
            addresses: ["http://a.org/1", "http://a.org/2"]
        ),
        Row(name: "PLS without its header", text: "File1=http://a.org/1\n", addresses: ["http://a.org/1"]),
        Row(name: "relative PLS", text: "\u{FEFF}[playlist]\nFile1=../1.mp3", addresses: ["https://e.org/a/1.mp3"]),
        Row(name: "M3U", text: "#EXTM3U\r\n#EXTINF:-1,x\r\nhttp://a.org/t\r\n", addresses: ["http://a.org/t"]),
        Row(name: "M3U with a mark", text: "\u{FEFF}#EXTM3U\nhttp://a.org/t", addresses: ["http://a.org/t"]),
        Row(
            name: "M3U without header",
            text: "http://a.org/u\nhttp://a.org/v\n",
            addresses: ["http://a.org/u", "http://a.org/v"]
        ),
        Row(name: "M3U with a comment", text: "# mine\nhttp://a.org/u", addresses: ["http://a.org/u"]),
        Row(name: "old line ends", text: "#EXTM3U\rhttp://a.org/u\r", addresses: ["http://a.org/u"]),
        Row(
            name: "relative M3U",
            text: "1 one.mp3\n/2.mp3\n../3.mp3\n//c.org/4.mp3",
            isDeclared: true,
            addresses: [
                "https://e.org/a/b/1%20one.mp3", "https://e.org/2.mp3", "https://e.org/a/3.mp3", "https://c.org/4.mp3",
            ]
        ),
        Row(
            name: "schemes of old players",
            text: "#EXTM3U\nmms://a.org/1\nicyx://a.org/2\nrtsp://a.org/3\nfile:///etc/passwd\nC:\\x.mp3",
            addresses: ["http://a.org/1", "http://a.org/2"]
        ),
        Row(
            name: "Windows Media",
            text: "[Reference]\r\nRef1=http://a.org/1?MSWMExt=.asf\r\n",
            addresses: ["http://a.org/1?MSWMExt=.asf"]
        ),
        Row(
            name: "ASX",
            text: #"<ASX Version="3.0"><Entry><Title>x</Title><Ref href="http://a.org/1?a=1&b=2"/></ENTRY></ASX>"#,
            addresses: ["http://a.org/1?a=1&b=2"]
        ),
        Row(
            name: "ASX with a base and another list",
            text:
                #"<asx><base href="http://a.org/x/"/><entry><ref href="1.mp3"/></entry><entryref href="http://b.org/2.asx"/></asx>"#,
            addresses: ["http://a.org/x/1.mp3", "http://b.org/2.asx"]
        ),
        Row(
            name: "XSPF",
            text: xspf
                + "<trackList><track><location>\n http://a.org/1?a=1&amp;b=2 </location></track></trackList></playlist>",
            addresses: ["http://a.org/1?a=1&b=2"]
        ),
        Row(
            name: "relative XSPF",
            text: xspf + "<trackList><track><location>1.mp3</location></track></trackList></playlist>",
            addresses: ["https://e.org/a/b/1.mp3"]
        ),
        Row(
            name: "WPL",
            text: #"<?wpl version="1.0"?><smil><body><seq><media src="http://a.org/1"/></seq></body></smil>"#,
            addresses: ["http://a.org/1"]
        ),
        Row(
            name: "SMIL",
            text: #"<smil><body><audio src="1.mp3"/></body></smil>"#,
            addresses: ["https://e.org/a/b/1.mp3"]
        ),
        Row(
            name: "OPML of stations",
            text: #"<opml><body><outline type="audio" text="S" URL="http://a.org/1"/></body></opml>"#,
            addresses: ["http://a.org/1"]
        ),
        Row(
            name: "OPML with one podcast",
            text: #"<opml version="2.0"><body><outline type="rss" text="P" xmlUrl="feed.xml"/></body></opml>"#,
            addresses: ["https://e.org/a/b/feed.xml"]
        ),
        Row(name: "words", text: "just words", addresses: nil),
        Row(name: "a page", text: "<html><a href=\"http://a.org/1\">x</a></html>", addresses: nil),
        Row(name: "nothing", text: "", addresses: nil),
    ]

    @Test(arguments: rows) func playlistYieldsItsAddresses(row: Row) {
        for encoding in [[UInt8](), [0xFF, 0xFE]] {
            let bytes =
                encoding.isEmpty
                ? Array(row.text.utf8) : encoding + row.text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            let list = PlaylistText(bytes, isDeclared: row.isDeclared, base: Self.base)
            guard case .entries(let entries)? = list else {
                #expect(list == nil && row.addresses == nil)
                continue
            }
            #expect(entries.map(\.address) == row.addresses)
        }
    }

    @Test func titlesBelongToTheirEntries() {
        func titles(_ text: String) -> [String]? {
            guard case .entries(let entries)? = PlaylistText(Array(text.utf8), isDeclared: false, base: Self.base)
            else { return nil }
            return entries.map(\.title)
        }
        #expect(titles("#EXTM3U\n#EXTINF:-1,One\nhttp://a.org/1\nhttp://a.org/2") == ["One", ""])
        #expect(titles("[playlist]\nFile1=http://a.org/1\nTitle1=One") == ["One"])
        let track = "<track><location>http://a.org/1</location><title>One &amp; two</title></track>"
        #expect(titles(Self.xspf + track + "</playlist>") == ["One & two"])
    }

    @Test func segmentsAreLeftToTheDecoder() {
        for text in ["#EXTM3U\n#EXT-X-VERSION:3", "\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n1.ts"] {
            #expect(PlaylistText(Array(text.utf8), isDeclared: false) == .liveSegments)
        }
    }

    @Test func podcastsOfAnOPMLListAreNamed() {
        let text =
            #"<opml><body><outline text="News"><outline text="A" xmlUrl="http://a.org/1"/><outline text="B" xmlUrl="http://a.org/2"/></outline></body></opml>"#
        #expect(PlaylistText(Array(text.utf8), isDeclared: false) == .feeds(["A", "B"]))
    }

    @Test(arguments: [
        ("<rss><channel/></rss>", SourceKind.feed), ("<?xml version='1.0'?><!-- x --><feed/>", .feed),
        ("<opml/>", .text),
        ("\u{FEFF}<rdf:RDF xmlns:rdf='x'/>", .feed), ("<!DOCTYPE html><html><body>x", .page), ("#EXTM3U", .text),
        ("<MPD type='static'/>", .unplayable("a DASH stream")), ("ID3\u{3}\u{0}", .sound), ("OggS\u{0}\u{2}", .sound),
        ("", .sound),
    ])
    func firstBytesShowTheKind(text: String, kind: SourceKind) {
        #expect(SourceKind(Array(text.utf8), encoding: nil, asSound: false) == kind)
    }

    /// A station's sound begins anywhere; it is not text though its bytes may be letters of windows-1252.
    @Test func soundIsNotMistakenForText() {
        var random = SeededGenerator(seed: 7)
        let texts = (0..<20_000).count { _ in
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            return SourceKind(bytes, encoding: nil, asSound: true) != .sound
        }
        #expect(texts == 0)
    }
}
