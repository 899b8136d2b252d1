/// One benchmark.
struct Benchmark: Sendable {
    /// Its name on the command line.
    let name: String
    /// Its heading, which states what is measured.
    let title: String
    /// - Parameter isQuick: whether a shorter, coarser measurement is enough.
    let run: @Sendable (_ isQuick: Bool) async throws -> [Figure]
}

/// All benchmarks, in the order of the table.
enum Benchmarks {
    static let all: [Benchmark] = [
        CallsBenchmark.benchmark, UplinkBenchmark.benchmark, PlayoutBenchmark.benchmark, DaemonBenchmark.benchmark,
        RestBenchmark.benchmark, PeerBenchmark.benchmark, ProgramBenchmark.benchmark, CodecBenchmark.benchmark,
    ]
}

/// Why a benchmark could not run.
struct BenchProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
