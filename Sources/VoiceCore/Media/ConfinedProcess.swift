internal import CLinux
internal import Glibc
internal import VoiceBase

/// A program that runs with reduced rights and whose output is read; see `clinux_spawn_confined`.
///
/// Owned by the thread that starts it: the kernel kills the program when that thread ends.
package final class ConfinedProcess {
    struct Limits: Sendable, Equatable {
        /// Bytes of address space; libraries alone take 300 MB.
        var memory = 1 << 30
        /// Seconds of processor time; a day of radio takes about five minutes.
        var processorSeconds = 4 * 3600
    }

    private let process: ChildProcess
    /// Read ends of the program's pipes, non-blocking.
    let output: Int32
    let errors: Int32

    /// Folders of programs and their libraries; nothing in them is secret.
    private static let programs = ["/usr", "/lib", "/lib64", "/bin", "/opt", "/nix/store", "/etc/ld.so.cache"]

    /// - Parameters:
    ///   - path: absolute path of the program.
    ///   - environment: "NAME=value", in addition to the few variables that are always set.
    ///   - files: what the program may read in addition to programs and libraries; enforced if the kernel has Landlock.
    ///   - input: becomes its standard input; nil for none. Stays the caller's.
    ///   - port: the only port of this machine that the program may connect to; nil for none.
    /// - Throws: errno.
    init(
        _ path: String,
        _ arguments: [String],
        environment added: [String] = [],
        files: [String] = [],
        input: Int32? = nil,
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
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? path
        var program = clinux_confined()
        program.input = input ?? 0
        program.output = out[1]
        program.errors = err[1]
        program.memory = UInt64(limits.memory)
        program.cpu_seconds = UInt64(limits.processorSeconds)
        program.port = UInt16(clamping: port ?? 0)
        defer { for end in [out[1], err[1]] { close(end) } }
        do throws(SystemError) {
            process = try ChildProcess { () -> pid_t in
                withCStrings([path] + arguments) { argv in
                    withCStrings(environment) { envp in
                        withCStrings(Self.programs + [folder] + files) { readable in
                            program.path = UnsafePointer(argv.pointee)
                            program.argv = UnsafePointer(argv)
                            program.envp = UnsafePointer(envp)
                            program.readable = UnsafeRawPointer(readable)
                                .assumingMemoryBound(to: UnsafePointer<CChar>?.self)
                            return clinux_spawn_confined(&program)
                        }
                    }
                }
            }
        } catch {
            for end in [out[0], err[0]] { close(end) }
            throw error
        }
        output = out[0]
        errors = err[0]
        for end in [output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        _ = end()
        close(output)
        close(errors)
    }

    /// Kills the program and waits for it to exit, which takes a few milliseconds.
    func end() -> ProcessEnd { process.wait(within: .zero) }

    /// Waits for the exit of a program that has closed its output, for a second at most.
    func wait() -> ProcessEnd { process.wait(within: .seconds(1)) }

    /// Returns the absolute path of a program, nil if there is none. A bare name is looked up in the usual folders.
    package static func find(_ program: String) -> String? {
        let places =
            program.contains("/") ? [program] : ["/usr/local/bin/", "/usr/bin/", "/bin/"].map { $0 + program }
        return places.first { access($0, X_OK) == 0 }
    }
}
