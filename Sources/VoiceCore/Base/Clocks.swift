internal import CLinux
internal import Glibc

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
    /// The result of `body`, or nil once `limit` is over or the task is cancelled: the work is cancelled then, and nobody
    /// waits for its end, since it may hang in a system call.
    ///
    /// - Parameter sleep: lets `limit` pass; the clock of the machine, or a test's.
    package static func run<Result: Sendable>(
        _ limit: Duration,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let begins = Promise<Bool>()
        let first = Promise<Result?>()
        let work = Task {
            // Work of a task that is cancelled already must not begin: somebody else may have taken its place.
            if await begins.wait() { first.give(await body()) }
        }
        let clock = Task {
            await sleep(limit)
            work.cancel()
            first.give(nil)
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            begins.give(true)
            return await first.wait()
        } onCancel: {
            begins.give(false)
            work.cancel()
            first.give(nil)
        }
    }
}

/// The time of day.
package enum WallClock {
    /// Unix seconds.
    package static func seconds() -> Int { time(nil) }
}
