internal import CLinux

/// The clock that everything is stamped with: CLOCK_MONOTONIC, the one sound cards use too.
package enum Monotonic {
    /// Time since an arbitrary instant of the past, the same for all threads and processes of the machine.
    package static func now() -> Duration {
        Duration(nanoseconds: clinux_monotonic_ns())
    }
}

extension Duration {
    package init(nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Whole milliseconds, for the log; of more than 30,000 years those of 30,000 years.
    package var milliseconds: Int64 {
        min(max(components.seconds, -Self.longestSeconds), Self.longestSeconds) * 1000
            + components.attoseconds / 1_000_000_000_000_000
    }

    private static let longestSeconds: Int64 = 1_000_000_000_000

    /// Milliseconds with their fraction.
    package var fractionalMilliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
    }

    /// Rounded up: a timeout of libcurl or poll must not end early and then spin.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard (-(1 << 31)..<1 << 31).contains(seconds) else { return seconds < 0 ? -(1 << 31) : 1 << 31 }
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Seconds for a sentence, to a tenth: "5 s", "7.5 s".
    package var inSeconds: String {
        let tenths = (wholeMilliseconds + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}

/// Waits for work at most so long.
package enum TimeLimit {
    /// The result of `body`, or nil once `limit` is over: the work is cancelled then and left to itself, since it may hang
    /// in a system call.
    package static func run<Result: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let first = Promise<Result?>()
        let work = Task { first.give(await body()) }
        let clock = Task {
            try? await Task.sleep(for: limit)
            guard !Task.isCancelled else { return }
            work.cancel()
            first.give(nil)
        }
        defer { clock.cancel() }
        return await first.wait()
    }
}
