import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceReply
@testable import VoiceSession

/// Titles are data: short, on one line, unable to end a quotation.
struct ForeignTextTests {
    /// As stations and old files send them: nothing names the encoding.
    @Test(arguments: [
        (
            "\u{CA}\u{E8}\u{ED}\u{EE} - \u{C3}\u{F0}\u{F3}\u{EF}\u{EF}\u{E0} \u{EA}\u{F0}\u{EE}\u{E2}\u{E8}",
            "\u{41A}\u{438}\u{43D}\u{43E} - \u{413}\u{440}\u{443}\u{43F}\u{43F}\u{430} \u{43A}\u{440}\u{43E}\u{432}\u{438}"
        ),
        ("\u{A8}\u{EB}\u{EA}\u{E0} \u{B9} 1 - Live", "\u{401}\u{43B}\u{43A}\u{430} \u{2116} 1 - Live"),
        (
            "\u{CE}\u{EA}\u{E5}\u{E0}\u{ED} \u{C5}\u{EB}\u{FC}\u{E7}\u{E8} - \u{C2}\u{B3}\u{E4}\u{EF}\u{F3}\u{F1}\u{F2}\u{E8}",
            "\u{41E}\u{43A}\u{435}\u{430}\u{43D} \u{415}\u{43B}\u{44C}\u{437}\u{438} - \u{412}\u{456}\u{434}\u{43F}\u{443}\u{441}\u{442}\u{438}"
        ),
        ("Bj\u{F6}rk - \u{C1}g\u{E6}tis byrjun", "Bj\u{F6}rk - \u{C1}g\u{E6}tis byrjun"),
        ("Caf\u{E9} M\u{FC}ller", "Caf\u{E9} M\u{FC}ller"),
        ("\u{C4}\u{D6}\u{DC} - Umlaute", "\u{C4}\u{D6}\u{DC} - Umlaute"),
        ("\u{C9}milie Simon", "\u{C9}milie Simon"),
        ("\u{E0} \u{E9}", "\u{E0} \u{E9}"),
    ])
    func onlyWindows1251TitlesAreConverted(written: String, title: String) {
        #expect(ForeignText.title(written) == title)
    }

    @Test(arguments: [
        ("Darknet Diaries 147", "Darknet Diaries 147"), ("  Two\n lines\t", "Two lines"),
        ("Don't Stop 'Til You Get Enough", "Don\u{2019}t Stop Til You Get Enough"),
        (#"So "quoted" [and] (so) {on} <b>"#, "So quoted and so on b"),
        ("\u{201E}Zitat\u{201C} \u{AB}x\u{BB}", "Zitat x"),
        ("a\u{202E}b\u{200B}c\u{2028}d\u{0}e", "a b c d e"), ("\u{7}\u{1B}[31mred", "31mred"), ("", ""), ("\"\"", ""),
        ("Bj\u{F6}rk \u{2013} \u{4E2D}\u{6587} \u{1F3B5}", "Bj\u{F6}rk \u{2013} \u{4E2D}\u{6587} \u{1F3B5}"),
    ])
    func aTitleIsOnePlainLine(text: String, title: String) {
        #expect(ForeignText.title(text) == title)
    }

    /// Three hundred "characters" of combining accents may be megabytes.
    @Test func boundsAreBytes() {
        let accents = String(repeating: "\u{301}", count: 3_000_000)
        #expect(accents.count == 1)
        #expect(ForeignText.title("e" + accents).utf8.count <= 120)
        #expect(ForeignText.sentence(accents).utf8.count <= 200)
        let notes = ForeignText.title(String(repeating: "\u{1F3B5}", count: 1000))
        #expect(notes == String(repeating: "\u{1F3B5}", count: 29) + "…")
        #expect(ForeignText.title(String(repeating: " ", count: 1_000_000) + "x").isEmpty)
        let feed =
            "<rss><channel><title>T</title><item><title>e\(accents)</title><enclosure url=\"http://e.org/a.mp3\"/>"
            + "</item></channel></rss>"
        #expect(PodcastFeed(Array(feed.utf8))?.list.episodes.first.map { $0.title.utf8.count <= 120 } == true)
        #expect(MediaItem(address: "x", title: "e" + accents, kind: .track).title.utf8.count <= 120)
    }

    /// The 120th byte is in the middle of a letter, or between a letter and its accent.
    @Test(arguments: [
        (String(repeating: "a", count: 120), String(repeating: "a", count: 120)),
        (String(repeating: "a", count: 121), String(repeating: "a", count: 117) + "…"),
        (String(repeating: "a", count: 116) + "e\u{301}bcd", String(repeating: "a", count: 116) + "…"),
        (String(repeating: "a", count: 115) + "ä ö ü ", String(repeating: "a", count: 115) + "ä…"),
    ])
    func aLongTitleIsCutAtALetter(text: String, title: String) { #expect(ForeignText.title(text) == title) }

    @Test func randomTitleBecomesOneShortLine() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...80, using: &random) {
                let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0x7F : 0...0x10FFFF
                Unicode.Scalar(UInt32.random(in: range, using: &random)).map { scalars.append($0) }
            }
            let title = ForeignText.title(String(scalars))
            #expect(title.utf8.count <= 120)
            let forbidden = "\"`'()[]{}<>\\".unicodeScalars
            let isOdd = title.unicodeScalars.contains { forbidden.contains($0) || $0.value < 0x20 }
            #expect(!isOdd, "\(title.debugDescription)")
        }
    }

    /// Words in a title that look like ffmpeg's own lines are a title.
    @Test func decoderLinesAreKnownByTheirPrefix() {
        func tag(_ line: String) -> DecoderTag? { DecoderTag(line: line) }
        #expect(tag("[info]     title           : Duration: nan:0:0") == .title("Duration: nan:0:0"))
        #expect(tag("[info]     title           : [error] gone") == .title("error gone"))
        #expect(
            tag("[info]     title           : Metadata update for StreamTitle: x")
                == .title("Metadata update for StreamTitle: x")
        )
        let odd = ["nan:0:0", "inf:0:0", "0:0:nan", "0:0:inf", "-1:0:0", "0:0:-5", "4294967295:0:0", "1e9:0:0", "0:0"]
        for text in odd {
            #expect(tag("[info]   Duration: \(text), start: 0") == nil, "\(text)")
        }
        #expect(tag("[in#0 @ 0x5] [http @ 0x6] [error] gone") == .error("gone"))
        #expect(tag("[error") == nil && tag("[info]") == nil && tag("[[[[[[[") == nil)
    }

    @Test func unencodableSnapshotIsReported() {
        var snapshot = MediaSnapshot()
        snapshot.duration = .nan
        let output = ToolResult(snapshot)
        #expect(output.text.contains("cannot be reported") && output.wantsReply)
    }

    @Test func tamperedHistoryDoesNoHarm() throws {
        let line = #"{"at":1,"title":"a\n\"b\"","address":"x","kind":"podcast","second":1e308,"done":false}"#
        let library = MediaLibrary.reading(Array(line.utf8)).library
        let entry = try #require(library.entries.first)
        #expect(entry.title == "a b")
        #expect((library.place(of: MediaItem(address: "x", title: "", kind: .podcast)) * 10).rounded().isFinite)
        #expect(String(decoding: library.text, as: UTF8.self).contains(#""title":"a b""#))
    }
}
