import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceMedia
@testable import VoiceReply

/// HLS as stations serve it, by this machine's ffmpeg.
@Suite(.serialized, .enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
struct SegmentedMediaTests {
    struct Row: CustomTestStringConvertible {
        var name: String
        var path = "/hls/list.m3u8"
        var type = "application/vnd.apple.mpegurl"
        var before = ""
        /// Format of the segments, their type, and their path with "%" for the number.
        var format = ["-f", "mpegts"]
        var segmentType = "video/mp2t"
        var segment = "seg%.ts"
        var isMaster = false

        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "plain"),
        Row(name: "segments without a suffix", segment: "fragment/ts/live/%?session=1"),
        Row(name: "segments with an unknown suffix", segment: "seg%.dat"),
        Row(name: "segments of scripts", segment: "../chunk.php?n=%"),
        Row(
            name: "AAC without a suffix", format: ["-c:a", "aac", "-f", "adts"], segmentType: "audio/aac", segment: "%"
        ),
        Row(name: "a byte order mark", before: "\u{FEFF}"),
        Row(name: "a blank line before", before: "\r\n"),
        Row(name: "as text, without a suffix", path: "/hls/list", type: "text/plain", segment: "%"),
        Row(name: "as MP3", path: "/hls/list", type: "audio/mpeg"),
        Row(name: "variants without a suffix", segment: "s%", isMaster: true),
        Row(
            name: "fMP4",
            format: ["-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-f", "mp4"],
            segmentType: "video/mp4", segment: "seg%.m4s"
        ),
        Row(
            name: "fMP4 without a suffix",
            format: ["-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-f", "mp4"],
            segmentType: "application/octet-stream", segment: "media/%"
        ),
    ]

    @Test(arguments: rows) func aStationInSegmentsIsHeard(row: Row) async throws {
        let stage = try await MediaStage()
        var sound = try TestSound.tone(row.format, seconds: 2)
        var list = "\(row.before)#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n"
        if row.name.hasPrefix("fMP4"), let start = Self.box("moof", in: sound) {
            stage.server.serve("/hls/init", .file(type: row.segmentType, Array(sound[..<start])))
            list += "#EXT-X-MAP:URI=\"init\"\n"
            sound = Array(sound[start...])
        }
        // Every fMP4 segment made here begins at 0 s, so a second one would be dropped.
        let count = row.name.hasPrefix("fMP4") ? 1 : 2
        for number in 1...count {
            let name = row.segment.replacing("%", with: "\(number)")
            list += "#EXT-X-DISCONTINUITY\n#EXTINF:2,\n\(name)\n"
            let path = name.hasPrefix("../") ? "/" + name.dropFirst(3) : "/hls/" + name
            stage.server.serve(path, .file(type: row.segmentType, sound))
        }
        list += "#EXT-X-ENDLIST\n"
        if row.isMaster {
            stage.server.serve("/hls/inner?b=64", .file(type: "text/plain", Array(list.utf8)))
            list = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000\ninner?b=64\n"
        }
        stage.server.serve(row.path, .file(type: row.type, Array(list.utf8)))
        _ = try await stage.player.play(address: stage.address(row.path), title: "H", kind: nil)
        try await stage.wait("the end") { !stage.news.isEmpty }
        #expect(stage.news == [.queueEnded(last: "H")])
        let loud = stage.sound.count { abs($0) > 0.01 }
        #expect(loud > 80_000 * count, "\(loud) frames, \(count) times two seconds")
        await stage.stop()
    }

    /// All segments are ranges of one file.
    @Test func segmentsMayBeRangesOfOneFile() async throws {
        let stage = try await MediaStage()
        let sound = try TestSound.tone(["-f", "mpegts"], seconds: 2)
        let list = """
            #EXTM3U
            #EXT-X-VERSION:4
            #EXT-X-TARGETDURATION:2
            #EXTINF:2,
            #EXT-X-BYTERANGE:\(sound.count)@0
            all.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:2,
            #EXT-X-BYTERANGE:\(sound.count)@\(sound.count)
            all.ts
            #EXT-X-ENDLIST
            """
        stage.server.serve("/hls/all.ts", .file(type: "video/mp2t", sound + sound))
        stage.server.serve("/hls/list.m3u8", .file(type: "application/vnd.apple.mpegurl", Array(list.utf8)))
        _ = try await stage.player.play(address: stage.address("/hls/list.m3u8"), title: "H", kind: nil)
        try await stage.wait("the end") { !stage.news.isEmpty }
        let loud = stage.sound.count { abs($0) > 0.01 }
        #expect(loud > 160_000, "\(loud) frames, of four seconds")
        await stage.stop()
    }

    /// Returns where the first box of this type begins (ISO/IEC 14496-12 section 4.2).
    private static func box(_ type: String, in bytes: [UInt8]) -> Int? {
        var place = 0
        while place + 8 <= bytes.count {
            if bytes[place + 4..<place + 8].elementsEqual(type.utf8) { return place }
            place += max(8, bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) })
        }
        return nil
    }

    /// MP3 in windows-1252, as Icecast sends titles by default; then an advertisement.
    @Test func windows1252TitlesAreReadAndAdvertisementsSkipped() async throws {
        let stage = try await MediaStage(isFast: false)
        let sound = try TestSound.tone(["-b:a", "128k", "-f", "mp3"], seconds: 20)
        func block(_ text: [UInt8]) -> [UInt8] {
            [UInt8((text.count + 15) / 16)] + text + [UInt8](repeating: 0, count: 15 - (text.count + 15) % 16)
        }
        let first = block(Array("StreamTitle='Bj".utf8) + [0xF6] + Array("rk - It".utf8) + [0x92] + Array("s';".utf8))
        let second = block(Array("StreamTitle='Buy now';adw_ad='true';durationMilliseconds='30000';".utf8))
        let isOver = Flag()
        let head = "HTTP/1.0 200 OK\r\nicy-name:S\r\nicy-metaint:4000\r\nContent-Type:audio/mpeg\r\n\r\n"
        let resolver: LoopbackServer.Script = { socket in
            _ = socket.readHeader()
            socket.write(head)
            _ = socket.offer(sound)
            socket.waitForEnd()
        }
        let decoder: LoopbackServer.Script = { socket in
            _ = socket.readHeader()
            socket.write(head)
            for start in stride(from: 0, to: sound.count - 4000, by: 4000) {
                // Two seconds, then the rest once the title was seen.
                while start >= 32_000, !isOver.value.load(ordering: .relaxed) { usleep(10_000) }
                let title = start < 32_000 ? first : second
                guard socket.offer(Array(sound[start..<start + 4000]) + title) else { return }
            }
            socket.waitForEnd()
        }
        let server = try LoopbackServer(resolver, decoder)
        _ = try await stage.player.play(address: "http://127.0.0.1:\(server.port)/", title: "", kind: nil)
        try await stage.wait("the title") { await stage.player.snapshot().nowPlaying == "Bj\u{F6}rk - It\u{2019}s" }
        isOver.value.store(true, ordering: .relaxed)
        try await stage.wait("no title") { await stage.player.snapshot().nowPlaying == nil }
        await stage.stop()
    }

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    @Test func chainedOggChangesTheTitle() async throws {
        let stage = try await MediaStage(isFast: false)
        func piece(_ title: String) throws -> [UInt8] {
            try TestSound.tone(["-c:a", "libvorbis", "-metadata", "title=\(title)", "-f", "ogg"], seconds: 3)
        }
        let sound = try piece("One") + piece("Two")
        stage.server.serve("/radio", .file(type: "application/ogg", sound, headers: ["icy-name": "Station"]))
        _ = try await stage.player.play(address: stage.address("/radio"), title: "", kind: nil)
        try await stage.wait("the second title") { await stage.player.snapshot().nowPlaying == "Two" }
        try await stage.wait("the name") { await stage.player.snapshot().title == "Station" }
        await stage.stop()
    }
}
