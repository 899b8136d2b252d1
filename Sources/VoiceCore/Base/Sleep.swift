internal import Synchronization

/// Sleeps that can be cancelled and leave nothing behind.
///
/// A cancelled `Task.sleep` keeps its memory until it would have ended. That adds up if every event cancels a timer and starts
/// another one: a flood of events once cost 8 MB/s. Here the sleepers share alarms, which are never cancelled: an alarm that
/// rings wakes the sleepers that are due, and another one is set only if a sleeper is due before the first alarm. So the alarms
/// are as few as the different lengths of sleep.
package enum Sleep {
    private static let shared = Alarms()

    /// Sleeps like `Task.sleep(for:)`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package static func `for`(_ pause: Duration) async throws {
        try await shared.sleep(for: pause)
    }
}

/// The sleepers, and the alarms that wake them.
final class Alarms: Sendable {
    private struct Sleeper {
        var due: ContinuousClock.Instant
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var sleepers: [Int: Sleeper] = [:]
        /// Sleepers whose task was cancelled before they slept, or as they woke.
        var cancelled: Set<Int> = []
        var names = 0
        /// When the alarms ring, in falling order.
        var alarms: [ContinuousClock.Instant] = []
    }

    private let state = Mutex(State())

    init() {}

    /// The number of alarms that are set, and of sleepers.
    var count: Int { state.withLock { $0.alarms.count } }
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    func sleep(for pause: Duration) async throws {
        try Task.checkCancellation()
        let due = ContinuousClock.now + pause
        let name = state.withLock { state in
            state.names += 1
            return state.names
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard state.cancelled.remove(name) == nil else { return true }
                    state.sleepers[name] = Sleeper(due: due, continuation: continuation)
                    setAlarm(for: due, in: &state)
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            cancel(name)
        }
        // It may have been cancelled as it woke.
        state.withLock { _ = $0.cancelled.remove(name) }
        guard isOver else { throw CancellationError() }
    }

    private func cancel(_ name: Int) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: name)
            if sleeper == nil { state.cancelled.insert(name) }
            return sleeper
        }
        sleeper?.continuation.resume(returning: false)
    }

    private func setAlarm(for due: ContinuousClock.Instant, in state: inout State) {
        if let first = state.alarms.last, first <= due { return }
        state.alarms.append(due)
        Task {
            try? await Task.sleep(until: due, clock: .continuous)
            ring(due)
        }
    }

    private func ring(_ alarm: ContinuousClock.Instant) {
        let woken = state.withLock { state in
            state.alarms.removeAll { $0 == alarm }
            let now = max(alarm, .now)
            let woken = state.sleepers.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }
            for (name, _) in woken { state.sleepers[name] = nil }
            if let next = state.sleepers.values.map(\.due).min() { setAlarm(for: next, in: &state) }
            return woken
        }
        for (_, sleeper) in woken { sleeper.continuation.resume(returning: true) }
    }
}
