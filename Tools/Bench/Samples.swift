import CLinux
import VoiceBase

/// Measured values of one kind.
struct Samples: Sendable {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var count: Int { sorted.count }
    var median: Double { sorted.quantile(0.5) ?? .nan }
    var p99: Double { sorted.quantile(0.99) ?? .nan }
    var maximum: Double { sorted.last ?? .nan }
}

/// Times a short piece of code.
enum TightLoop {
    /// Microseconds of single runs of `body`, from `rounds` groups of `repeats` runs.
    static func microseconds(rounds: Int, repeats: Int, _ body: () -> Void) -> Samples {
        for _ in 0..<repeats { body() }
        return Samples(
            (0..<rounds).map { _ in
                let began = clinux_monotonic_ns()
                for _ in 0..<repeats { body() }
                return Double(clinux_monotonic_ns() - began) / 1e3 / Double(repeats)
            }
        )
    }
}

/// Keeps the compiler from omitting work whose result is not used.
@inline(never)
func keep<T>(_ value: T) {}
