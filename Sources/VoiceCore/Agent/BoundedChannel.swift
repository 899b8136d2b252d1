import Synchronization

/// Passes elements from many senders to one receiver, in order.
///
/// Holds a bounded number of elements and drops any beyond it, which happens only to a run without a reader; its last
/// element is never dropped.
final class BoundedChannel<Element: Sendable>: Sendable {
    private typealias Waiter = (id: Int, continuation: CheckedContinuation<Void, Never>)

    private struct State {
        var elements: [Element] = []
        var waiter: Waiter?
        var waits = 0
    }

    private static var capacity: Int { 64 }
    private let state = Mutex(State())

    /// - Parameter isLast: nothing follows; it is accepted even if the channel is full.
    func send(_ element: Element, isLast: Bool = false) {
        let waiter = state.withLock { state in
            if isLast || state.elements.count < Self.capacity { state.elements.append(element) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.continuation.resume()
    }

    /// Returns the next element; nil if the task is cancelled first. One caller waits at a time, here or in `hasNext`.
    func next() async -> Element? {
        guard await hasNext() else { return nil }
        return state.withLock { $0.elements.isEmpty ? nil : $0.elements.removeFirst() }
    }

    /// Waits for an element without removing it; false if the task is cancelled first.
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
            // A wait cancelled before it begins must not end the one that came after it.
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
