import VoiceNetwork

/// Echoes everything received, or performs one task once the connection is open.
final class EchoDriver: WebSocketDriver {
    enum Task {
        case echo
        case close
        /// Fill the send queue with messages of 100 kB, then close.
        case flood
    }

    struct Result: Sendable {
        var wasOpen = false
        var lastText: String?
        var closure = WebSocketClosure.failed(.stopped)
    }

    private let connection: WebSocketConnection
    private let task: Task
    private let done: @Sendable (Result) -> Void
    private var result = Result()

    init(_ connection: WebSocketConnection, task: Task, done: @escaping @Sendable (Result) -> Void) {
        self.connection = connection
        self.task = task
        self.done = done
    }

    func opened() {
        result.wasOpen = true
        switch task {
        case .echo: break
        case .close: connection.close()
        case .flood:
            let text = [UInt8](repeating: 0x61, count: 100_000)
            while connection.send(text: text) {}
            connection.close()
        }
    }

    func received(text: UnsafeRawBufferPointer) {
        if text.count < 32 { result.lastText = String(decoding: text, as: UTF8.self) }
        if !connection.send(text: text) { connection.close(code: 1009) }
    }

    func received(binary: UnsafeRawBufferPointer) {
        if !connection.send(binary: binary) { connection.close(code: 1009) }
    }

    func closed(_ closure: WebSocketClosure) {
        result.closure = closure
        done(result)
    }
}
