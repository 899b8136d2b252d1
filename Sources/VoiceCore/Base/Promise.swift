internal import Synchronization

/// A value that is given once and awaited by any number of tasks. The first one given counts.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, Never>])
        case kept(Value)
    }

    private let state = Mutex(State.open([]))

    package init() {}

    /// nil until a value is given.
    package var value: Value? {
        state.withLock { if case .kept(let value) = $0 { value } else { nil } }
    }

    /// Gives the value; false if another value was first.
    @discardableResult
    package func give(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>]? in
            guard case .open(let waiting) = state else { return nil }
            state = .kept(value)
            return waiting
        }
        for continuation in waiting ?? [] { continuation.resume(returning: value) }
        return waiting != nil
    }

    /// Waits for the value. Cancelling the task does not end the wait, so a value must be given eventually.
    package func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Value? in
                switch state {
                case .kept(let value): return .some(value)
                case .open(let waiting):
                    state = .open(waiting + [continuation])
                    return nil
                }
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
