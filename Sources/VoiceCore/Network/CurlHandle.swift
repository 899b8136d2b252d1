package import CCurl
internal import Glibc
internal import VoiceBase

/// A libcurl easy handle and everything that must live as long as it; confined to the network thread.
package final class CurlHandle {
    package let easy: UnsafeMutableRawPointer
    private var gate: NearbyGate?
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    /// Where libcurl writes its description of the last error.
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// nil only if memory is exhausted.
    package init?() {
        guard let easy = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.easy = easy
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        ccurl_set_bytes(easy, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        // A cancelled request must not wait for a resolver that is stuck in getaddrinfo.
        set(CURLOPT_QUICK_EXIT, 1)
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
        errorText.deallocate()
    }

    package func set(_ option: CURLoption, _ value: Int) { ccurl_set_long(easy, option, value) }

    /// libcurl copies the string, except for CURLOPT_POSTFIELDS.
    package func set(_ option: CURLoption, _ value: String) { ccurl_set_string(easy, option, value) }

    package func set(_ option: CURLoption, _ value: Duration) { set(option, value.wholeMilliseconds) }

    /// Restricts the handle to addresses of the local network, without a proxy.
    func stayNear() {
        let gate = NearbyGate()
        gate.guardSockets(of: easy)
        self.gate = gate
    }

    /// The address `stayNear` refused, if it allowed none.
    var exposed: NetworkAddress? { gate?.exposed }

    /// Makes the handle trust only the certificates of this PEM file.
    package func trust(caFile: String?) {
        guard let caFile else { return }
        set(CURLOPT_CAINFO, caFile)
        ccurl_set_string(easy, CURLOPT_CAPATH, nil)
    }

    /// Presents this client certificate to the server; its key is in the same file.
    func identify(certificateFile: String?) {
        guard let certificateFile else { return }
        set(CURLOPT_SSLCERT, certificateFile)
        set(CURLOPT_SSLKEY, certificateFile)
    }

    package func set(_ option: CURLoption, lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) ?? list }
        guard let list else { return }
        lists.append(list)
        ccurl_set_list(easy, option, list)
    }

    func microseconds(_ info: CURLINFO) -> Duration {
        var value: curl_off_t = 0
        ccurl_get_offset(easy, info, &value)
        return .microseconds(value)
    }

    package func number(_ info: CURLINFO) -> Int {
        var value = 0
        ccurl_get_long(easy, info, &value)
        return value
    }

    /// libcurl's description of an error, on one line. Without a clock, no certificate is valid, whatever else the error says.
    package func describe(_ code: CURLcode) -> String {
        let reason = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
        // libcurl's own text has addresses and milliseconds, and differs between versions.
        if code == CURLE_COULDNT_CONNECT, reason != 0 { return String(cString: strerror(reason)).lowercased() }
        let own = String(cString: errorText)
        let text = own.isEmpty ? String(cString: curl_easy_strerror(code)) : own
        let line = String(text.map { $0.isNewline ? " " : $0 })
        guard CurlProblem(code) == .tls, let unset = ClockInstant.now().unset else { return line }
        return "\(unset) (\(line))"
    }
}
