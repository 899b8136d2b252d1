import CCurl
import Synchronization

/// Queues work for the network thread from any other thread, and wakes it.
///
/// Every command is an order, such as an end, a cancel or a cut, so none is refused while the thread runs. Their number is
/// bounded where they come from, by the callers' own queues.
final class CommandQueue: Sendable {
    typealias Command = @Sendable (NetworkLoop) -> Void

    private struct State {
        var commands: [Command] = []
        /// The address of the multi handle, from the start of the thread to its end. libcurl allows waking it from any
        /// thread; the lock keeps it from being freed meanwhile.
        var multi: UInt?
    }

    private let state = Mutex(State())

    func open(waking multi: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: multi)
        state.withLock { $0.multi = address }
    }

    /// False if the thread is not running: there is nothing left to command.
    @discardableResult
    func put(_ command: @escaping Command) -> Bool {
        state.withLock { state in
            guard let multi = state.multi else { return false }
            state.commands.append(command)
            if state.commands.count == 1 { curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi)) }
            return true
        }
    }

    func dequeue() -> [Command] {
        state.withLock { state in
            // Most rounds have no commands and then allocate nothing.
            guard !state.commands.isEmpty else { return [] }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Refuses commands from here on and returns those still queued, for the caller to run.
    func close() -> [Command] {
        state.withLock { state in
            state.multi = nil
            defer { state.commands = [] }
            return state.commands
        }
    }
}
