import Glibc
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceMedia
@testable import VoiceReply

/// The player with a real decoder and a web server on loopback.
@Suite(.serialized, .enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
struct MediaPlayerTests {
    @Test(arguments: [
        ("audio/mpeg", ["-f", "mp3"]), ("audio/aac", ["-f", "adts"]), ("audio/ogg", ["-c:a", "libopus", "-f", "ogg"]),
        ("audio/ogg", ["-c:a", "libvorbis", "-f", "ogg"]), ("audio/flac", ["-f", "flac"]),
        ("audio/wav", ["-f", "wav"]),
        ("application/octet-stream", ["-f", "mp3"]),
    ])
    func everyFormatIsPlayed(type: String, output: [String]) async throws {
        let stage = try await MediaStage()
        stage.server.serve("/a", .file(type: type, try TestSound.tone(output)))
        let started = try await stage.player.play(address: stage.address("/a"), title: "Tone", kind: .track)
        #expect(started.status == .starting)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Tone")] }
        let sound = stage.sound
        let frames = sound.count
        #expect((90_000...102_000).contains(frames), "\(frames) frames")
        let frequency = TestSound.frequency(sound.dropFirst(24_000).prefix(48_000))
        #expect(abs(frequency - 480) < 3)
        #expect(await stage.player.snapshot().status == .stopped)
        await stage.stop()
    }

    @Test func segmentsOfALiveStreamArePlayed() async throws {
        let stage = try await MediaStage()
        stage.server.serve("/s.ts", .file(type: "video/mp2t", try TestSound.tone(["-c:a", "aac", "-f", "mpegts"])))
        let list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:3\n#EXTINF:2.0,\ns.ts\n#EXT-X-ENDLIST\n"
        stage.server.serve("/live.m3u8", .file(type: "application/vnd.apple.mpegurl", Array(list.utf8)))
        _ = try await stage.player.play(address: stage.address("/live.m3u8"), title: "Live", kind: .track)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Live")] }
        let frames = stage.frames
        #expect(frames > 80_000)
        await stage.stop()
    }

    @Test func theNextItemFollowsWithoutAGap() async throws {
        // The loudspeaker stops in the middle of an item: what follows is there before that item ends, or never.
        let stage = try await MediaStage(limit: 24_000)
        let tone = try TestSound.tone(["-f", "wav"], seconds: 1)
        for path in ["/1", "/2", "/3"] { stage.server.serve(path, .file(type: "audio/wav", tone)) }
        _ = try await stage.player.play(address: stage.address("/1"), title: "1", kind: nil)
        _ = try await stage.player.enqueue(address: stage.address("/2"), title: "2")
        let last = try await stage.player.enqueue(address: stage.address("/3"), title: "3")
        #expect(last.queue.suffix(2) == ["2", "3"])
        for middle in [24_000, 72_000] {
            stage.limit = middle
            try await stage.wait("the rest of the item, and the next one behind it") {
                stage.frames + 480 > middle && stage.ports.media.ring.availableToRead > 25_000
            }
        }
        stage.limit = .max
        try await stage.wait("the end") { stage.news.last == .queueEnded(last: "3") }
        #expect(stage.news.dropLast() == [.itemEnded("1", next: "2"), .itemEnded("2", next: "3")])
        // 480 Hz for a whole second ends where it begins: three of them are one tone.
        let sound = stage.sound
        let frames = sound.count
        #expect(abs(frames - 144_000) < 600, "\(frames) frames")
        let middle = sound.dropFirst(1000).dropLast(1000)
        let frequency = TestSound.frequency(middle)
        #expect(abs(frequency - 480) < 1)
        // Not inside the expectation: a failure would describe every sample, with gigabytes.
        let isSmooth = zip(middle, middle.dropFirst()).allSatisfy { abs($0 - $1) < 0.06 }
        #expect(isSmooth)
        await stage.stop()
    }

    @Test(arguments: [
        ("/404", "the server answered 404"), ("/page", "the address is a web page, not sound"),
        ("/loop", "it redirects too often"), ("/inside", "169.254.169.254 is in a private network"),
        ("/text", "the address is text, not sound"), ("/noise", ""), ("/silent", ""), ("/empty", ""),
    ])
    func unplayableItemIsReportedOnce(path: String, reason: String) async throws {
        let stage = try await MediaStage { $0.patience = .seconds(5) }
        stage.server.serve("/page", .file(type: "text/html", Array("<html>hello</html>".utf8)))
        stage.server.serve("/loop", .redirect(to: "/loop"))
        stage.server.serve("/inside", .redirect(to: "http://169.254.169.254/latest"))
        stage.server.serve("/text", .file(type: "application/octet-stream", Array("just words".utf8)))
        var random = SeededGenerator(seed: 1)
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        stage.server.serve("/noise", .file(type: "video/mp4", noise))
        stage.server.serve("/silent", .broken(type: "audio/mpeg", [], stalls: true))
        stage.server.serve("/empty", .file(type: "audio/mpeg", []))
        _ = try await stage.player.play(address: stage.address(path), title: "It", kind: .track)
        try await stage.wait("the failure") { !stage.news.isEmpty }
        guard case .failed("It", let said)? = stage.news.first else {
            Issue.record("\(stage.news)")
            return await stage.stop()
        }
        #expect(said.contains(reason), "\(said)")
        #expect(!said.contains("127.0.0.1"), "no address is read aloud: \(said)")
        #expect(stage.news.count == 1)
        #expect(await stage.player.snapshot().status == .stopped)
        await stage.stop()
    }

    @Test func refusedAddressFailsBeforeARequest() async throws {
        let stage = try await MediaStage { $0.policy = MediaPolicy() }
        for address in [stage.address("/a"), "ftp://example.org/a", "/etc/passwd2", "no such station"] {
            var problem: MediaProblem?
            do throws(MediaProblem) {
                _ = try await stage.player.play(address: address, title: "", kind: nil)
            } catch { problem = error }
            if address.hasPrefix("/") {
                try await stage.wait("refused") { !stage.news.isEmpty }
            } else {
                #expect(problem != nil, "\(address)")
            }
        }
        #expect(stage.server.requests.isEmpty)
        await stage.stop()
    }

    @Test func missingDecoderNamesTheFix() async throws {
        let stage = try await MediaStage { $0.decoder = "no-such-ffmpeg" }
        await #expect(throws: MediaProblem.noDecoder("no-such-ffmpeg")) {
            _ = try await stage.player.play(address: stage.address("/a"), title: "", kind: nil)
        }
        #expect("\(MediaProblem.noDecoder("ffmpeg"))".contains("apt install ffmpeg"))
        await stage.stop()
    }

    @Test func aStationIsPlayedAndItsTitlesFollowed() async throws {
        let stage = try await MediaStage(isFast: false)
        let sound = try TestSound.tone(["-f", "mp3"], seconds: 5)
        stage.server.serve(
            "/radio",
            .endless(type: "audio/mpeg", sound, bytesPerTick: 8000, titles: ["First - Song", "Second - Song"])
        )
        let list = "[playlist]\nFile1=\(stage.address("/radio"))\n"
        stage.server.serve("/radio.pls", .file(type: "audio/x-scpls", Array(list.utf8)))
        _ = try await stage.player.play(address: stage.address("/radio.pls"), title: "", kind: nil)
        try await stage.wait("the title") { await stage.player.snapshot().nowPlaying == "Second - Song" }
        try await stage.wait("the name") { await stage.player.snapshot().title == "Test Station" }
        #expect(await stage.player.snapshot().kind == .radio)
        try await stage.wait("sound") { stage.frames > 24_000 }
        #expect(await stage.player.perform(.pause).status == .paused)
        #expect(await stage.player.perform(.resume).status == .starting)
        try await stage.wait("it plays again") { await stage.player.snapshot().status == .playing }
        _ = await stage.player.perform(.stop)
        #expect(await stage.player.snapshot().status == .stopped)
        #expect(stage.news.isEmpty)
        await stage.stop()
    }

    @Test func brokenStationIsReconnected() async throws {
        let stage = try await MediaStage()
        let sound = try TestSound.tone(["-f", "mp3"], seconds: 2)
        stage.server.serve("/radio", .broken(type: "audio/mpeg", sound, stalls: false))
        _ = try await stage.player.play(address: stage.address("/radio"), title: "R", kind: .radio)
        try await stage.wait("three connections") { stage.server.requests.count >= 6 }
        #expect(stage.news.isEmpty)
        await stage.stop()
    }

    @Test func stalledRecordingResumesAtTheBreak() async throws {
        let stage = try await MediaStage { $0.patience = .seconds(1) }
        let sound = try TestSound.tone(["-f", "wav"], seconds: 30)
        stage.server.serve("/a", .broken(type: "audio/wav", Array(sound.prefix(sound.count / 2)), stalls: true))
        _ = try await stage.player.play(address: stage.address("/a"), title: "A", kind: nil)
        try await stage.wait("half of it") { stage.frames > 300_000 }
        stage.server.serve("/a", .file(type: "audio/wav", sound))
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "A")] }
        // Apart from silence, every frame once: a sine of half of full scale exceeds 0.01 for 98.7 % of the time.
        let audible = Double(stage.sound.count { abs($0) > 0.01 }) / 0.987
        #expect(abs(audible - 1_440_000) < 15_000, "\(audible) frames")
        await stage.stop()
    }

    @Test func slowServerDoesNotBlockStop() async throws {
        let stage = try await MediaStage()
        stage.server.serve("/a", .drip(type: "audio/mpeg", try TestSound.tone(["-f", "mp3"]), bytesPerTick: 2000))
        _ = try await stage.player.play(address: stage.address("/a"), title: "A", kind: nil)
        try await stage.wait("sound") { stage.frames > 4000 }
        #expect(await stage.player.perform(.stop).status == .stopped)
        await stage.stop()
    }

    @Test func feedPlaysItsNewestEpisode() async throws {
        let stage = try await MediaStage()
        stage.server.serve("/e.mp3", .file(type: "audio/mpeg", try TestSound.tone(["-f", "mp3"], seconds: 1)))
        let feed = """
            <?xml version="1.0"?><rss><channel><title>Show</title><item><title>Episode 1</title>
            <enclosure url="\(stage.address("/go"))" type="audio/mpeg"/></item></channel></rss>
            """
        stage.server.serve("/feed", .file(type: "application/rss+xml", Array(feed.utf8)))
        stage.server.serve("/go", .redirect(to: "/e.mp3"))
        _ = try await stage.player.play(address: stage.address("/feed"), title: "Show", kind: .podcast)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Episode 1")] }
        let context = try #require(await stage.player.context())
        let json = #"{"titles_from_outside":{"played_lately":["Show - Episode 1"],"queue":[]}}"#
        #expect(context.hasSuffix(json), "\(context)")
        await stage.stop()
    }

    @Test func decoderRunsConfined() throws {
        let process = try ConfinedProcess(
            "/bin/sh",
            [
                "-c",
                "grep NoNewPrivs /proc/self/status; ulimit -v; ulimit -t; ulimit -f; ulimit -n; ls /proc/self/fd | wc -l",
            ]
        )
        let lines = String(decoding: TestSound.all(process), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(process.wait() == .exited(0))
        // If the file system is confined, it cannot even read its own state.
        let isWalled = !lines.contains { $0.hasPrefix("NoNewPrivs") }
        let limits = ["1048576", "14400", "0", "64"]
        #expect(lines == (isWalled ? limits + ["0"] : ["NoNewPrivs:\t1"] + limits + ["4"]))
    }
}
