package import Logging
internal import Synchronization

/// The level from which lines are written; may change while the program runs.
package final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    package init(_ level: Logger.Level = .info) {
        index = Atomic(Self.index(level))
    }

    package var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(newValue), ordering: .relaxed) }
    }

    private static func index(_ level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
