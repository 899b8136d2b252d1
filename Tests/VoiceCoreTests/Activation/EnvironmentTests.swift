import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceSession

/// Buttons, lights, commands, quiet hours and custom sounds.
struct EnvironmentTests {
    @Test func quietHoursMaySpanMidnight() throws {
        let night = try #require(QuietHours("22:00-07:30"))
        #expect(night.contains(minute: 22 * 60))
        #expect(night.contains(minute: 0))
        #expect(night.contains(minute: 7 * 60 + 29))
        #expect(!night.contains(minute: 7 * 60 + 30))
        let noon = try #require(QuietHours("12:30 - 14:00"))
        #expect(noon.contains(minute: 13 * 60))
        #expect(!noon.contains(minute: 23 * 60))
    }

    @Test(arguments: ["", "22-7", "24:00-07:00", "22:00", "22:00-22:00", "22:00-07:60", "a:00-b:00", "22:0-07:00"])
    func malformedQuietHoursAreRefused(text: String) {
        #expect(QuietHours(text) == nil)
    }

    @Test func keysActWhenPressed() {
        #expect(Button(code: 248, value: 1) == .mute)
        #expect(Button(code: 248, value: 0) == nil)
        #expect(Button(code: 248, value: 2) == nil)
        #expect(Button(code: 582, value: 1) == .call)
        #expect(Button(code: 164, value: 1) == .playPause)
        #expect(Button(code: 163, value: 1) == .next && Button(code: 165, value: 1) == .previous)
        #expect(Button(code: 163, value: 2) == nil, "held down, it does not run through the queue")
        #expect(Button(code: 166, value: 1) == .stop)
        #expect(Button(code: 115, value: 2) == .louder)
        #expect(Button(code: 30, value: 1) == nil)
    }

