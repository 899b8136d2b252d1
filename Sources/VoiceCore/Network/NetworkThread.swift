import CCurl
import Glibc
import Synchronization
import VoiceBase

/// The thread on which network I/O happens: WebSockets, small HTTP exchanges, and other connections.
///
///     any thread -- command queue + wake-up --> [ jv-net: libcurl multi, drivers ] -- driver's callbacks
///
/// Starts once; a stopped thread does not start again.
package final class NetworkThread: Sendable {
    private enum State {
        case idle
        case running(OwnThread)
        case stopped(wasRunning: Bool)
    }

    private let label: String
    private let queue = CommandQueue()
    var commands: CommandQueue { queue }
    private let state = Mutex(State.idle)
    private let lastID = Atomic<UInt64>(0)
    private let end = Promise<Void>()

    /// - Parameter label: the thread's name, at most 15 bytes.
    package init(label: String = "jv-net") { self.label = label }

    /// Starts the thread, with every signal masked.
    package func start() throws {
        try state.withLock { state in
            guard case .idle = state else { throw NetworkThreadError.startedBefore }
            guard globalInit == CURLE_OK, let multi = curl_multi_init() else { throw NetworkThreadError.libcurl }
            // From here on only the thread uses it, except to wake it.
            nonisolated(unsafe) let handle = multi
            let (queue, end) = (queue, end)
            do throws(SystemError) {
                let thread = try OwnThread(label) {
                    NetworkLoop(multi: handle, queue: queue).run()
                    end.give(())
                }
                state = .running(thread)
            } catch {
                curl_multi_cleanup(multi)
                throw NetworkThreadError.thread(errno: error.code)
            }
            queue.open(waking: multi)
        }
    }

    /// Closes WebSockets with code 1000, cancels HTTP, and returns when the thread has ended, within about a second.
    package func stop(within bound: Duration = .seconds(1)) async {
        let before = state.withLock { state in
            defer { state = if case .idle = state { .stopped(wasRunning: false) } else { .stopped(wasRunning: true) } }
            return state
        }
        guard case .running(let thread) = before else {
            // Another caller is stopping it or has stopped it.
            if case .stopped(wasRunning: true) = before { await end.wait() }
            return
        }
        // Refused only if the thread has ended meanwhile.
        _ = queue.put { $0.stop(within: bound) }
        await end.wait()
        // The thread resumed us as its last act, so this takes microseconds.
        thread.join()
    }

    /// Waits until the thread has ended, whether it was stopped or failed.
    package func ended() async { await end.wait() }

    /// Runs `body` on the network thread soon; false if the thread is not running.
    @discardableResult
    package func enqueue(_ body: @escaping @Sendable () -> Void) -> Bool {
        queue.put { _ in body() }
    }

    /// Calls `ticker` on the network thread after every round, and when the pause it returned has passed.
    ///
    /// - Parameter ticker: returns how long until its next call; nil to be called only on activity.
    package func add(ticker: @escaping @Sendable () -> Duration?) {
        queue.put { $0.add(ticker: ticker) }
    }

    /// Performs a whole small HTTP exchange; any status is a reply.
    ///
    /// Cancelling the task closes the connection immediately.
    package func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let call = HTTPCall(request)
        let queue = queue
        let result = await withTaskCancellationHandler {
            if !queue.put({ $0.start(call) }) {
                call.finish(.failure(.other("the network thread does not run")))
            }
            return await call.reply.wait()
        } onCancel: {
            call.cancel()
            _ = queue.put { $0.cancel(call) }
        }
        return try result.get()
    }

    /// Opens a WebSocket.
    ///
    /// - Parameter makeDriver: called on the network thread; the driver lives there only.
    /// - Returns: nil, without calling `makeDriver`, if the thread is not running.
    @discardableResult
    package func connect(
        _ request: WebSocketRequest,
        makeDriver: @escaping @Sendable (WebSocketConnection) -> any WebSocketDriver
    ) -> WebSocketHandle? {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let accepted = queue.put { loop in
            let connection = WebSocketConnection(request)
            connection.attach(makeDriver(connection))
            loop.add(connection, id: id)
        }
        return accepted ? WebSocketHandle(id: id, queue: queue) : nil
    }

    /// Serves a connection made on this thread, until it has ended; does nothing if the thread is not running.
    package func serve(_ connection: any NetworkSocket) {
        // Does not leave the thread.
        nonisolated(unsafe) let connection = connection
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        queue.put { $0.add(connection, id: id) }
    }
}

/// Why the network thread did not start.
package enum NetworkThreadError: Error, CustomStringConvertible {
    case startedBefore
    case libcurl
    case thread(errno: Int32)

    package var description: String {
        switch self {
        case .startedBefore: "the network thread was started before"
        case .libcurl: "libcurl could not be initialised"
        case .thread(let errno): "the network thread could not be started: \(String(cString: strerror(errno)))"
        }
    }
}

private let globalInit = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
