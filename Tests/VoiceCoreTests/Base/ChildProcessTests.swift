import Glibc
import Testing

@testable import VoiceBase

struct ChildProcessTests {
    @Test func endOfAProcessIsReportedRepeatedly() throws {
        let process = try ChildProcess(["sh", "-c", "exit $NUMBER"], environment: ["PATH=/usr/bin:/bin", "NUMBER=7"])
        #expect(process.wait() == .exited(7))
        #expect(process.wait() == .exited(7) && process.hasEnded)
        #expect(process.end() == .exited(7))
    }

    @Test func lateProcessIsKilled() throws {
        let process = try ChildProcess(["sleep", "1000"])
        #expect(!process.hasEnded)
        #expect(process.wait(within: .zero) == .killed(signal: SIGKILL))
    }

    @Test func processDiesWithItsOwner() throws {
        var process: ChildProcess? = try ChildProcess(["sleep", "1000"])
        let id = try #require(process?.id)
        process = nil
        let isGone = kill(id, 0) < 0 && errno == ESRCH
        #expect(isGone)
    }

    @Test func missingProgramThrows() {
        #expect(throws: SystemError(code: ENOENT)) { _ = try ChildProcess(["/nowhere/at/all"]) }
    }

    @Test func signalHasTheStatusOfAShell() {
        #expect(ProcessEnd(SIGKILL).status == 137)
        #expect(ProcessEnd(3 << 8).status == 3)
    }
}