    /// `struct input_event` on a 64-bit machine: two words of time, type, code, value.
    @Test(.enabled(if: MemoryLayout<Int>.size == 8)) func keysAreReadFromTheDevice() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        func put(type: UInt8, code: UInt8, value: UInt8) {
            var event = [UInt8](repeating: 0, count: 24)
            (event[16], event[18], event[20]) = (type, code, value)
            _ = write(ends[1], event, 24)
        }
        var code: Int32 = 0
        var value: Int32 = 0
        put(type: 0, code: 0, value: 0)
        put(type: 1, code: 113, value: 1)
        #expect(clinux_read_key(ends[0], 1000, &code, &value) == 0)
        #expect(clinux_read_key(ends[0], 1000, &code, &value) == 1)
        #expect(code == 113)
        #expect(value == 1)
        #expect(clinux_read_key(ends[0], 0, &code, &value) == 0)
        close(ends[1])
        #expect(clinux_read_key(ends[0], 1000, &code, &value) == -1)
        close(ends[0])
    }

    private func status(
        _ phase: ActivationPhase, _ conversation: String = "idle", isMuted: Bool = false
    )
        -> ActivationStatus
    {
        ActivationStatus(
            mode: .wake, phase: phase, isMuted: isMuted, isQuiet: false, listening: .wake, conversation: conversation
        )
    }

    @Test func commandReceivesTheLatestState() async throws {
        let script = "/tmp/hook-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let text = "#!/bin/sh\necho $JARVIS_PHASE $JARVIS_STATE $JARVIS_MODE $JARVIS_MUTED >> \(script).out\n"
        try StateFile.write(Array(text.utf8), to: script)
        chmod(script, 0o700)
        let hook = StateHook(command: script, logger: LineLog().logger)
        hook.show(status(.awake, "connecting"))
        hook.show(status(.awake, "listening"))
        hook.show(status(.conversation, "aiSpeaking"))
        hook.finish()
        await hook.run()
        let output = try FileReader.system.read(script + ".out", 4096).bytes
        #expect(String(decoding: output, as: UTF8.self) == "conversation aiSpeaking wake 0\n")
        unlink(script)
        unlink(script + ".out")
    }

    @Test func hangingAndMissingCommandsAreReported() {
        #expect(HookProcess.run("/bin/sleep", [], within: .milliseconds(50)) != .tookTooLong)
        #expect(HookProcess.run("/usr/bin/yes", [], within: .milliseconds(50)) == .tookTooLong)
        #expect(HookProcess.run("/nowhere", [], within: .seconds(1)) == .notStarted(errno: ENOENT))
        #expect(HookProcess.run("/bin/false", [], within: .seconds(5)) == .ended(1))
    }

    /// Writes the program to a file.
    private func script(_ text: String) throws -> String {
        let path = "/tmp/hook-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try StateFile.write(Array(("#!/bin/bash\n" + text).utf8), to: path)
        chmod(path, 0o700)
        return path
    }

    /// No process is left, not even as a zombie: neither one that has left its group, session and environment, nor one
    /// that ended before the command.
    @Test(arguments: [
        "sleep 600 & echo $! >>$0.left", "(sleep 0.05 & echo $! >>$0.left)", "(setsid sleep 0.05 & echo $! >>$0.left)",
        "setsid sleep 600 & echo $! >>$0.left", "env -i setsid sleep 600 & echo $! >>$0.left",
    ])
    func endedCommandLeavesNoProcess(start: String) throws {
        ChildProcesses.adoptOrphans()
        let path = try script("\(start)\nsleep 0.3\n")
        defer { for name in [path, path + ".left"] { unlink(name) } }
        #expect(HookProcess.run(path, ["PATH=/usr/bin:/bin"], within: .seconds(20)) == .ended(0))
        let text = String(decoding: try FileReader.system.read(path + ".left", 4096).bytes, as: UTF8.self)
        let process = try #require(pid_t(text.split(separator: "\n")[0]))
        // While another command runs, the owner of a process may be unknown.
        let end = Monotonic.now() + .seconds(20)
        while ProcessTree.parent(of: process) == getpid(), Monotonic.now() < end {
            _ = HookProcess.run("/bin/true", [], within: .seconds(20))
        }
        #expect(ProcessTree.parent(of: process) != getpid())
    }

    /// Including processes that left its group and session, and those started by them.
    @Test(arguments: ["sleep 600 &", "setsid sleep 600 &", "setsid bash -c 'setsid sleep 600 & sleep 600' &"])
    func processesOfACommandEndWithIt(start: String) throws {
        ChildProcesses.adoptOrphans()
        let path = try script("\(start)\nsleep 0.3\n")
        defer { unlink(path) }
        let mark = Array("JARVIS_TEST=\(path)".utf8)
        func left() -> [pid_t] {
            Folder.names(in: "/proc").compactMap { pid_t($0) }.filter { process in
                let file = try? FileReader.system.read("/proc/\(process)/environ", 1 << 20)
                return file?.bytes.split(separator: 0).contains { $0.elementsEqual(mark) } ?? false
            }
        }
        let start = Monotonic.now()
        let environment = ["PATH=/usr/bin:/bin", String(decoding: mark, as: UTF8.self)]
        #expect(HookProcess.run(path, environment, within: .seconds(20)) == .ended(0))
        while !left().isEmpty, Monotonic.now() - start < .seconds(20) { usleep(10_000) }
        #expect(left().isEmpty)
    }

    /// libcurl's sockets, for instance, are not close-on-exec.
    @Test func aCommandInheritsNothingButTheFirstThree() async throws {
        let open = fcntl(0, F_DUPFD, 100)
        try #require(open >= 100)
        defer { close(open) }
        let out = "/tmp/hook-files-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let path = try script("for file in /proc/$$/fd/*; do echo \"${file##*/}\"; done >\(out)\n")
        defer { for name in [path, out] { unlink(name) } }
        #expect(HookProcess.run(path, ["PATH=/usr/bin:/bin"], within: .seconds(20)) == .ended(0))
        // Some are bash's own: for the folder it lists, the redirection and the script.
        let files = String(decoding: try FileReader.system.read(out, 4096).bytes, as: UTF8.self)
        let numbers = Set(files.split(separator: "\n"))
        #expect(numbers.isSuperset(of: ["0", "1", "2"]) && numbers.isSubset(of: ["0", "1", "2", "3", "10", "255"]))
        let other = await Command.output(["bash", "-c", "(: <&\(open)) 2>/dev/null && echo open; echo asked"])
        #expect(other == Array("asked\n".utf8))
    }

    @Test func outputAndErrorsOfAChildAreRead() throws {
        var ends: [Int32] = [-1, -1]
        try #require(clinux_pipe(&ends) == 0)
        defer { close(ends[0]) }
        let program = ["/bin/sh", "-c", "echo out; echo err >&2; ls /proc/self/fd"]
        var words: [UnsafeMutablePointer<CChar>?] = program.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let child = clinux_spawn(&words, nil, ends[1], ends[1], false)
        close(ends[1])
        try #require(child > 0)
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1 { text.append(byte) }
        waitpid(child, nil, 0)
        // The last is the folder being listed.
        #expect(String(decoding: text, as: UTF8.self) == "out\nerr\n0\n1\n2\n3\n")
    }

    @Test func gateOutlastsTheWords() {
        let gate = VoiceGate()
        #expect(!gate.isOpen(at: 100, voiceUntil: 0))
        #expect(gate.isOpen(at: 100_000, voiceUntil: 60_000))
        #expect(!gate.isOpen(at: 108_000, voiceUntil: 60_000))
    }
}
