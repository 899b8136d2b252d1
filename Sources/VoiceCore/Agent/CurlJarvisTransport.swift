internal import VoiceBase
package import VoiceNetwork

/// Sends the agent's requests over the network thread.
package struct CurlJarvisTransport: JarvisTransport {
    private let network: NetworkThread

    package init(network: NetworkThread) {
        self.network = network
    }

    package func exchange(_ request: HTTPRequest) async -> JarvisResponse {
        do {
            let reply = try await network.perform(request)
            if let timings = reply.timings { note(request, sent: timings.requestSent, replied: timings.finished) }
            return .success(reply)
        } catch {
            return .failure(Self.failure(error))
        }
    }

    package func open(_ request: HTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure> {
        let sent = ContinuousClock.now
        do {
            let stream = try await network.open(request)
            return .success(
                CurlReplyStream(stream) { note(request, sent: sent, replied: .now) }
            )
        } catch {
            return .failure(Self.failure(error))
        }
    }

    /// Only a question, which is the request that must not be repeated, counts towards the time of a call; state requests
    /// in between do not.
    private func note(_ request: HTTPRequest, sent: ContinuousClock.Instant, replied: ContinuousClock.Instant) {
        guard !request.mayRepeat else { return }
        CallTrace.current?.note(sent: Self.monotonic(sent), replied: Self.monotonic(replied))
    }

    /// Maps an HTTP failure to a failure of the agent; the only place that does.
    static func failure(_ failure: HTTPFailure, now: ClockInstant = .now()) -> JarvisFailure {
        let detail = JarvisReply.shortened(failure.description)
        return switch failure {
        case .cannotResolve, .cannotConnect, .badURL, .timedOut(.connecting): .offline(detail: detail)
        case .tls: now.isPlausible ? .untrusted(detail: detail) : .noClock
        case .exposed(let host, let address): .insecure(host: host, address: address)
        case .timedOut: .timedOut
        case .replyTooLarge: .tooLarge
        case .cancelled: .cancelled
        // TLS 1.3 completes the handshake with a client that has no certificate, and closes the connection afterwards.
        case .reset(let reason) where reason.contains("certificate required"): .untrusted(detail: detail)
        case .reset, .other, .badHeader: .cutOff(detail: detail)
        }
    }

    /// Converts an instant to the monotonic clock used everywhere else.
    private static func monotonic(_ instant: ContinuousClock.Instant) -> Duration {
        Monotonic.now() - (ContinuousClock.now - instant)
    }
}

/// A reply of the agent that arrives over the network thread.
private struct CurlReplyStream: JarvisReplyStream {
    package let head: HTTPResponse
    private let stream: HTTPStream
    private let onBytes: @Sendable () -> Void

    init(_ stream: HTTPStream, onBytes: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.onBytes = onBytes
        head = stream.head
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
