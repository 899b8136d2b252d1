import Synchronization

/// Keeps the first output offered and hands it to the one who waits.
final class FirstOutput: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<ToolOutput, Never>)
        case full(ToolOutput)
    }

    private let state = Mutex(State.empty)

    var isFull: Bool {
        state.withLock { if case .full = $0 { true } else { false } }
    }

    /// False when another output was first.
    @discardableResult
    func offer(_ output: ToolOutput) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<ToolOutput, Never>?) in
            switch state {
            case .full: return (false, nil)
            case .empty:
                state = .full(output)
                return (true, nil)
            case .awaited(let continuation):
                state = .full(output)
                return (true, continuation)
            }
        }
        waiter?.resume(returning: output)
        return isFirst
    }

    /// To be called once.
    func value() async -> ToolOutput {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> ToolOutput? in
                if case .full(let output) = state { return output }
                state = .awaited(continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
