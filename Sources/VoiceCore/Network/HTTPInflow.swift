import Synchronization
import VoiceBase

/// The part of a reply received but not yet read; filled on the network thread, emptied by one reader.
///
/// Bounded: if the reader falls behind, the connection is no longer read, which holds up the server instead of filling
/// memory.
final class HTTPInflow: Sendable {
    typealias Head = (status: Int, headers: [(name: String, value: String)])

    /// In bytes; more than one read of a socket.
    static let limit = 256 << 10

    private struct State {
        var bytes: [UInt8] = []
        var end: HTTPFailure??
        var isHeld = false
        var reader: CheckedContinuation<Void, Never>?
    }

    /// Status and headers, or the failure.
    let head = Promise<Result<Head, HTTPFailure>>()
    private let state = Mutex(State())

    // MARK: Network thread

    func begin(_ head: Head) { self.head.give(.success(head)) }

    /// False if there is no room: the piece must be offered again after `dequeue` has made some.
    func offer(_ piece: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, reader) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.bytes.isEmpty || state.bytes.count + piece.count <= Self.limit else {
                state.isHeld = true
                return (false, nil)
            }
            state.bytes.append(contentsOf: piece)
            defer { state.reader = nil }
            return (true, state.reader)
        }
        reader?.resume()
        return isTaken
    }

    /// Ends the body; nil if the reply is complete. Only the first end counts.
    func end(_ failure: HTTPFailure?) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = .some(failure) }
            defer { state.reader = nil }
            return state.reader
        }
        head.give(.failure(failure ?? .reset("no reply")))
        reader?.resume()
    }

    // MARK: Reader

    /// Waits until there are bytes to take, or until the end.
    func ready() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.bytes.isEmpty, state.end == nil { state.reader = continuation }
                return !state.bytes.isEmpty || state.end != nil
            }
            if isReady { continuation.resume() }
        }
    }

    /// Takes everything; `isHeld` if the connection is waiting for room.
    func dequeue() -> (bytes: [UInt8], end: HTTPFailure??, isHeld: Bool) {
        state.withLock { state in
            defer {
                state.bytes = []
                state.isHeld = false
            }
            return (state.bytes, state.end, state.isHeld)
        }
    }
}
