import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceMedia

/// What stations send as their titles.
struct StationTitleTests {
    @Test(arguments: [
        ("Artist - Title", "Artist - Title"), (" - Title", "Title"), ("Artist - ", "Artist"), ("", ""), (" - ", ""),
        ("Simon &amp; Garfunkel - Mrs. Robinson", "Simon & Garfunkel - Mrs. Robinson"),
        ("E=mc2 - Relativity", "E=mc2 - Relativity"), ("AC/DC - T.N.T.", "AC/DC - T.N.T."), ("a=b", "a=b"),
        ("Don't - It's = fine", "Don\u{2019}t - It\u{2019}s = fine"),
        (
            #"Artist - text="Title" song_spot="M" MediaBaseId="0" itunesTrackId="0" length="00:03:20" unsID="-1""#,
            "Artist - Title"
        ),
        (#"text="Title" song_spot="M" MediaBaseId="1234" amgArtworkURL="http://x/y?z=1""#, "Title"),
        (#"title="Title",artist="Artist",url="song_spot=\"M\"""#, "Artist - Title"),
        (#"Station - text="Spot Block End" song_spot="T" MediaBaseId="0""#, ""),
        ("StreamTitle='Artist - Title';StreamUrl='http://x/?a=b&c=d';", "Artist - Title"),
        ("StreamTitle='Don't stop';StreamUrl='';", "Don\u{2019}t stop"),
        ("StreamTitle='';StreamUrl='';", ""),
        ("Artist - Title - adw_ad='true' durationMilliseconds='30000' insertionType='midroll'", ""),
        ("Artist - Title;adw_ad='false';", "Artist - Title"), ("Artist - Title - adw_ad=false", "Artist - Title"),
        ("adw_ad=true", ""),
        ("artist=Guns+N%27+Roses&title=Patience&album=x&duration=300", "Guns N\u{2019} Roses - Patience"),
        (#"{"artist":"Artist","title":"Title","duration":200}"#, "Artist - Title"),
        ("Artist~Title~~2005~http://x/y~MUSIC", "Artist - Title"),
        ("Advertisement", ""), ("Werbung", ""), ("COMMERCIAL BREAK", ""), ("The Advert - Gary", "The Advert - Gary"),
    ])
    func titleIsReducedToReadableText(raw: String, title: String) {
        #expect(StationTitle.reduced(raw) == title)
    }

    @Test(arguments: [
        (Array("Bj\u{F6}rk".utf8), "Bj\u{F6}rk"), ([0x42, 0x6A, 0xF6, 0x72, 0x6B], "Bj\u{F6}rk"),
        ([0x93, 0x48, 0x69, 0x94, 0x80], "\u{201C}Hi\u{201D}\u{20AC}"), ([0xC3], "\u{C3}"),
    ])
    func titleBytesOutsideUTF8AreWindows1252(bytes: [UInt8], text: String) {
        #expect(TextDecoder.string(bytes) == text)
        let decoder = TextDecoder()
        let pieces = bytes.flatMap { decoder.decode([$0]) } + decoder.decode([], isLast: true)
        #expect(String(decoding: pieces, as: UTF8.self) == text)
    }

    @Test func anAdvertisementEndsTheTitle() {
        func tag(_ line: String) -> DecoderTag? { DecoderTag(line: line) }
        #expect(tag("[http @ 0x5] [verbose] Metadata update for StreamTitle: Advertisement") == .nowPlaying(""))
        #expect(tag("[http @ 0x5] [verbose] Metadata update for adw_ad: true") == .nowPlaying(""))
        #expect(tag("[http @ 0x5] [verbose] Metadata update for adw_ad: false") == nil)
        #expect(tag("[http @ 0x5] [verbose] Metadata update for StreamUrl: http://x") == nil)
        #expect(tag("[info]     StreamTitle     : A - B") == .nowPlaying("A - B"))
    }

    @Test(.enabled(if: TestSound.canPlay, "ffmpeg is not installed"), arguments: ["libvorbis", "libopus", "flac"])
    func chainedOggFollowsItsTags(codec: String) throws {
        func piece(_ title: String) throws -> [UInt8] {
            let tags = [
                "-metadata", "title=\(title)", "-metadata", "artist=Bj\u{F6}rk", "-metadata",
                "comment=\(String(repeating: "x", count: 9000))",
            ]
            return try TestSound.tone(["-c:a", codec] + tags + ["-f", "ogg"], seconds: 1)
        }
        let stream =
            Array("HTTP/1.1 200 OK\r\nContent-Type: application/ogg\r\n\r\n".utf8) + (try piece("One"))
            + (try piece("Two"))
        for size in [1, 333, 65_536] {
            var tags = OggTags()
            let titles = stride(from: 0, to: stream.count, by: size).flatMap { tags.read(stream[$0...].prefix(size)) }
            #expect(titles.map(\.text) == ["Bj\u{F6}rk - One", "Bj\u{F6}rk - Two"], "\(size)")
            #expect(titles.map(\.isChained) == [false, true])
        }
        var other = OggTags()
        #expect(
            other.read([UInt8](repeating: 0x4F, count: 200_000) + stream).isEmpty,
            "what does not begin as Ogg is not Ogg"
        )
    }
}
