import CCurl
import Glibc
package import VoiceBase

/// A byte stream opened by libcurl: resolved, connected, through proxies and TLS; confined to the network thread.
///
/// Usable once the multi handle has reported the transfer as done; closed when it is released.
package final class CurlSocket {
    package enum Received {
        case bytes(UnsafeRawBufferPointer)
        case again
        /// The server has closed it in order.
        case closed
        case ended(WebSocketFailure)
    }

    package enum Sent {
        case bytes(Int)
        case again
        case failed(WebSocketFailure)
    }

    private let handle: CurlHandle
    private let multi: UnsafeMutableRawPointer
    private let sockets = UnsafeMutablePointer<ccurl_live_sockets>.allocate(capacity: 1)
    private let host: String
    private let deadPeerLimit: Duration
    private let limit: Duration
    private var socket: curl_socket_t = -1

    var easy: UnsafeMutableRawPointer { handle.easy }

    /// Starts to connect; nil only when memory is exhausted.
    ///
    /// - Parameters:
    ///   - url: its scheme decides about TLS.
    ///   - limit: for connecting.
    ///   - deadPeerLimit: how long what was sent may stay unacknowledged.
    ///   - staysNear: whether to connect to addresses of the local network only, without a proxy.
    ///   - usesProxy: whether a proxy of the environment is used.
    package init?(
        _ url: ServerURL,
        within limit: Duration,
        deadPeerLimit: Duration,
        caFile: String? = nil,
        staysNear: Bool,
        usesProxy: Bool = true,
        multi: UnsafeMutableRawPointer
    ) {
        guard let handle = CurlHandle() else { return nil }
        self.handle = handle
        sockets.initialize(to: ccurl_live_sockets())
        self.multi = multi
        host = url.bracketedHost
        self.deadPeerLimit = deadPeerLimit
        self.limit = limit
        handle.set(CURLOPT_URL, url.curlURL)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        // Otherwise TLS offers HTTP/2, and the server takes it.
        handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // libcurl divides this time among the addresses of a name; `ConnectionDeadlines` decides what is overdue.
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, limit + .seconds(1))
        handle.trust(caFile: caFile)
        if staysNear { handle.stayNear() }
        if !usesProxy { handle.set(CURLOPT_PROXY, "") }
        // A ping waits behind unsent data: only the kernel can tell that nothing is acknowledged.
        sockets.pointee.limit_ms = UInt32(clamping: deadPeerLimit.wholeMilliseconds)
        ccurl_set_live_sockets(handle.easy, sockets)
        let probePause = max(1, deadPeerLimit.wholeMilliseconds / 3000)
        handle.set(CURLOPT_TCP_KEEPIDLE, probePause)
        handle.set(CURLOPT_TCP_KEEPINTVL, probePause)
        // The handle stays in the multi handle: once it is removed, libcurl no longer sends on it.
        curl_multi_add_handle(multi, handle.easy)
    }

    deinit {
        curl_multi_remove_handle(multi, handle.easy)
        sockets.deallocate()
    }

    /// How far libcurl has got.
    var step: ConnectionTimeout.Step {
        if handle.microseconds(CURLINFO_NAMELOOKUP_TIME_T) == .zero { return .resolving }
        return ccurl_is_connected(sockets) ? .securing : .connecting
    }

    /// Takes the multi handle's result of the attempt.
    func connected(_ code: CURLcode) -> WebSocketFailure? {
        guard code == CURLE_OK else { return failure(code) }
        ccurl_get_socket(handle.easy, CURLINFO_ACTIVESOCKET, &socket)
        return socket == -1 ? .cannotConnect("libcurl gave no socket") : nil
    }

    /// The events to poll for; nil while libcurl polls itself.
    func wanted(writing: Bool) -> curl_waitfd? {
        guard socket != -1 else { return nil }
        return curl_waitfd(
            fd: socket, events: Int16(CURL_WAIT_POLLIN) | (writing ? Int16(CURL_WAIT_POLLOUT) : 0), revents: 0
        )
    }

    /// Reads once. Poll knows nothing of data that TLS has already decrypted, so read until `again`.
    package func receive(into room: UnsafeMutableRawBufferPointer) -> Received {
        var count = 0
        let code = curl_easy_recv(handle.easy, room.baseAddress, room.count, &count)
        if code == CURLE_AGAIN { return .again }
        guard code == CURLE_OK else { return .ended(broken(code)) }
        guard count > 0 else { return .closed }
        return .bytes(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }

    /// Sends once. After `again` the same bytes at the same address must be offered, or the connection is lost.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
        var count = 0
        let code = curl_easy_send(handle.easy, bytes.baseAddress, bytes.count, &count)
        if code == CURLE_AGAIN { return .again }
        return code == CURLE_OK ? .bytes(count) : .failed(broken(code))
    }

    /// The reason why an open connection ended.
    private func broken(_ code: CURLcode) -> WebSocketFailure {
        handle.number(CURLINFO_OS_ERRNO) == Int(ETIMEDOUT)
            ? .timedOut(.acknowledgement(deadPeerLimit)) : .reset(handle.describe(code))
    }

    private func failure(_ code: CURLcode) -> WebSocketFailure {
        if let exposed = handle.exposed { return .exposed(host: host, address: exposed.text) }
        let detail = handle.describe(code)
        return switch CurlProblem(code) {
        case .badURL: .badURL
        case .cannotResolve: .cannotResolve(host: host)
        case .timedOut: .timedOut(.opening(ConnectionTimeout(host: host, step: step, limit: limit, isWhole: true)))
        case .tls: .tls(detail)
        case .cannotConnect, .reset, .other: .cannotConnect(detail)
        }
    }
}
