import CCurl

/// One HTTP exchange under way; confined to the network thread.
final class HTTPExchange {
    let call: HTTPCall
    let handle: CurlHandle
    private let started = ContinuousClock.now
    private let body: UnsafeMutableRawBufferPointer
    private var headers: [(name: String, value: String)] = []
    private var reply: [UInt8] = []
    private var received = 0
    private var isTooLarge = false
    private var coding = TransferCoding()

    /// Finishes the call immediately and returns nil if the request is invalid.
    init?(_ call: HTTPCall) {
        self.call = call
        let request = call.request
        guard HeaderField.isToken(request.method), request.headers.allSatisfy(HeaderField.isValid) else {
            call.finish(.failure(.badHeader))
            return nil
        }
        guard !request.url.utf8.contains(0), let handle = CurlHandle() else {
            call.finish(.failure(.badURL("it cannot be read")))
            return nil
        }
        self.handle = handle
        body = .allocate(byteCount: request.body.count, alignment: 1)
        body.copyBytes(from: request.body)
        configure(request)
    }

    deinit { body.deallocate() }

    private func configure(_ request: HTTPRequest) {
        handle.set(CURLOPT_URL, request.url)
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout)
        handle.set(CURLOPT_TIMEOUT_MS, request.totalTimeout)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if !request.mayRepeat {
            handle.set(CURLOPT_FRESH_CONNECT, 1)
            handle.set(CURLOPT_FORBID_REUSE, 1)
        }
        if request.staysNear { handle.stayNear() }
        // A numeric host is its own address.
        if let pin = request.pin, !pin.addresses.isEmpty, !pin.addresses.contains(pin.host), !pin.host.contains(":") {
            handle.set(CURLOPT_RESOLVE, lines: [pin.line])
        }
        // A proxy from the environment would resolve the name again, and connect to what was not checked.
        if request.pin != nil { handle.set(CURLOPT_PROXY, "") }
        if request.acceptsShoutcast { handle.set(CURLOPT_HTTP200ALIASES, lines: ["ICY 200 OK"]) }
        handle.trust(caFile: request.caFile)
        handle.identify(certificateFile: request.certificateFile)
        switch request.method {
        case "GET" where body.isEmpty: handle.set(CURLOPT_HTTPGET, 1)
        case "HEAD": handle.set(CURLOPT_NOBODY, 1)
        default:
            if !body.isEmpty || request.method == "POST" || request.method == "PUT" {
                handle.set(CURLOPT_POST, 1)
                ccurl_set_offset(handle.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                ccurl_set_bytes(handle.easy, CURLOPT_POSTFIELDS, body.isEmpty ? nil : body.baseAddress)
            }
            handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        // In libcurl's list, a semicolon marks a header with an empty value. "Expect:" makes libcurl send a large body at
        // once, without asking first.
        handle.set(
            CURLOPT_HTTPHEADER,
            lines: ["Expect:"] + (request.decompresses ? ["Accept-Encoding: gzip, deflate"] : [])
                + request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        )
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_write(handle.easy, httpExchangeBody, context)
        ccurl_set_header(handle.easy, httpExchangeHeader, context)
    }

    // MARK: Callbacks of libcurl

    /// Returns false to end the exchange.
    fileprivate func receive(header line: UnsafeRawBufferPointer) -> Bool {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // Another reply begins, so the one before was interim.
            headers.removeAll()
            coding = TransferCoding()
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { !$0.isWhitespace }
            let header = (name: String(text[..<colon]), value: end.map { String(value[...$0]) } ?? "")
            if headers.count < 256 { headers.append(header) }
            coding.note(header)
            return coding.isAccepted(compressed: call.request.decompresses)
        } else if text.allSatisfy(\.isNewline), let inflow = call.inflow {
            let status = handle.number(CURLINFO_RESPONSE_CODE)
            if status >= 200 { inflow.begin((status, headers)) }
        }
        return true
    }

    /// Returns how much was taken; anything less than all of it aborts or pauses the exchange.
    fileprivate func receive(body piece: UnsafeRawBufferPointer) -> Int {
        guard received + piece.count <= call.request.maximumReplyBytes else {
            isTooLarge = true
            return 0
        }
        if let inflow = call.inflow {
            // libcurl offers the same piece again once the reader has made room.
            guard inflow.offer(piece) else { return Int(CURL_WRITEFUNC_PAUSE) }
            received += piece.count
            return piece.count
        }
        received += piece.count
        reply.append(contentsOf: piece)
        return piece.count
    }

    /// Resumes after the reader has made room.
    func resume() {
        curl_easy_pause(handle.easy, 0)
    }

    // MARK: The end

    func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        guard code == CURLE_OK else { return .failure(failure(code)) }
        let timings = HTTPResponse.Timings(
            started: started, requestSent: started + handle.microseconds(CURLINFO_PRETRANSFER_TIME_T),
            firstByte: started + handle.microseconds(CURLINFO_STARTTRANSFER_TIME_T), finished: .now,
            reusedConnection: handle.number(CURLINFO_NUM_CONNECTS) == 0
        )
        return .success(
            HTTPResponse(
                status: handle.number(CURLINFO_RESPONSE_CODE), headers: headers, body: reply, timings: timings
            )
        )
    }

    private func failure(_ code: CURLcode) -> HTTPFailure {
        if !coding.isAccepted(compressed: call.request.decompresses) { return .badCoding }
        if isTooLarge { return .replyTooLarge(limit: call.request.maximumReplyBytes) }
        if let exposed = handle.exposed {
            return .exposed(host: CurlProblem.host(of: call.request.url), address: exposed.text)
        }
        let detail = handle.describe(code)
        switch CurlProblem(code) {
        case .badURL: return .badURL(detail)
        case .cannotResolve: return .cannotResolve(host: CurlProblem.host(of: call.request.url))
        case .cannotConnect: return .cannotConnect(detail)
        case .tls: return .tls(detail)
        case .timedOut:
            return .timedOut(handle.microseconds(CURLINFO_PRETRANSFER_TIME_T) == .zero ? .connecting : .reply)
        case .reset: return .reset(detail)
        case .other: return .other(detail)
        }
    }
}

private func httpExchangeBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    return exchange.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func httpExchangeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    return exchange.receive(header: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}
