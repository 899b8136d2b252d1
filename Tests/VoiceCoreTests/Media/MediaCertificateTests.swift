import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceMedia
@testable import VoiceReply

/// A web server with a self-signed certificate in its own file.
private final class CertifiedServer {
    let folder: String
    let port: Int
    var caFile: String { folder + "/server.pem" }
    var address: String { "https://localhost:\(port)/tone" }

    init() throws {
        let folder = "/tmp/certified-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        self.folder = folder
        try #require(mkdir(folder, 0o700) == 0)
        let sound = try TestSound.tone(["-f", "mp3"])
        let head = "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(sound.count)\r\n"
        let reply = Array((head + "Connection: close\r\n\r\n").utf8) + sound
        let file = try #require(fopen(folder + "/tone", "we"))
        let written = fwrite(reply, 1, reply.count, file)
        try #require(fclose(file) == 0 && written == reply.count)
        let status = system(
            """
            cd \(folder) && exec >log 2>&1 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
                -keyout key.pem -out server.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost &&
            { openssl s_server -accept 127.0.0.1:0 -cert server.pem -key key.pem -HTTP >told </dev/null & } &&
            echo $! >pid
            """
        )
        try #require(status == 0, "openssl")
        var found: Int?
        // "ACCEPT 127.0.0.1:40123"
        for _ in 0..<1000 where found == nil {
            usleep(10_000)
            let reported = (try? FileReader.system.read(folder + "/told", 4096).bytes).map {
                String(decoding: $0, as: UTF8.self)
            }
            let line = reported?.split(separator: "\n").last { $0.hasPrefix("ACCEPT") }
            found = line?.split(separator: ":").last.flatMap { Int($0) }
        }
        port = try #require(found, "openssl s_server")
    }

    /// Serves a file, including its HTTP header.
    func add(_ name: String, type: String, _ body: [UInt8]) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
        let file = try #require(fopen(folder + "/" + name, "we"))
        // It serves one connection at a time, so no client may keep one.
        let reply = Array((head + "Connection: close\r\n\r\n").utf8) + body
        let written = fwrite(reply, 1, reply.count, file)
        try #require(fclose(file) == 0 && written == reply.count)
    }

    deinit { system("kill $(cat \(folder)/pid); rm -r \(folder)") }
}

@Suite(.serialized, .enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
struct MediaCertificateTests {
    private func stage(caFile: String?) async throws -> MediaStage {
        try await MediaStage {
            $0.policy = MediaPolicy(hosts: "localhost")
            $0.caFile = caFile
        }
    }

    @Test func privateCertificateIsTrustedByItsFile() async throws {
        let server = try CertifiedServer()
        let stage = try await stage(caFile: server.caFile)
        _ = try await stage.player.play(address: server.address, title: "Tone", kind: .track)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Tone")] }
        #expect(abs(TestSound.frequency(stage.sound) - 480) < 5)
        await stage.stop()
    }

    @Test func anUnknownCertificateIsRefusedAndNamed() async throws {
        let server = try CertifiedServer()
        let stage = try await stage(caFile: nil)
        _ = try await stage.player.play(address: server.address, title: "Tone", kind: .track)
        try await stage.wait("the failure") { !stage.news.isEmpty }
        #expect("\(stage.news)".contains("certificate"), "\(stage.news)")
        #expect(stage.frames == 0)
        await stage.stop()
    }

    /// Segments are verified as well: one from an untrusted server is not played.
    @Test(arguments: [true, false]) func segmentsOverHttpsAreVerified(isTrusted: Bool) async throws {
        let (server, other) = (try CertifiedServer(), try CertifiedServer())
        let sound = try TestSound.tone(["-c:a", "aac", "-f", "mpegts"])
        for one in [server, other] { try one.add("s.ts", type: "video/mp2t", sound) }
        let segment = isTrusted ? "/s.ts" : "https://localhost:\(other.port)/s.ts"
        let list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:3\n#EXTINF:2.0,\n\(segment)\n#EXT-X-ENDLIST\n"
        try server.add("live.m3u8", type: "application/vnd.apple.mpegurl", Array(list.utf8))
        let stage = try await stage(caFile: server.caFile)
        let address = "https://localhost:\(server.port)/live.m3u8"
        _ = try await stage.player.play(address: address, title: "Live", kind: .track)
        try await stage.wait("the end") { !stage.news.isEmpty }
        if isTrusted {
            #expect(stage.news == [.queueEnded(last: "Live")], "\(stage.log.lines)")
            #expect(abs(TestSound.frequency(stage.sound) - 480) < 5)
        } else {
            #expect("\(stage.news)".contains("certificate"), "\(stage.news)")
            #expect(stage.frames == 0)
        }
        await stage.stop()
    }

    /// The resolver's verification does not replace the proxy's.
    @Test(arguments: [true, false]) func proxyVerifiesTheCertificate(isTrusted: Bool) async throws {
        let server = try CertifiedServer()
        let ended = Mutex<String??>(nil)
        let decoder = DecoderThread(feed: MediaFeed(), policy: MediaPolicy(hosts: "localhost")) { report in
            if case .ended(_, _, let failure) = report { ended.withLock { $0 = .some(failure) } }
        }
        decoder.start()
        let program = try #require(TestSound.ffmpeg)
        let job = DecoderJob(
            id: 1, program: program, source: .network(.init(address: server.address)), patience: .seconds(20),
            caFile: isTrusted ? server.caFile : nil
        )
        decoder.run(job, cutting: false)
        for _ in 0..<3000 where ended.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(10)) }
        let outcome = try #require(ended.withLock { $0 })
        #expect((outcome == nil) == isTrusted, "\(outcome ?? "-")")
        await decoder.close()
    }
}
