internal import Glibc
import VoiceBase

/// A child process that inherits no files and is killed when the last reference to it is gone.
final class BenchProcess {
    private let process: ChildProcess
    /// The reading end of the child's standard output and standard error; -1 if they are not captured.
    let output: Int32

    var id: pid_t { process.id }

    /// - Parameters:
    ///   - environment: variables added to those of this process.
    ///   - captures: whether to read the child's output; otherwise it is discarded.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], captures: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        if captures, socketpair(AF_UNIX, kind, 0, &ends) != 0 { throw BenchProblem("no pipe: errno \(errno)") }
        var variables = Self.environment
        variables.merge(environment) { $1 }
        defer { if captures { close(ends[1]) } }
        do {
            process = try ChildProcess(
                [path] + arguments,
                environment: variables.map { "\($0.key)=\($0.value)" },
                output: ends[1],
                errors: ends[1]
            )
        } catch {
            if captures { close(ends[0]) }
            throw BenchProblem("\(path) does not start: \(error)")
        }
        output = ends[0]
    }

    deinit {
        end(SIGKILL)
        if output >= 0 { close(output) }
    }

    /// Sends a signal and waits for the child to exit.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) -> Int32 {
        process.signal(signal)
        return wait()
    }

    /// Waits for the child to exit; returns the exit status, or for a signal the status that the shell would report.
    @discardableResult
    func wait() -> Int32 { process.wait().status }

    /// Reads everything written until the child exits; needs `captures`.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count > 0 { bytes.append(contentsOf: buffer[..<count]) } else if count == 0 || errno != EINTR { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Runs a tool to completion and returns its output; throws it if the tool fails.
    static func output(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> String {
        let child = try BenchProcess(path, arguments, environment: environment, captures: true)
        let text = child.readAll()
        guard child.wait() == 0 else {
            let lines = text.prefix(300).split(whereSeparator: \.isNewline)
            throw BenchProblem("\(path): \(lines.joined(separator: "; "))")
        }
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
