import VoiceCore

/// Sends back whatever comes.
final class EchoDriver: WebSocketDriver {
    struct Result: Sendable {
        var wasOpen = false
        var lastText: String?
        var closure = WebSocketClosure.failed(.stopped)
    }

    private let connection: WebSocketConnection
    private let closesAtOnce: Bool
    private let done: @Sendable (Result) -> Void
    private var result = Result()

    init(_ connection: WebSocketConnection, closesAtOnce: Bool, done: @escaping @Sendable (Result) -> Void) {
        self.connection = connection
        self.closesAtOnce = closesAtOnce
        self.done = done
    }

    func opened() {
        result.wasOpen = true
        if closesAtOnce { connection.close() }
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
