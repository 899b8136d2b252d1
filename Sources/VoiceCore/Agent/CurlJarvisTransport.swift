internal import VoiceBase
package import VoiceNetwork

/// Carries the agent's requests over the network thread.
package struct CurlJarvisTransport: JarvisTransport {
    private let network: NetworkThread

    package init(network: NetworkThread) {
        self.network = network
    }

    package func exchange(_ request: JarvisHTTPRequest) async -> JarvisHTTPResult {
        do {
            let reply = try await network.perform(Self.request(request))
            note(request, sent: reply.timings.requestSent, replied: reply.timings.finished)
            return .success(
                JarvisHTTPResponse(
                    status: reply.status,
                    contentType: reply.header("content-type"),
                    location: reply.header("location"),
                    runID: reply.header("x-response-id"),
                    body: reply.body
                )
            )
        } catch {
            return .failure(Self.failure(error))
        }
    }

    package func open(_ request: JarvisHTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure> {
        let sent = ContinuousClock.now
        do {
            let stream = try await network.open(Self.request(request))
            return .success(
                CurlReplyStream(stream) { note(request, sent: sent, replied: .now) }
            )
        } catch {
            return .failure(Self.failure(error))
        }
    }

    /// Only a question makes the time of a call; looks at the server's state in between do not.
    private func note(
        _ request: JarvisHTTPRequest,
        sent: ContinuousClock.Instant,
        replied: ContinuousClock.Instant
    ) {
        guard request.isQuestion else { return }
        CallTrace.current?.note(sent: Self.monotonic(sent), replied: Self.monotonic(replied))
    }

    private static func request(_ request: JarvisHTTPRequest) -> HTTPRequest {
        HTTPRequest(
            method: request.method,
            url: request.url,
            headers: request.headers.map { ($0.name, $0.value) },
            body: request.body,
            connectTimeout: request.connectTimeout,
            totalTimeout: request.timeout,
            maximumReplyBytes: request.maximumReplyBytes,
            caFile: request.caFile,
            certificateFile: request.certificateFile,
            keyFile: request.keyFile,
            mayRepeat: !request.isQuestion,
            staysNear: request.staysNear
        )
    }

    /// The one place where a failure of HTTP becomes one of the agent's.
    static func failure(_ failure: HTTPFailure) -> JarvisFailure {
        let detail = JarvisReply.shortened(failure.description)
        return switch failure {
        case .cannotResolve, .cannotConnect, .badURL, .timedOut(.connecting): .offline(detail: detail)
        case .tls: .untrusted(detail: detail)
        case .exposed(let host, let address): .insecure(host: host, address: address)
        case .timedOut: .timedOut
        case .replyTooLarge: .tooLarge
        case .cancelled: .cancelled
        // TLS 1.3 lets a client without a certificate in, and hangs up on it afterwards.
        case .reset(let reason) where reason.contains("certificate required"): .untrusted(detail: detail)
        case .reset, .other, .badHeader: .cutOff(detail: detail)
        }
    }

    /// The instant on the clock that everything else is stamped with.
    private static func monotonic(_ instant: ContinuousClock.Instant) -> Duration {
        Monotonic.now() - (ContinuousClock.now - instant)
    }
}

/// A reply of the agent on its way over the network thread.
private struct CurlReplyStream: JarvisReplyStream {
    package let head: JarvisHTTPResponse
    private let stream: HTTPStream
    private let onBytes: @Sendable () -> Void

    init(_ stream: HTTPStream, onBytes: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.onBytes = onBytes
        head = JarvisHTTPResponse(
            status: stream.status,
            contentType: stream.header("content-type"),
            location: stream.header("location"),
            runID: stream.header("x-response-id")
        )
    }

    package func next() async -> Result<[UInt8]?, JarvisFailure> {
        do {
            let bytes = try await stream.next()
            onBytes()
            return .success(bytes)
        } catch {
            return .failure(CurlJarvisTransport.failure(error))
        }
    }

    package func close() { stream.close() }
}
