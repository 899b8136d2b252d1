import Synchronization

/// Hands the steps of one piece of work to the one who waits for them, in order.
///
/// Keeps a bounded number; a step beyond it is dropped, which only work that nobody follows can reach.
final class BoundedChannel<Step: Sendable>: Sendable {
    private struct State {
        var steps: [Step] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private static var limit: Int { 64 }
    private let state = Mutex(State())

    func post(_ step: Step) { put(step) { $0.append(step) } }

    /// Gives back a step that was taken by somebody else than the one it was for.
    func putBack(_ step: Step) { put(step) { $0.insert(step, at: 0) } }

    private func put(_ step: Step, _ place: (inout [Step]) -> Void) {
        let waiter = state.withLock { state in
            if state.steps.count < Self.limit { place(&state.steps) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The next step; nil when the task is cancelled first. For one caller at a time.
    func next() async -> Step? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    let isReady = !state.steps.isEmpty || Task.isCancelled
                    if !isReady { state.waiter = continuation }
                    return isReady
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
        return state.withLock { $0.steps.isEmpty ? nil : $0.steps.removeFirst() }
    }
}

/// Waits for something, but not for ever.
enum Patience {
    /// The value, or nil once `limit` has passed; the work is cancelled then and must end at that.
    static func value<Value: Sendable>(
        within limit: Duration,
        sleep: @escaping @Sendable (Duration) async -> Void,
        of work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await work() }
            group.addTask {
                await sleep(limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
