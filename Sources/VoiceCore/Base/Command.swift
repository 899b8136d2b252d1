internal import CLinux
internal import Glibc

/// Runs another program and captures its standard output; for queries to the system.
package enum Command {
    /// The output of a program that ended with status 0 within the limit; nil otherwise.
    ///
    /// - Parameters:
    ///   - arguments: the program, looked up in PATH, and its arguments; never a secret, since every user can see them.
    ///   - maximumBytes: if the output is longer, the program is killed.
    package static func output(
        _ arguments: [String],
        limit: Duration = .seconds(5),
        maximumBytes: Int = 4 << 20
    ) async -> [UInt8]? {
        await OwnThread.run("jv-command") { run(arguments, limit: limit, maximumBytes: maximumBytes) }
    }

    /// The same on the caller's thread, which it blocks.
    ///
    /// - Parameter environment: its whole environment as "NAME=value"; nil for that of this process.
    package static func run(
        _ arguments: [String],
        environment: [String]? = nil,
        limit: Duration,
        maximumBytes: Int
    ) -> [UInt8]? {
        guard !arguments.isEmpty else { return nil }
        var descriptors: [Int32] = [-1, -1]
        guard clinux_pipe(&descriptors) == 0 else { return nil }
        let ends = (descriptors[0], descriptors[1])
        let process = try? ChildProcess(arguments, environment: environment, output: ends.1)
        close(ends.1)
        defer { close(ends.0) }
        guard let process else { return nil }
        let output = read(from: ends.0, until: Monotonic.now() + limit, maximumBytes: maximumBytes)
        if output == nil { process.signal(SIGKILL) }
        // The program may close its output and continue.
        return process.wait(within: .seconds(1)) == .exited(0) ? output : nil
    }

    /// Returns the output; nil if it does not end in time or is too long.
    private static func read(from file: Int32, until end: Duration, maximumBytes: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let left = end - Monotonic.now()
            guard left > .zero else { return nil }
            guard clinux_wait_readable(file, Int32(clamping: left.wholeMilliseconds)) > 0 else { continue }
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
            guard bytes.count <= maximumBytes else { return nil }
        }
    }

    /// Why a program failed.
    package enum Failure: Error, Equatable, Sendable {
        /// The program could not be started, for instance because it is not installed.
        case notStarted(errno: Int32)
        case tookTooLong
        /// The program ended with another status than 0; these are the last lines that it wrote to standard error, from
        /// outside.
        case failed([String])
    }

    /// Runs a program to its end. It is killed if this process ends first, where setpriv (util-linux) is installed.
    ///
    /// - Parameter arguments: the program, looked up in PATH, and its arguments; never a secret.
    /// - Returns: why it failed; nil if it ended with status 0.
    package static func failure(of arguments: [String], limit: Duration) async -> Failure? {
        await OwnThread.run("jv-command") {
            var errors = ErrorPipe(isOpen: true)
            let child: ChildProcess
            do throws(SystemError) {
                // Finds the program first: setpriv would start anyway, and a missing program would look like one that fails.
                guard let program = arguments.first, let path = find(program) else { throw SystemError(code: ENOENT) }
                let wrapper = find("setpriv").map { [$0, "--pdeathsig", "KILL"] } ?? []
                child = try ChildProcess(wrapper + [path] + arguments.dropFirst(), errors: errors.input)
            } catch {
                return .notStarted(errno: error.code)
            }
            errors.closeInput()
            let deadline = Monotonic.now() + limit
            while !child.hasEnded {
                usleep(10_000)
                errors.drain()
                if Monotonic.now() > deadline {
                    child.end()
                    return .tookTooLong
                }
            }
            errors.drain()
            return child.wait() == .exited(0) ? nil : .failed(errors.lines)
        }
    }

    /// The path of a program in PATH.
    private static func find(_ program: String) -> String? {
        if program.contains("/") { return program }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}

/// Reads a program's standard error and keeps its end, so that a program that writes much is not held up.
package struct ErrorPipe: ~Copyable {
    private static let most = 4096
    private static let longestReason = 400

    /// The descriptor for the program; -1 to discard what it writes.
    package private(set) var input: Int32 = -1
    private var output: Int32 = -1
    private var end: [UInt8] = []

    /// - Parameter isOpen: false discards everything.
    package init(isOpen: Bool) {
        var ends: [Int32] = [-1, -1]
        if isOpen, clinux_pipe(&ends) == 0 { (output, input) = (ends[0], ends[1]) }
    }

    deinit {
        if input >= 0 { close(input) }
        if output >= 0 { close(output) }
    }

    /// Closes this side's copy of `input`, once the program has its own.
    package mutating func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Reads the available bytes, without waiting.
    package mutating func drain() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // A program that writes without end must not hold up the caller.
        for _ in 0..<16 where output >= 0 && clinux_wait_readable(output, 0) > 0 {
            let count = Glibc.read(output, &chunk, chunk.count)
            guard count > 0 else { return }
            end = (end + chunk[..<count]).suffix(Self.most)
        }
    }

    /// The last lines; text from outside, each without control characters and bounded.
    package var lines: [String] {
        end.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map {
            let printable = String(decoding: $0, as: UTF8.self).unicodeScalars
                .filter { $0.value >= 32 && !(127..<160 ~= $0.value) }
            return String(String.UnicodeScalarView(printable)).bounded(toBytes: Self.longestReason)
        }
    }

    /// The last line that names an error, else the last line; nil if there is none.
    package var reason: String? { Self.reason(in: lines) }

    /// - Parameter lines: one that ends in a colon only announces the error: "ERROR: Exception:".
    package static func reason(in lines: [String]) -> String? {
        lines.last { $0.hasPrefix("ERROR:") && !$0.hasSuffix(":") } ?? lines.last
    }
}
