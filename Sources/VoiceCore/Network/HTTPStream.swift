import Synchronization
internal import VoiceBase

/// The reply to an `HTTPRequest` while it is still arriving. For one reader; releasing it closes the connection.
package final class HTTPStream: Sendable {
    /// The reply without its body.
    package let head: HTTPResponse
    private let call: HTTPCall
    private let inflow: HTTPInflow
    private let queue: CommandQueue
    private let unpacking: Mutex<Unpacking>

    /// A compressed body.
    private struct Unpacking {
        var inflater: Inflater?
        /// Bytes unpacked so far.
        var count = 0
    }

    init(head: HTTPInflow.Head, call: HTTPCall, inflow: HTTPInflow, queue: CommandQueue) {
        self.head = HTTPResponse(status: head.status, headers: head.headers)
        self.call = call
        self.inflow = inflow
        self.queue = queue
        let isPacked = TransferCoding(head.headers).isCompressed
        unpacking = Mutex(Unpacking(inflater: isPacked ? Inflater() : nil))
    }

    deinit { close() }

    /// Returns the next bytes of the body; nil once it is complete. Cancelling the task closes the connection.
    ///
    /// A compressed body is unpacked by the reader, a slice per call.
    package func next() async throws(HTTPFailure) -> [UInt8]? {
        while true {
            if let content = try unpacked() { return content }
            guard let piece = try await received() else { return nil }
            let isPacked = unpacking.withLock { state in
                state.inflater?.add(piece)
                return state.inflater != nil
            }
            if !isPacked { return piece }
        }
    }

    /// Returns the next slice of what has arrived; nil if there is none, or the body is not compressed.
    private func unpacked() throws(HTTPFailure) -> [UInt8]? {
        let limit = call.request.maximumReplyBytes
        return try unpacking.withLock { state throws(HTTPFailure) in
            let content: [UInt8]?
            do throws(Inflater.Malformed) { content = try state.inflater?.next() } catch { throw .badCoding }
            state.count += content?.count ?? 0
            if state.count > limit { throw .replyTooLarge(limit: limit) }
            return content
        }
    }

    private func received() async throws(HTTPFailure) -> [UInt8]? {
        await withTaskCancellationHandler {
            await inflow.ready()
        } onCancel: {
            close()
        }
        let piece = inflow.dequeue()
        if piece.isHeld {
            let call = call
            _ = queue.put { $0.resume(call) }
        }
        guard piece.bytes.isEmpty, let end = piece.end else { return piece.bytes }
        if let failure = end { throw failure }
        return nil
    }

    /// Closes the connection unless the reply is complete.
    package func close() {
        call.cancel()
        inflow.end(.cancelled)
        let call = call
        _ = queue.put { $0.cancel(call) }
    }
}

extension NetworkThread {
    /// Begins an exchange and returns when the head of the reply has arrived; the body is read from the stream.
    ///
    /// `totalTimeout` covers everything to the last byte; `maximumReplyBytes` bounds the whole body.
    package func open(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPStream {
        let inflow = HTTPInflow()
        let call = HTTPCall(request, inflow: inflow)
        let queue = commands
        if !queue.put({ $0.start(call) }) { throw .other("the network thread does not run") }
        let head = await withTaskCancellationHandler {
            await inflow.head.wait()
        } onCancel: {
            call.cancel()
            inflow.end(.cancelled)
            _ = queue.put { $0.cancel(call) }
        }
        return HTTPStream(head: try head.get(), call: call, inflow: inflow, queue: queue)
    }
}
