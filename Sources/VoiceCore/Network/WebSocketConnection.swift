import CCurl
internal import VoiceBase

/// One WebSocket on a connection that libcurl opened; confined to the network thread.
///
/// libcurl resolves, connects, speaks TLS and passes proxies (CURLOPT_CONNECT_ONLY). The handshake and the frames are
/// implemented here, because WebSocket support is missing in some versions of libcurl and differs between others.
///
///     connecting --> upgrading --> open --> draining --> done
///
/// Draining: the end is known and reported, the last frame is sent, and incoming data is read and dropped. A socket closed
/// with unread data would reset the connection, and our close frame would be lost.
package final class WebSocketConnection: NetworkSocket {
    private enum Phase {
        case connecting
        case upgrading
        case open
        case draining(until: ContinuousClock.Instant)
        case done
    }

    private static let drainTime = Duration.seconds(1)
    /// Reads in a row before the other sockets get a turn.
    private static let readsPerRound = 64

    private let request: WebSocketRequest
    private let url: ServerURL?
    package private(set) var socket: CurlSocket?
    private var driver: (any WebSocketDriver)?
    private var phase = Phase.connecting
    private var handshake: WebSocketHandshake?
    private var session: WebSocketSession
    private var deadlines: ConnectionDeadlines
    private var watch: PeerWatch
    private var closeDeadline: ContinuousClock.Instant?
    private var hasMoreToRead = false
    /// Set when sending has failed; the connection ends once everything received has been read.
    private var sendFailure: WebSocketFailure?

    /// When the last byte arrived.
    package var lastReceived: ContinuousClock.Instant { watch.lastReceived }
    /// Bytes the socket has not taken yet.
    package var pendingSendBytes: Int { session.pendingBytes }
    /// Whether messages may be sent.
    package var isOpen: Bool {
        if case .open = phase { session.state == .open } else { false }
    }

    init(_ request: WebSocketRequest) {
        self.request = request
        url = ServerURL(ofWebSocket: request.url)
        let now = ContinuousClock.now
        deadlines = ConnectionDeadlines(host: url?.authority ?? "", limits: request.limits, at: now)
        watch = PeerWatch(limit: request.deadPeerLimit, at: now)
        session = WebSocketSession(maximumPendingBytes: request.maximumPendingBytes)
    }

    func attach(_ driver: any WebSocketDriver) { self.driver = driver }

    func withDriver(_ body: (any WebSocketDriver) -> Void) {
        if let driver { body(driver) }
    }

    // MARK: For the driver

    /// Queues a text message of valid UTF-8; false if the connection is not open or more than `maximumPendingBytes` would
    /// wait.
    @discardableResult
    package func send(text: UnsafeRawBufferPointer) -> Bool { isOpen && session.send(text: text) }

    @discardableResult
    package func send(text: [UInt8]) -> Bool { text.withUnsafeBytes { send(text: $0) } }

    @discardableResult
    package func send(text: String) -> Bool {
        var text = text
        return text.withUTF8 { send(text: UnsafeRawBufferPointer($0)) }
    }

    /// Queues a text message that `fill` writes directly into the send buffer.
    ///
    /// - Parameters:
    ///   - maximumCount: the size of the buffer passed to `fill`, in bytes.
    ///   - fill: returns the number of bytes written. Must not call this connection. Not called if the result is false.
    @discardableResult
    package func send(textOfAtMost maximumCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        isOpen && session.send(textOfAtMost: maximumCount, fill: fill)
    }

    @discardableResult
    package func send(binary: UnsafeRawBufferPointer) -> Bool { isOpen && session.send(binary: binary) }

    @discardableResult
    package func ping() -> Bool { isOpen && session.ping() }

    /// Starts the closing handshake, or abandons a connection that is not open yet; `closed` follows.
    package func close(code: UInt16 = 1000, reason: String = "") {
        switch phase {
        case .connecting, .upgrading: end(.failed(.stopped))
        case .open where session.state == .open:
            session.close(code: code, reason: reason)
            closeDeadline = ContinuousClock.now + request.closeTimeout
        case .open, .draining, .done: break
        }
    }

    // MARK: For the loop

    /// Starts a clean close when the thread stops; the thread's own time bound applies.
    package func stop() { close(code: 1000) }

    package func abandon() { end(.failed(.stopped)) }

    package func begin(_ multi: UnsafeMutableRawPointer) {
        guard let url, request.headers.allSatisfy(HeaderField.isValid),
            let socket = CurlSocket(
                url, within: request.limits.whole, deadPeerLimit: request.deadPeerLimit, caFile: request.caFile,
                staysNear: request.staysNear, multi: multi
            )
        else { return end(.failed(.badURL)) }
        self.socket = socket
    }

    package func connected(_ failure: WebSocketFailure?) {
        guard case .connecting = phase, let url else { return }
        if let failure { return end(.failed(failure)) }
        let handshake = WebSocketHandshake(host: url.authority, path: url.target, headers: request.headers)
        session.prepend(handshake.request)
        self.handshake = handshake
        deadlines.reached(.asking, at: .now)
        phase = .upgrading
    }

    package var hasUnsent: Bool { session.pendingBytes > 0 }

    package func pump(
        _ now: ContinuousClock.Instant,
        scratch: UnsafeMutableRawBufferPointer,
        between: () -> Void
    ) -> Duration? {
        hasMoreToRead = false
        read(scratch, between)
        checkTime(now)
        var pause = untilDeadline(now)
        flush()
        if hasMoreToRead { pause = .zero }
        if case .draining = phase {
            pause = min(pause, Self.drainTime)
        }
        if case .done = phase { return nil }
        return pause
    }

    package func sendQueued() -> Bool {
        guard hasUnsent else { return false }
        flush()
        if case .done = phase { return true }
        return hasMoreToRead
    }

    /// Notifies the driver, once, and drops the connection.
    package func end(_ closure: WebSocketClosure) {
        report(closure)
        finish()
    }

    // MARK: Time

    private func checkTime(_ now: ContinuousClock.Instant) {
        switch phase {
        case .done: break
        case .connecting:
            if let socket { deadlines.reached(socket.step, at: now) }
            checkOpening(now)
        case .upgrading: checkOpening(now)
        case .open:
            if let closeDeadline {
                if now >= closeDeadline { return end(.failed(.timedOut(.closing))) }
            } else {
                checkOpening(now)
            }
            guard case .open = phase else { return }
            switch watch.check(at: now) {
            case .alive: break
            case .ping: _ = session.ping()
            case .dead: end(.failed(.timedOut(.silence(watch.limit))))
            }
        case .draining(let deadline): if now >= deadline { finish() }
        }
    }

    private func checkOpening(_ now: ContinuousClock.Instant) {
        guard let timeout = deadlines.expired(at: now) else { return }
        // A refusal with an unfinished body still has a status.
        if case .refused(let refusal)? = handshake?.end() {
            end(.refused(refusal))
        } else {
            end(.failed(.timedOut(.opening(timeout))))
        }
    }

    private func untilDeadline(_ now: ContinuousClock.Instant) -> Duration {
        switch phase {
        case .done: .zero
        case .connecting, .upgrading: (deadlines.next ?? now) - now
        case .draining(let deadline): deadline - now
        case .open: min(watch.next, closeDeadline ?? deadlines.next ?? watch.next) - now
        }
    }

    // MARK: Reading

    /// Reads until libcurl is empty: TLS may hold decrypted data that poll cannot see.
    private func read(_ scratch: UnsafeMutableRawBufferPointer, _ between: () -> Void) {
        for _ in 0..<Self.readsPerRound {
            guard let socket else { return }
            if case .connecting = phase { return }
            switch socket.receive(into: scratch) {
            case .again:
                if let sendFailure { ended(sendFailure) }
                return
            case .closed: return ended(.reset("the server hung up"))
            case .ended(let failure): return ended(failure)
            case .bytes(let bytes):
                watch.received(at: .now)
                receive(bytes, between)
            }
        }
        hasMoreToRead = true
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ between: () -> Void) {
        var input = bytes
        if case .upgrading = phase { upgrade(&input) }
        guard case .open = phase else { return }
        while let event = session.next(&input) {
            switch event {
            case .text(let text):
                deadlines.reached(.done, at: lastReceived)
                driver?.received(text: text)
            case .binary(let binary):
                deadlines.reached(.done, at: lastReceived)
                driver?.received(binary: binary)
            case .pong: break
            case .closed(let code, let reason): drain(.closed(code: code, reason: reason))
            case .violated(let violation): drain(.failed(.violation(violation)))
            }
            between()
            guard case .open = phase else { return }
        }
    }

    private func upgrade(_ input: inout UnsafeRawBufferPointer) {
        switch handshake?.receive(&input) {
        case .needsMore, nil: deadlines.reached(.upgrading, at: lastReceived)
        case .upgraded:
            handshake = nil
            phase = .open
            deadlines.reached(.listening, at: lastReceived)
            driver?.opened()
        case .refused(let refusal): end(.refused(refusal))
        case .failed(let detail): end(.failed(.handshake(detail)))
        }
    }

    private func ended(_ failure: WebSocketFailure) {
        switch phase {
        case .upgrading:
            switch handshake?.end() {
            case .refused(let refusal): end(.refused(refusal))
            case .failed(let detail): end(.failed(.handshake(detail)))
            default: end(.failed(failure))
            }
        case .open: end(.failed(failure))
        case .draining: finish()
        case .connecting, .done: break
        }
    }

    // MARK: Writing

    /// Offers the same bytes at the same address until libcurl takes them.
    private func flush() {
        while sendFailure == nil, let socket, let bytes = session.nextToSend() {
            if case .connecting = phase { return }
            switch socket.send(bytes) {
            case .again: return
            case .bytes(let count): session.sent(count)
            case .failed(let failure):
                if case .draining = phase { return finish() }
                // The reason is often in what the server sent before it closed, so that is read first.
                session.discardPending()
                sendFailure = failure
                hasMoreToRead = true
                return
            }
        }
    }

    // MARK: The end

    private func drain(_ closure: WebSocketClosure) {
        phase = .draining(until: ContinuousClock.now + Self.drainTime)
        report(closure)
    }

    private func report(_ closure: WebSocketClosure) {
        let driver = driver
        self.driver = nil
        driver?.closed(closure)
    }

    private func finish() {
        phase = .done
        socket = nil
    }
}
