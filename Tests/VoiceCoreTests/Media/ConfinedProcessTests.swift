import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceMedia

/// What else a program that decodes foreign data can do.
struct ConfinedProcessTests {
    private func run(_ script: String, port: Int? = nil, files: [String] = []) throws -> String {
        let process = try ConfinedProcess("/bin/bash", ["-c", script], files: files, port: port)
        let output = String(decoding: TestSound.all(process), as: UTF8.self)
        _ = process.wait()
        return output
    }

    @Test func memoryAndProcessorTimeAreLimited() throws {
        #expect(try run("ulimit -v; ulimit -t; ulimit -c; ulimit -f") == "1048576\n14400\n0\n0\n")
    }

    @Test(.enabled(if: clinux_landlock_abi() >= 1, "this kernel has no Landlock"))
    func decoderReadsOnlyLibrariesAndGivenFiles() throws {
        let path = "/tmp/confined-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try StateFile.write(Array("given".utf8), to: path)
        defer { unlink(path) }
        let script =
            "cat \(path) /etc/passwd /proc/self/environ /proc/$PPID/environ 2>/dev/null; echo .; echo x >\(path)"
        #expect(try run(script) == ".\n")
        #expect(try run(script, files: [path]) == "given.\n")
        #expect(try FileReader.system.read(path, 100).bytes == Array("given".utf8), "nothing is written")
    }

    @Test(.enabled(if: clinux_landlock_abi() >= 4, "this kernel has no Landlock for TCP"))
    func decoderConnectsOnlyToItsProxy() throws {
        let (open, other) = (try StreamSocket.listen(), try StreamSocket.listen())
        let script = [open.port, other.port].map { "(exec 3<>/dev/tcp/127.0.0.1/\($0)) 2>/dev/null && echo \($0)" }
            .joined(separator: "; ")
        #expect(try run(script, port: open.port) == "\(open.port)\n")
        #expect(try run(script) == "")
    }

    @Test(.enabled(if: clinux_has_seccomp(), "this kernel has no seccomp"))
    func decoderHasNoOtherSocketsAndNoSignals() throws {
        func socket(_ arguments: String) -> String {
            "perl -MSocket -e 'socket(S,\(arguments)) and print \"open \"'"
        }
        let kinds = [
            "AF_UNIX,SOCK_STREAM,0", "AF_INET,SOCK_DGRAM,0", "AF_INET6,SOCK_STREAM,0", "AF_INET,SOCK_STREAM,262",
        ]
        let script = kinds.map(socket).joined(separator: "; ") + "; kill -0 $PPID 2>/dev/null && echo signal; true"
        #expect(try run(script, port: 1) == "")
        #expect(try run(socket("AF_INET,SOCK_STREAM,0"), port: 1) == "open ")
        #expect(try run(socket("AF_INET,SOCK_STREAM,0")) == "")
    }

    /// If the kernel cannot confine it, this alone holds.
    @Test func decoderKnowsOnlyHttpToItsProxy() throws {
        let job = DecoderJob(id: 1, program: "/usr/bin/ffmpeg", source: .network(.init(address: "https://a.example/b")))
        let list = job.arguments
        let protocols = try #require(list.firstIndex(of: "-protocol_whitelist"))
        #expect(list[protocols + 1] == "http,tcp,crypto")
        #expect(list.contains("http://media.invalid/start") && !list.contains { $0.contains("a.example") })
        let file = DecoderJob(id: 1, program: "/usr/bin/ffmpeg", source: .file("/music/a.m3u8")).arguments
        #expect(file.contains("file") && !file.joined(separator: ",").contains("hls"))
    }

    @Test func doctorNamesTheConfinementOfTheKernel() {
        func message(_ landlock: Int, _ hasSeccomp: Bool) -> String {
            WallCheck.judge(landlock: landlock, hasSeccomp: hasSeccomp, program: "ffmpeg").message
        }
        #expect(message(4, true).contains("limits its files, ports and calls"))
        #expect(message(1, true).contains("limits its files and system calls: Landlock is version 1"))
        #expect(message(0, true).contains("limits its system calls: Landlock is missing"))
        #expect(message(0, false).contains("limits nothing: Landlock is missing, seccomp is missing"))
        #expect(WallCheck.judge(landlock: 4, hasSeccomp: true, program: nil).verdict == .skipped)
    }
}
