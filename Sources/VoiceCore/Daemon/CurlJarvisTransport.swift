/// Carries the agent's requests over the network thread.
package struct CurlJarvisTransport: JarvisTransport {
    private let network: NetworkThread

    package init(network: NetworkThread) {
        self.network = network
    }

    package func post(_ request: JarvisHTTPRequest) async -> JarvisHTTPResult {
        let exchange = HTTPRequest(
            method: "POST",
            url: request.url,
            headers: request.headers.map { ($0.name, $0.value) },
            body: request.body,
            connectTimeout: request.connectTimeout,
            totalTimeout: request.timeout,
            maximumReplyBytes: request.maximumReplyBytes,
            caFile: request.caFile
        )
        do {
            let reply = try await network.perform(exchange)
            CallTrace.current?.note(
                sent: Self.monotonic(reply.timings.requestSent),
                replied: Self.monotonic(reply.timings.finished)
            )
            return .response(
                JarvisHTTPResponse(
                    status: reply.status,
                    contentType: reply.header("content-type"),
                    location: reply.header("location"),
                    body: reply.body
                )
            )
        } catch {
            return .failed(Self.fault(error))
        }
    }

    private static func fault(_ failure: HTTPFailure) -> JarvisTransportFault {
        switch failure {
        case .cannotResolve, .cannotConnect, .badURL: .couldNotConnect(failure.description)
        case .tls: .untrusted(failure.description)
        case .timedOut(.connecting): .couldNotConnect(failure.description)
        case .timedOut: .timedOut
        case .replyTooLarge: .replyTooLarge
        case .cancelled: .cancelled
        case .reset, .other, .badHeader: .connectionLost(failure.description)
        }
    }

    /// The instant on the clock that everything else is stamped with.
    private static func monotonic(_ instant: ContinuousClock.Instant) -> Duration {
        Monotonic.now() - (ContinuousClock.now - instant)
    }
}
