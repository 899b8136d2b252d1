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
        // It may close its output and go on.
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
}
