@testable import VoiceNetwork

/// Records what a connection did, and runs a test's closure when it opens.
final class WatchedDriver: WebSocketDriver {
    struct Record: Sendable {
        var texts: [String] = []
        var binaries: [[UInt8]] = []
        var opened = 0
        var closures: [WebSocketClosure] = []
    }

    let connection: WebSocketConnection
    var record = Record()
    private let whenOpen: @Sendable (WatchedDriver) -> Void
    private let whenClosed: @Sendable (Record) -> Void

    init(
        _ connection: WebSocketConnection,
        whenOpen: @escaping @Sendable (WatchedDriver) -> Void,
        whenClosed: @escaping @Sendable (Record) -> Void
    ) {
        self.connection = connection
        self.whenOpen = whenOpen
        self.whenClosed = whenClosed
    }

    func opened() {
        record.opened += 1
        whenOpen(self)
    }

    func received(text: UnsafeRawBufferPointer) { record.texts.append(String(decoding: text, as: UTF8.self)) }

    func received(binary: UnsafeRawBufferPointer) { record.binaries.append(Array(binary)) }

    func closed(_ closure: WebSocketClosure) {
        record.closures.append(closure)
        whenClosed(record)
    }
}

extension NetworkThread {
    /// Runs the body with a started thread, and stops the thread in any case.
    static func with<Value: Sendable>(_ body: (NetworkThread) async throws -> Value) async throws -> Value {
        let network = NetworkThread(label: "jv-net-test")
        try network.start()
        do {
            let value = try await body(network)
            await network.stop()
            return value
        } catch {
            await network.stop()
            throw error
        }
    }

    /// Opens a connection and returns its record once it has ended.
    func watch(
        _ request: WebSocketRequest,
        whenOpen: @escaping @Sendable (WatchedDriver) -> Void = { _ in }
    ) async -> WatchedDriver.Record {
        await withCheckedContinuation { continuation in
            _ = connect(request) { connection in
                WatchedDriver(connection, whenOpen: whenOpen) { continuation.resume(returning: $0) }
            }
        }
    }
}

extension WebSocketRequest {
    /// A request with time limits suitable for tests.
    init(
        url: String,
        headers: [(name: String, value: String)] = [],
        deadPeerLimit: Duration = .seconds(60),
        staysNear: Bool = false
    ) {
        self.init(
            url: url, headers: headers, limits: ConnectionLimits(whole: .seconds(10)), deadPeerLimit: deadPeerLimit,
            staysNear: staysNear
        )
    }
}
