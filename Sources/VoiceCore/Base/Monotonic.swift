internal import CLinux

/// The clock that everything is stamped with: CLOCK_MONOTONIC, the one sound cards use too.
package enum Monotonic {
    /// Time since an arbitrary instant of the past, the same for all threads and processes of the machine.
    package static func now() -> Duration {
        Duration(nanoseconds: clinux_monotonic_ns())
    }
}
