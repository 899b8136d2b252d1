internal import Glibc

/// The time of day.
package enum WallClock {
    /// Unix seconds.
    package static func seconds() -> Int { time(nil) }
}
