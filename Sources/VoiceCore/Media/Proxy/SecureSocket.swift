internal import CCurl
internal import Glibc
internal import VoiceBase
internal import VoiceNetwork

/// A TLS connection to one checked address; libcurl verifies the certificate for the server's name. Confined to its
/// thread.
final class SecureSocket: ServerStream {
    private let handle: CurlHandle
    private let multi: UnsafeMutableRawPointer
    let file: Int32
    private static let certificates = Set([CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE].map(\.rawValue))

    /// - Parameters:
    ///   - caFile: PEM file with the certificates to trust instead of the system's.
    ///   - stop: a descriptor that ends the wait when it becomes readable.
    init(
        to address: NetworkAddress,
        of server: ServerURL,
        caFile: String?,
        patience: Duration,
        stop: Int32
    ) throws(MediaProblem) {
        guard let handle = CurlHandle(), let multi = curl_multi_init() else { throw .failed("memory is exhausted") }
        let isSix = server.host.contains(":")
        let host = isSix ? "[\(server.host)]" : server.host
        handle.set(CURLOPT_URL, "https://\(host):\(server.port)/")
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        // A proxy from the environment would resolve the name itself.
        handle.set(CURLOPT_PROXY, "")
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, patience)
        if !isSix {
            let text = address.text.contains(":") ? "[\(address.text)]" : address.text
            handle.set(CURLOPT_RESOLVE, lines: ["\(server.host):\(server.port):\(text)"])
        }
        handle.trust(caFile: caFile)
        curl_multi_add_handle(multi, handle.easy)
        var socket: curl_socket_t = -1
        let problem = Self.connect(multi, handle, stop: stop)
        if problem == nil { ccurl_get_socket(handle.easy, CURLINFO_ACTIVESOCKET, &socket) }
        guard problem == nil, socket != -1 else {
            curl_multi_remove_handle(multi, handle.easy)
            curl_multi_cleanup(multi)
            throw .failed("\(server.host): \(problem ?? "libcurl gave no socket")")
        }
        (self.handle, self.multi, file) = (handle, multi, socket)
    }

    deinit {
        curl_multi_remove_handle(multi, handle.easy)
        curl_multi_cleanup(multi)
    }

    /// Returns the error as text; nil once connected.
    private static func connect(_ multi: UnsafeMutableRawPointer, _ handle: CurlHandle, stop: Int32) -> String? {
        var running: Int32 = 1
        while running > 0 {
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return "libcurl has failed" }
            if running == 0 { break }
            var end = curl_waitfd(fd: stop, events: Int16(CURL_WAIT_POLLIN), revents: 0)
            var count: Int32 = 0
            curl_multi_poll(multi, &end, 1, 1000, &count)
            if end.revents != 0 { return "it was stopped" }
        }
        var left: Int32 = 0
        guard let message = curl_multi_info_read(multi, &left) else { return "libcurl has failed" }
        let code = ccurl_message_result(message)
        if code == CURLE_OK { return nil }
        if certificates.contains(code.rawValue) { return "its certificate is not trusted: \(handle.describe(code))" }
        return CurlProblem(code) == .timedOut ? "it does not answer" : handle.describe(code)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        var count = 0
        let code = curl_easy_recv(handle.easy, buffer.baseAddress, buffer.count, &count)
        if code == CURLE_AGAIN { return nil }
        // Many servers close without a TLS close_notify; the length of the body shows whether something is missing.
        if code == CURLE_RECV_ERROR, handle.number(CURLINFO_OS_ERRNO) == 0 { return 0 }
        guard code == CURLE_OK else { throw SystemError(code: ECONNRESET) }
        return count
    }

    /// If it returns 0, the same bytes must be offered again.
    func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        var count = 0
        let code = bytes.withUnsafeBytes { curl_easy_send(handle.easy, $0.baseAddress, $0.count, &count) }
        if code == CURLE_AGAIN { return 0 }
        guard code == CURLE_OK else { throw SystemError(code: ECONNRESET) }
        return count
    }
}
