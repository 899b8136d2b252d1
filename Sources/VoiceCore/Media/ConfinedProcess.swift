internal import CLinux
internal import Glibc
internal import VoiceBase

/// A program that runs with reduced rights and whose output is read: see `clinux_spawn_confined`.
///
/// Belongs to the thread that starts it: the system kills the program when that thread ends.
package final class ConfinedProcess {
    /// What it may use.
    struct Limits: Sendable, Equatable {
        /// Bytes of address space: libraries alone take 300 MB of it.
        var memory = 1 << 30
        /// Seconds of processor time; a day of radio takes about five minutes of it.
        var processorSeconds = 4 * 3600
    }

    let id: pid_t
    /// Reading ends, non-blocking.
    let output: Int32
    let errors: Int32
    private var status: ProcessEnd?

    /// Where programs and their libraries are; of what else is there, nothing is secret.
    private static let programs = ["/usr", "/lib", "/lib64", "/bin", "/opt", "/nix/store", "/etc/ld.so.cache"]

    /// - Parameters:
    ///   - path: absolute path of the program.
    ///   - environment: "NAME=value", beside the few that it always gets.
    ///   - files: what it may read beside programs and libraries, where the kernel has Landlock.
    ///   - port: the only one of this machine that it may connect to; nil for none.
    /// - Throws: errno.
    init(
        _ path: String,
        _ arguments: [String],
        environment added: [String] = [],
        files: [String] = [],
        port: Int? = nil,
        limits: Limits = Limits()
    ) throws(SystemError) {
        var out: [Int32] = [-1, -1]
        var err: [Int32] = [-1, -1]
        guard clinux_pipe(&out) == 0 else { throw SystemError(code: errno) }
        guard clinux_pipe(&err) == 0 else {
            let code = errno
            for end in out { close(end) }
            throw SystemError(code: code)
        }
        let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "AV_LOG_FORCE_NOCOLOR=1"] + added
        var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? path
        var readable = (Self.programs + [folder] + files).map { UnsafePointer<CChar>(strdup($0)) } + [nil]
        defer {
            for pointer in argv + envp { free(pointer) }
            for pointer in readable { free(UnsafeMutablePointer(mutating: pointer)) }
        }
        var program = clinux_confined()
        program.output = out[1]
        program.errors = err[1]
        program.memory = UInt64(limits.memory)
        program.cpu_seconds = UInt64(limits.processorSeconds)
        program.port = UInt16(clamping: port ?? 0)
        var code: Int32 = 0
        let child = path.withCString { path in
            argv.withUnsafeMutableBufferPointer { argv in
                envp.withUnsafeMutableBufferPointer { envp in
                    readable.withUnsafeMutableBufferPointer { readable in
                        program.path = path
                        program.argv = UnsafePointer(argv.baseAddress)
                        program.envp = UnsafePointer(envp.baseAddress)
                        program.readable = UnsafePointer(readable.baseAddress)
                        let child = ChildProcesses.start { clinux_spawn_confined(&program) }
                        code = errno
                        return child
                    }
                }
            }
        }
        close(out[1])
        close(err[1])
        guard child > 0 else {
            close(out[0])
            close(err[0])
            throw SystemError(code: code)
        }
        id = child
        output = out[0]
        errors = err[0]
        for end in [output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        _ = end()
        close(output)
        close(errors)
    }

    /// Kills it and waits for its end, which takes a few milliseconds.
    func end() -> ProcessEnd {
        if let status { return status }
        kill(id, SIGKILL)
        return wait()
    }

    /// Waits for the end of a program that has closed its output, at most for a second.
    func wait() -> ProcessEnd {
        if let status { return status }
        var raw: Int32 = 0
        for attempt in 0..<1100 {
            let result = waitpid(id, &raw, WNOHANG)
            if result == id || (result < 0 && errno != EINTR) { break }
            if attempt == 1000 { kill(id, SIGKILL) }
            usleep(1000)
        }
        ChildProcesses.forget(id)
        let ended: ProcessEnd = raw & 0x7F == 0 ? .exited(raw >> 8 & 0xFF) : .killed(signal: raw & 0x7F)
        status = ended
        return ended
    }

    /// The absolute path of a program, looked for in the usual folders when it is a bare name; nil where there is none.
    package static func find(_ program: String) -> String? {
        let places =
            program.contains("/") ? [program] : ["/usr/local/bin/", "/usr/bin/", "/bin/"].map { $0 + program }
        return places.first { access($0, X_OK) == 0 }
    }
}

/// What the system said.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var code: Int32

    var description: String { String(cString: strerror(code)) }
}

/// How a program ended. ffmpeg 7 exits with any status up to 255: no number says by itself that there was a signal.
enum ProcessEnd: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)
}
