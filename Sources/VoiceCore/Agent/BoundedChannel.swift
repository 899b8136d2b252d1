import Synchronization

/// Hands elements from those who send to the one who receives, in order.
///
/// Keeps a bounded number; an element beyond it is dropped, which only work that nobody follows can reach.
final class BoundedChannel<Element: Sendable>: Sendable {
    private typealias Waiter = (id: Int, continuation: CheckedContinuation<Void, Never>)

    private struct State {
        var elements: [Element] = []
        var waiter: Waiter?
        var waits = 0
    }

    private static var capacity: Int { 64 }
    private let state = Mutex(State())

    func send(_ element: Element) {
        let waiter = state.withLock { state in
            if state.elements.count < Self.capacity { state.elements.append(element) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.continuation.resume()
    }

    /// The next element; nil when the task is cancelled first. One caller waits at a time, here or in `hasNext`.
    func next() async -> Element? {
        guard await hasNext() else { return nil }
        return state.withLock { $0.elements.isEmpty ? nil : $0.elements.removeFirst() }
    }

    /// Waits until there is an element and leaves it there; false when the task is cancelled first.
    func hasNext() async -> Bool {
        let id = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    let isReady = !state.elements.isEmpty || Task.isCancelled
                    if !isReady { state.waiter = (id, continuation) }
                    return isReady
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            // A wait that is cancelled before it begins must not end the one that came after it.
            let waiter = state.withLock { state -> Waiter? in
                guard state.waiter?.id == id else { return nil }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.continuation.resume()
        }
        return state.withLock { !$0.elements.isEmpty }
    }
}
