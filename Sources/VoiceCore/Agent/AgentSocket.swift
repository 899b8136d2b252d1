internal import VoiceBase
internal import VoiceNetwork

/// A WebSocket to the agent. For one reader.
package protocol JarvisSocket: Sendable {
    /// Waits for the next message; fails once the connection has ended. Cancelling the task ends the wait.
    func next() async -> Result<[UInt8], JarvisFailure>
    /// Has no effect once the connection has ended.
    func send(_ text: String)
    func close()
}

/// A WebSocket of the network thread, read by a task.
final class AgentSocket: JarvisSocket {
    /// Bytes of all messages of one connection, which serves one question.
    private static let mostBytes = 4 * JarvisRequest.maximumReplyBytes

    private let messages: AsyncStream<Result<[UInt8], JarvisFailure>>
    private let handle: WebSocketHandle

    private init(_ messages: AsyncStream<Result<[UInt8], JarvisFailure>>, _ handle: WebSocketHandle) {
        (self.messages, self.handle) = (messages, handle)
    }

    deinit { close() }

    /// Opens a WebSocket.
    static func open(_ request: WebSocketRequest, on network: NetworkThread) async -> Result<AgentSocket, JarvisFailure>
    {
        // Bounded by `mostBytes`.
        let (messages, arriving) = AsyncStream.makeStream(
            of: Result<[UInt8], JarvisFailure>.self, bufferingPolicy: .unbounded
        )
        let opening = Promise<JarvisFailure?>()
        let handle = network.connect(request) { connection in Driver(connection, arriving, opening) }
        guard let handle else { return .failure(.offline(detail: "the network thread does not run")) }
        let socket = AgentSocket(messages, handle)
        let failure = await withTaskCancellationHandler {
            await opening.wait()
        } onCancel: {
            opening.give(.cancelled)
            handle.close()
        }
        return failure.map { .failure($0) } ?? .success(socket)
    }

    func next() async -> Result<[UInt8], JarvisFailure> {
        var iterator = messages.makeAsyncIterator()
        return await iterator.next() ?? .failure(.cancelled)
    }

    func send(_ text: String) { handle.perform { ($0 as? Driver)?.send(text) } }

    func close() { handle.close() }

    /// Lives on the network thread.
    private final class Driver: WebSocketDriver {
        private let connection: WebSocketConnection
        private let arriving: AsyncStream<Result<[UInt8], JarvisFailure>>.Continuation
        private let opening: Promise<JarvisFailure?>
        private var bytes = 0

        init(
            _ connection: WebSocketConnection,
            _ arriving: AsyncStream<Result<[UInt8], JarvisFailure>>.Continuation,
            _ opening: Promise<JarvisFailure?>
        ) {
            (self.connection, self.arriving, self.opening) = (connection, arriving, opening)
        }

        func send(_ text: String) { _ = connection.send(text: text) }

        func opened() { opening.give(nil) }

        func received(text: UnsafeRawBufferPointer) {
            bytes += text.count
            guard bytes <= AgentSocket.mostBytes else {
                arriving.yield(.failure(.tooLarge))
                return connection.close()
            }
            arriving.yield(.success(Array(text)))
        }

        func received(binary: UnsafeRawBufferPointer) {}

        func closed(_ closure: WebSocketClosure) {
            let failure = JarvisFailure(closure)
            opening.give(failure)
            arriving.yield(.failure(failure))
            arriving.finish()
        }
    }
}

extension JarvisFailure {
    /// Why a WebSocket to the agent has ended.
    init(_ closure: WebSocketClosure) {
        let detail = JarvisReply.shortened(closure.description)
        self =
            switch closure {
            case .refused(let refusal) where refusal.status == 401: .authentication
            case .refused, .failed(.handshake): .wrongBasePath(hint: detail)
            case .failed(.cannotResolve), .failed(.cannotConnect), .failed(.badURL), .failed(.timedOut(.opening)):
                .offline(detail: detail)
            case .failed(.tls): ClockInstant.now().isPlausible ? .untrusted(detail: detail) : .noClock
            case .failed(.exposed(let host, let address)): .insecure(host: host, address: address)
            default: .cutOff(detail: detail)
            }
    }
}
