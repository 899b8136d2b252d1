import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceMedia
@testable import VoiceReply

/// Media servers that fail, flood or speak an old protocol.
@Suite(.serialized, .enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
struct MediaFaultTests {
    @Test func resetRecordingResumesAtTheBreak() async throws {
        let stage = try await MediaStage()
        let sound = try TestSound.tone(["-f", "wav"], seconds: 30)
        stage.server.serve("/a", .reset(type: "audio/wav", Array(sound.prefix(sound.count / 2)), then: sound))
        _ = try await stage.player.play(address: stage.address("/a"), title: "A", kind: nil)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "A")] }
        // Every frame once: a sine of half of full scale exceeds 0.01 for 98.7 % of the time.
        let audible = Double(stage.sound.count { abs($0) > 0.01 }) / 0.987
        #expect(abs(audible - 1_440_000) < 15_000, "\(audible) frames")
        await stage.stop()
    }

    @Test func resetStationIsReconnected() async throws {
        let stage = try await MediaStage()
        let sound = try TestSound.tone(["-f", "mp3"], seconds: 5)
        stage.server.serve("/radio", .reset(type: "audio/mpeg", sound, then: sound))
        _ = try await stage.player.play(address: stage.address("/radio"), title: "R", kind: .radio)
        // Each time it is requested by the resolver and by the decoder.
        try await stage.wait("another connection") { stage.server.requests.count >= 4 }
        let before = stage.sound.count
        try await stage.wait("its sound") { stage.sound.count > before + 48_000 }
        #expect(stage.news.isEmpty)
        await stage.stop()
    }

    /// SHOUTcast 1 servers answer "ICY 200 OK" instead of an HTTP status line.
    @Test func anOldStationIsPlayedAndItsTitlesFollowed() async throws {
        let stage = try await MediaStage(isFast: false)
        let sound = try TestSound.tone(["-b:a", "128k", "-f", "mp3"], seconds: 10)
        let text = Array("StreamTitle='Old - Song';".utf8)
        let title = [UInt8((text.count + 15) / 16)] + text + [UInt8](repeating: 0, count: 15 - (text.count + 15) % 16)
        let script: LoopbackServer.Script = { socket in
            _ = socket.readHeader()
            socket.write("ICY 200 OK\r\nicy-name:Old Station\r\nicy-metaint:4000\r\nContent-Type:audio/mpeg\r\n\r\n")
            for start in stride(from: 0, to: sound.count - 4000, by: 4000) {
                guard socket.offer(Array(sound[start..<start + 4000]) + title) else { return }
            }
            socket.waitForEnd()
        }
        let server = try LoopbackServer(script, script)
        _ = try await stage.player.play(address: "http://127.0.0.1:\(server.port)/", title: "", kind: nil)
        try await stage.wait("the title") { await stage.player.snapshot().nowPlaying == "Old - Song" }
        try await stage.wait("sound") { stage.frames > 24_000 }
        let snapshot = await stage.player.snapshot()
        #expect(snapshot.title == "Old Station")
        #expect(snapshot.kind == .radio)
        await stage.stop()
    }

    /// 5 GB, as fast as the client takes them: apart from the buffers, only the played part is read.
    @Test func aHugeFileIsReadAsItIsPlayed() async throws {
        let stage = try await MediaStage(isFast: false)
        let sound = try TestSound.tone(["-f", "mp3"], seconds: 20)
        stage.server.serve("/huge", .huge(type: "audio/mpeg", sound, length: 5 << 30))
        _ = try await stage.player.play(address: stage.address("/huge"), title: "Huge", kind: .track)
        try await stage.wait("sound") { stage.frames > 96_000 }
        let sent = stage.server.sent
        #expect(sent < 64 << 20, "\(sent) bytes for two seconds of sound")
        #expect(await stage.player.perform(.stop).status == .stopped)
        #expect(stage.news.isEmpty)
        await stage.stop()
    }

    @Test func aHugeFeedIsRefused() async throws {
        let stage = try await MediaStage()
        let text = Array("<?xml version=\"1.0\"?><rss><channel><title>Endless</title>\n".utf8)
        let body = text + [UInt8](repeating: 0x20, count: 1 << 20)
        stage.server.serve("/feed", .huge(type: "application/rss+xml", body, length: 5 << 30))
        _ = try await stage.player.play(address: stage.address("/feed"), title: "Feed", kind: .podcast)
        try await stage.wait("the failure") { !stage.news.isEmpty }
        let sent = stage.server.sent
        #expect(sent < 64 << 20, "\(sent) bytes")
        await stage.stop()
    }

    /// Only the decoder meets the inner address: the playlist itself may be requested.
    @Test(arguments: ["http://127.0.0.1:%/s.ts", "/go.ts"])
    func aSegmentOnAnInnerServerIsNotFetched(segment: String) async throws {
        let inner = MediaServer()
        let port = try await inner.start()
        let sound = try TestSound.tone(["-c:a", "aac", "-f", "mpegts"])
        inner.serve("/s.ts", .file(type: "video/mp2t", sound))
        let stage = try await MediaStage(onItsPort: true)
        stage.server.serve("/go.ts", .redirect(to: "http://127.0.0.1:\(port)/s.ts"))
        let place = segment.replacing("%", with: "\(port)")
        let list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:3\n#EXTINF:2.0,\n\(place)\n#EXT-X-ENDLIST\n"
        stage.server.serve("/live.m3u8", .file(type: "application/vnd.apple.mpegurl", Array(list.utf8)))
        _ = try await stage.player.play(address: stage.address("/live.m3u8"), title: "Live", kind: .track)
        try await stage.wait("the failure") { !stage.news.isEmpty }
        let problem = MediaProblem.refusedHost("127.0.0.1").description
        #expect(stage.news == [.failed(title: "Live", reason: problem)])
        #expect(inner.requests.isEmpty)
        await stage.stop()
        await inner.stop()
    }

    /// httpproxy:// would connect to any port of any host, bypassing the proxy.
    @Test(arguments: [
        "httpproxy://127.0.0.1:%/a:1", "tcp://127.0.0.1:%", "crypto+tcp://127.0.0.1:%", "file:///etc/passwd",
    ])
    func aPlaylistNamesNothingButHttp(segment: String) async throws {
        let inner = MediaServer()
        let port = try await inner.start()
        let stage = try await MediaStage()
        let place = segment.replacing("%", with: "\(port)")
        let list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:3\n#EXTINF:2.0,\n\(place)\n#EXT-X-ENDLIST\n"
        stage.server.serve("/live.m3u8", .file(type: "application/vnd.apple.mpegurl", Array(list.utf8)))
        _ = try await stage.player.play(address: stage.address("/live.m3u8"), title: "Live", kind: .track)
        try await stage.wait("the failure") { !stage.news.isEmpty }
        let scheme = segment.prefix { $0 != ":" }
        #expect(
            stage.news == [.failed(title: "Live", reason: "its playlist names a \(scheme) address, which is refused")]
        )
        #expect(inner.requests.isEmpty && stage.frames == 0)
        await stage.stop()
        await inner.stop()
    }
}
