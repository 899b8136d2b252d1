import CCurl
import Glibc
internal import VoiceBase

/// The main loop of the network thread: commands, libcurl, sockets, poll. Confined to that thread.
final class NetworkLoop {
    private let multi: UnsafeMutableRawPointer
    private let queue: CommandQueue
    private var exchanges: [UnsafeMutableRawPointer: HTTPExchange] = [:]
    private var connections: [UInt64: any NetworkSocket] = [:]
    private var tickers: [@Sendable () -> Duration?] = []
    private var ticked = ContinuousClock.now
    /// Longest time between two calls of the tickers while messages are handled.
    private static let longestBetweenTicks = Duration.milliseconds(10)
    private var stopDeadline: ContinuousClock.Instant?
    private var failedPolls = 0
    /// Buffer for one read of a socket; a TLS record holds 16 KiB.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(multi: UnsafeMutableRawPointer, queue: CommandQueue) {
        self.multi = multi
        self.queue = queue
    }

    deinit {
        scratch.deallocate()
        curl_multi_cleanup(multi)
    }

    /// Runs until stopped, or until libcurl fails for a whole second.
    func run() {
        while true {
            runCommands()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            readMessages()
            let now = ContinuousClock.now
            var pause = pumpConnections(now)
            // Called after the sockets, because what they brought may change when a ticker is due next.
            pause = max(.zero, min(pause, tick()))
            // Sends what the tickers queued now, without another round.
            for connection in connections.values where connection.sendQueued() { pause = .zero }
            if let stopDeadline {
                if connections.isEmpty || now >= stopDeadline { break }
                pause = min(pause, stopDeadline - now)
            }
            guard poll(pause) else { break }
        }
        for command in queue.close() { command(self) }
        for connection in Array(connections.values) { connection.abandon() }
        connections.removeAll()
    }

    private func runCommands() {
        for command in queue.dequeue() { command(self) }
    }

    /// Returns how long until the next call is due.
    private func tick() -> Duration {
        ticked = .now
        return tickers.compactMap { $0() }.min() ?? .seconds(60)
    }

    /// Called after each message of a socket: however many arrive together, an order does not wait for more than one of them,
    /// and the sound continues.
    private func betweenMessages() {
        runCommands()
        if ContinuousClock.now - ticked >= Self.longestBetweenTicks { _ = tick() }
    }

    /// Cancels HTTP, closes connections (WebSockets with code 1000), and ends the thread within the bound.
    func stop(within bound: Duration) {
        guard stopDeadline == nil else { return }
        stopDeadline = ContinuousClock.now + bound
        for exchange in Array(exchanges.values) { finish(exchange, .failure(.cancelled)) }
        for connection in Array(connections.values) { connection.stop() }
    }

    func add(ticker: @escaping @Sendable () -> Duration?) {
        tickers.append(ticker)
    }

    // MARK: HTTP

    func start(_ call: HTTPCall) {
        guard stopDeadline == nil, !call.isCancelled else { return call.finish(.failure(.cancelled)) }
        guard let exchange = HTTPExchange(call) else { return }
        exchanges[exchange.handle.easy] = exchange
        curl_multi_add_handle(multi, exchange.handle.easy)
    }

    func cancel(_ call: HTTPCall) {
        if let exchange = exchanges.values.first(where: { $0.call === call }) {
            finish(exchange, .failure(.cancelled))
        }
    }

    /// Continues a call after the reader of its body has made room.
    func resume(_ call: HTTPCall) {
        exchanges.values.first { $0.call === call }?.resume()
    }

    private func finish(_ exchange: HTTPExchange, _ result: Result<HTTPResponse, HTTPFailure>) {
        curl_multi_remove_handle(multi, exchange.handle.easy)
        exchanges[exchange.handle.easy] = nil
        exchange.call.finish(result)
    }

    // MARK: Connections

    func add(_ connection: any NetworkSocket, id: UInt64) {
        connections[id] = connection
        guard stopDeadline == nil else { return connection.abandon() }
        connection.begin(multi)
    }

    func withDriver(_ id: UInt64, _ body: (any WebSocketDriver) -> Void) {
        (connections[id] as? WebSocketConnection)?.withDriver(body)
    }

    func close(_ id: UInt64, code: UInt16, reason: String) {
        (connections[id] as? WebSocketConnection)?.close(code: code, reason: reason)
    }

    /// Serves every socket once; returns how long the thread may sleep.
    private func pumpConnections(_ now: ContinuousClock.Instant) -> Duration {
        var pause = Duration.seconds(60)
        for (id, connection) in connections {
            if let wanted = connection.pump(now, scratch: scratch, between: betweenMessages) {
                pause = min(pause, wanted)
            } else {
                connections[id] = nil
            }
        }
        return max(pause, .zero)
    }

    // MARK: libcurl

    private func readMessages() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = ccurl_message_result(message)
            if let exchange = exchanges[easy] {
                finish(exchange, exchange.result(code))
            } else if let connection = connections.values.first(where: { $0.socket?.easy == easy }) {
                connection.connected(connection.socket?.connected(code))
            }
        }
    }

    /// Sleeps until a socket or a command needs attention; false once it has failed too often in a row.
    private func poll(_ pause: Duration) -> Bool {
        withUnsafeTemporaryAllocation(of: curl_waitfd.self, capacity: max(1, connections.count)) { sockets in
            var count = 0
            for connection in connections.values {
                guard let wanted = connection.socket?.wanted(writing: connection.hasUnsent) else { continue }
                sockets.initializeElement(at: count, to: wanted)
                count += 1
            }
            let limit = Int32(clamping: pause.wholeMilliseconds)
            let code = curl_multi_poll(multi, sockets.baseAddress, UInt32(count), limit, nil)
            guard code != CURLM_OK else {
                failedPolls = 0
                return true
            }
            failedPolls += 1
            usleep(10_000)
            return failedPolls < 100
        }
    }
}
