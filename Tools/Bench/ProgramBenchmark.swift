import CLinux
internal import Glibc

/// Size of the executable, and the time to its first line.
enum ProgramBenchmark {
    static let benchmark = Benchmark(name: "program", title: "The program jarvis-voiced", run: run)

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        guard access(Program.daemon, X_OK) == 0 else { throw BenchProblem("\(Program.daemon) was not built") }
        var figures = [
            Figure(
                "start -> first line of the log",
                Samples(try (0..<(isQuick ? 3 : 15)).map { _ in try start() }),
                unit: "ms"
            )
        ]
        let copy = "/tmp/voice-bench-\(getpid()).stripped"
        defer { unlink(copy) }
        do {
            _ = try BenchProcess.output("strip", ["-o", copy, Program.daemon])
            figures.append(Figure("size, stripped", megabytes(copy), unit: "MB"))
        } catch {
            figures.append(Figure("size, not stripped", megabytes(Program.daemon), unit: "MB", note: "\(error)"))
        }
        return figures
    }

    /// Milliseconds from the start of the process to the first bytes of its log.
    private static func start() throws -> Double {
        let began = clinux_monotonic_ns()
        // There is no such card: the daemon logs that it starts, then why it cannot.
        let child = try BenchProcess(
            Program.daemon,
            ["run"],
            environment: [
                "OPENAI_API_KEY": SimulatedServices.key, "JARVIS_TOKEN": SimulatedServices.token,
                "ALSA_CONFIG_PATH": "/dev/null",
            ],
            captures: true
        )
        var first = [UInt8](repeating: 0, count: 1)
        guard read(child.output, &first, 1) == 1 else { throw BenchProblem("the daemon says nothing") }
        let took = Double(clinux_monotonic_ns() - began) / 1e6
        child.end()
        return took
    }

    private static func megabytes(_ path: String) -> Double {
        var status = stat()
        return stat(path, &status) == 0 ? Double(status.st_size) / Double(1 << 20) : .nan
    }
}

/// The daemon's executable, in the same folder as this one.
enum Program {
    static let daemon: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/jarvis-voiced"
    }()
}
