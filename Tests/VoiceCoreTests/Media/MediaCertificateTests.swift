import Glibc
import Synchronization
import Testing

@testable import VoiceCore

/// A web server with a certificate that only its own file vouches for.
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
            let told = (try? FileReader.system.read(folder + "/told", 4096).bytes).map {
                String(decoding: $0, as: UTF8.self)
            }
            let line = told?.split(separator: "\n").last { $0.hasPrefix("ACCEPT") }
            found = line?.split(separator: ":").last.flatMap { Int($0) }
        }
        port = try #require(found, "openssl s_server")
    }

    deinit { system("kill $(cat \(folder)/pid); rm -r \(folder)") }
}

@Suite(.serialized, .enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
struct MediaCertificateTests {
    private func stage(caFile: String?) async throws -> MediaStage {
        try await MediaStage {
            $0.policy = MediaPolicy(hosts: ["localhost"])
            $0.caFile = caFile
        }
    }

    @Test func aServerOfOnesOwnIsTrustedByItsFile() async throws {
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

    /// The resolver's own look at it does not stand in for the decoder's.
    @Test(arguments: [true, false]) func theDecoderLooksAtItToo(isTrusted: Bool) async throws {
        let server = try CertifiedServer()
        let ended = Mutex<String??>(nil)
        let decoder = DecoderThread(pipes: AudioPipes(), policy: MediaPolicy(hosts: ["localhost"])) { report in
            if case .ended(_, _, let failure) = report { ended.withLock { $0 = .some(failure) } }
        }
        decoder.start()
        let program = try #require(TestSound.ffmpeg)
        let job = DecoderJob(
            id: 1,
            program: program,
            source: .network(server.address),
            patience: .seconds(20),
            caFile: isTrusted ? server.caFile : nil
        )
        decoder.run(job, cutting: false)
        for _ in 0..<3000 where ended.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(10)) }
        let outcome = try #require(ended.withLock { $0 })
        #expect((outcome == nil) == isTrusted, "\(outcome ?? "-")")
        await decoder.close()
    }
}
