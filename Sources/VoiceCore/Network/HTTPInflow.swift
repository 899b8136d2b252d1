import Synchronization
import VoiceBase

/// What has come in of a reply and was not read yet; filled on the network thread, emptied by one reader.
///
/// Holds a bounded number of bytes. A reader that falls behind stops the connection from being read, so that the server
/// is held up rather than the memory filled.
final class HTTPInflow: Sendable {
    typealias Head = (status: Int, headers: [(name: String, value: String)])

    /// More than one read of a socket.
    static let limit = 256 << 10

    private struct State {
        var bytes: [UInt8] = []
        var end: HTTPFailure??
        var isHeld = false
        var reader: CheckedContinuation<Void, Never>?
    }

    /// Status and headers, or why there are none.
    let head = Promise<Result<Head, HTTPFailure>>()
    private let state = Mutex(State())

    // MARK: Network thread

    func begin(_ head: Head) { self.head.give(.success(head)) }

    /// False when there is no room: the piece must be offered again after `take` has made some.
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

    /// No failure: the reply is complete. Only the first end counts.
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

    /// Waits until there is something to take, or the end.
    func ready() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.bytes.isEmpty, state.end == nil { state.reader = continuation }
                return !state.bytes.isEmpty || state.end != nil
            }
            if isReady { continuation.resume() }
        }
    }

    /// Everything there is; `isHeld` when the connection waits for the room.
    func take() -> (bytes: [UInt8], end: HTTPFailure??, isHeld: Bool) {
        state.withLock { state in
            defer {
                state.bytes = []
                state.isHeld = false
            }
            return (state.bytes, state.end, state.isHeld)
        }
    }
}
