internal import CLinux
internal import Glibc

/// A child process that inherits no files; killed at the latest when the last reference to it is gone.
final class ChildProcess {
    let id: pid_t
    /// The reading end of what the child writes to standard output and standard error, or -1.
    let output: Int32
    private var status: Int32?

    /// - Parameters:
    ///   - environment: added to that of this process.
    ///   - captures: whether to read what the child writes; else it is thrown away.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], captures: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        if captures, socketpair(AF_UNIX, kind, 0, &ends) != 0 { throw BenchProblem("no pipe: errno \(errno)") }
        var variables = Self.environment
        variables.merge(environment) { $1 }
        var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let child = clinux_spawn(&argv, &envp, ends[1], ends[1], false)
        let problem = errno
        if captures { close(ends[1]) }
        guard child > 0 else {
            if captures { close(ends[0]) }
            throw BenchProblem("\(path) does not start: errno \(problem)")
        }
        id = child
        output = ends[0]
    }

    deinit {
        end(SIGKILL)
        if output >= 0 { close(output) }
    }

    /// Sends a signal and waits for the end.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) -> Int32 {
        if status == nil { kill(id, signal) }
        return wait()
    }

    /// Waits for the end; returns the exit status, or that of the shell for a signal.
    @discardableResult
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(id, &raw, 0) < 0 && errno == EINTR {}
        let ended = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        status = ended
        return ended
    }

    /// Everything written until the end; needs `captures`.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count > 0 { bytes.append(contentsOf: buffer[..<count]) } else if count == 0 || errno != EINTR { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs a tool to its end; throws what it wrote where it fails.
    static func output(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> String {
        let child = try ChildProcess(path, arguments, environment: environment, captures: true)
        let text = child.readAll()
        guard child.wait() == 0 else { throw BenchProblem("\(path): \(text.prefix(300))") }
        return text
    }

    static var environment: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return variables
    }
}
