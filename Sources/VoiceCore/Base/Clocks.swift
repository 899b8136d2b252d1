internal import CLinux
internal import Glibc

/// The clock for all time stamps: CLOCK_MONOTONIC, which sound cards use too.
package enum Monotonic {
    /// Time since an arbitrary instant in the past, the same for all threads and processes of the machine.
    package static func now() -> Duration {
        Duration(nanoseconds: clinux_monotonic_ns())
    }
}

extension Duration {
    package init(nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// Whole milliseconds, for the log; limited to about 30,000 years.
    package var milliseconds: Int64 {
        min(max(components.seconds, -Self.longestSeconds), Self.longestSeconds) * 1000
            + components.attoseconds / 1_000_000_000_000_000
    }

    private static let longestSeconds: Int64 = 1_000_000_000_000

    /// Milliseconds including the fraction.
    package var fractionalMilliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
    }

    /// Whole milliseconds, rounded up: a timeout of libcurl or poll must not end early and then spin.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard (-(1 << 31)..<1 << 31).contains(seconds) else { return seconds < 0 ? -(1 << 31) : 1 << 31 }
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Seconds for use in a sentence, to a tenth: "5 s", "7.5 s".
    package var inSeconds: String {
        let tenths = (wholeMilliseconds + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}

/// Limits the time spent waiting for work.
package enum TimeLimit {
    /// Returns the result of `body`; nil if `limit` has passed or the task is cancelled. The work is then cancelled,
    /// without waiting for its end, since it may hang in a system call.
    ///
    /// - Parameter sleep: waits for `limit`; uses the clock of the machine, or that of a test.
    package static func run<Result: Sendable>(
        _ limit: Duration,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Sleep.for($0) },
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let begins = Promise<Bool>()
        let first = Promise<Result?>()
        let work = Task {
            // Work of a task already cancelled must not begin: another task may have replaced it.
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
