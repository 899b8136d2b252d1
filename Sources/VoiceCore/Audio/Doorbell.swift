internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase

/// Wakes the tasks that attend to the audio thread (T1), so that none of them looks again and again.
///
///     T1, DeviceSupervisor, daemon --ring--> eventfd --> thread "jv-bell" --> tasks in `wait`
///
/// It is rung when something changes that a task waits for: a device is given back, sound waits for the loudspeaker, sound begins,
/// a device is new. To ring is one write that never blocks, so T1 may ring between two cycles. The thread also keeps the time for
/// all waiting tasks, and runs from the first `wait` until `close`.
package final class Doorbell: Sendable {
    private struct Waiter {
        /// The rings it knows of.
        var seen: UInt64
        var due: Duration?
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var names = 0
        var waiters: [Int: Waiter] = [:]
        /// Waits whose task was cancelled before they began.
        var cancelled: Set<Int> = []
        /// Until when the thread sleeps unless woken; nil for ever.
        var sleepsUntil: Duration?
        var isRunning = false
        var isClosed = false
    }

    private let descriptor = clinux_eventfd()
    private let count = Atomic<UInt64>(0)
    private let state = Mutex(State())

    package init() {}

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Wakes every task that waits. From any thread, T1 included.
    package func ring() {
        count.wrappingAdd(1, ordering: .releasing)
        clinux_eventfd_signal(descriptor)
    }

    /// The next whole second of the clock. All regular checks happen then, in one wake-up.
    package static func beat(after now: Duration = Monotonic.now()) -> Duration {
        .seconds(now.components.seconds + 1)
    }

    /// How often it has rung.
    package var rings: UInt64 { count.load(ordering: .acquiring) }

    /// Waits until it has rung more often than `seen`, `due` has come on `Monotonic`, or the task is cancelled. Then sets `seen`.
    ///
    /// - Parameter due: nil to wait for the bell alone.
    package func wait(_ seen: inout UInt64, until due: Duration?) async {
        guard start() else {
            try? await Sleep.for(max(.zero, min((due ?? .seconds(3600)) - Monotonic.now(), .seconds(1))))
            return
        }
        let known = seen
        defer { seen = rings }
        let name = state.withLock { state in
            state.names += 1
            return state.names
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { add(Waiter(seen: known, due: due, continuation: $0), name) }
        } onCancel: {
            cancel(name)
        }
        // It may have been cancelled as it woke.
        state.withLock { _ = $0.cancelled.remove(name) }
    }

    /// Waits for the next `beat`, whether it rings or not; false if the task is cancelled.
    package func nextBeat() async -> Bool {
        let due = Self.beat()
        var seen = rings
        while !Task.isCancelled, Monotonic.now() < due { await wait(&seen, until: due) }
        return !Task.isCancelled
    }

    /// Ends the thread. Later waits keep time without it, and wait for a second at most.
    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.continuation.resume() }
        clinux_eventfd_signal(descriptor)
    }

    private func add(_ waiter: Waiter, _ name: Int) {
        let (isOver, isSooner) = state.withLock { state in
            let isCancelled = state.cancelled.remove(name) != nil
            guard rings == waiter.seen, !state.isClosed, !isCancelled else { return (true, false) }
            state.waiters[name] = waiter
            guard let due = waiter.due, state.sleepsUntil.map({ due < $0 }) ?? true else { return (false, false) }
            state.sleepsUntil = due
            return (false, true)
        }
        if isOver { waiter.continuation.resume() }
        if isSooner { clinux_eventfd_signal(descriptor) }
    }

    private func cancel(_ name: Int) {
        let waiter = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: name)
            if waiter == nil { state.cancelled.insert(name) }
            return waiter
        }
        waiter?.continuation.resume()
    }

    // MARK: The thread

    /// Starts the thread, unless it runs; false if there is none.
    private func start() -> Bool {
        let isFirst: Bool? = state.withLock { state in
            guard descriptor >= 0, !state.isClosed else { return nil }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard let isFirst else { return false }
        guard isFirst, !OwnThread.start("jv-bell", { self.work() }) else { return true }
        // Others may wait already.
        close()
        return false
    }

    private func work() {
        while true {
            let pause = state.withLock { state -> Int? in
                if state.isClosed { return nil }
                state.sleepsUntil = state.waiters.values.compactMap(\.due).min()
                guard let due = state.sleepsUntil else { return -1 }
                return max(0, (due - Monotonic.now()).wholeMilliseconds)
            }
            guard let pause else { return }
            _ = clinux_wait_readable(descriptor, Int32(clamping: pause))
            _ = clinux_eventfd_take(descriptor)
            for continuation in woken() { continuation.resume() }
        }
    }

    private func woken() -> [CheckedContinuation<Void, Never>] {
        let (rings, now) = (rings, Monotonic.now())
        return state.withLock { state in
            let woken = state.waiters.filter { $0.value.seen != rings || $0.value.due.map { $0 <= now } ?? false }
            for name in woken.keys { state.waiters[name] = nil }
            return woken.values.map(\.continuation)
        }
    }
}
