internal import VoiceBase
internal import VoiceNetwork
internal import VoiceSession

/// Whether the voice service can be reached: DNS, TCP, TLS. Also checks the clock against the Date header.
enum ReachCheck {
    static let limit = Duration.seconds(12)

    /// Requests the root page of the service, without a key; any reply will do.
    static func findings(_ context: DoctorContext, network: NetworkThread) async -> [DoctorFinding] {
        guard let values = context.loaded?.values,
            let address = context.service(values).address(values), let url = ServerURL(address.url)
        else { return [] }
        let isSecure = url.scheme == "wss" || url.scheme == "https"
        let name = url.host.contains(":") ? "[\(url.host)]" : url.host
        let request = HTTPRequest(
            url: "\(isSecure ? "https" : "http")://\(name):\(url.port)/",
            connectTimeout: address.connectTimeout,
            totalTimeout: .seconds(10),
            maximumReplyBytes: 1 << 20,
            caFile: address.caFile
        )
        do {
            let response = try await network.perform(request)
            let milliseconds = Int((response.timings.map { $0.firstByte - $0.started } ?? .zero).fractionalMilliseconds)
            return judge(host: url.host, isSecure: isSecure, key: address.key, reply: .success(milliseconds))
                + [ClockCheck.judge(serverDate: response.header("date"), now: WallClock.seconds())]
        } catch {
            return judge(host: url.host, isSecure: isSecure, key: address.key, reply: .failure(error))
                + [ClockCheck.unset(.now())].compactMap { $0 }
        }
    }

    /// - Parameters:
    ///   - key: the configuration key of the address.
    ///   - reply: milliseconds to the first byte, or why there was none.
    static func judge(
        host: String,
        isSecure: Bool,
        key: String = "realtime.url",
        reply: Result<Int, HTTPFailure>
    ) -> [DoctorFinding] {
        func dns(_ verdict: DoctorFinding.Verdict, _ message: MarkedText, _ advice: MarkedText? = nil) -> DoctorFinding
        {
            DoctorFinding("service-dns", verdict, message, advice: advice)
        }
        func tcp(_ verdict: DoctorFinding.Verdict, _ message: MarkedText, _ advice: MarkedText? = nil) -> DoctorFinding
        {
            DoctorFinding("service-tcp", verdict, message, advice: advice)
        }
        func tls(_ verdict: DoctorFinding.Verdict, _ message: MarkedText, _ advice: MarkedText? = nil) -> DoctorFinding
        {
            DoctorFinding("service-tls", verdict, message, advice: advice)
        }
        let resolved = dns(.ok, "\(host) resolves")
        let connected = tcp(.ok, "a connection opens")
        let secured =
            isSecure ? tls(.ok, "the certificate is trusted") : tls(.skipped, "the address is not encrypted")
        switch reply {
        case .success(let milliseconds):
            return [resolved, tcp(.ok, "a connection opens, first answer after \(milliseconds) ms"), secured]
        case .failure(.cannotResolve):
            return [
                dns(
                    .fail, "\(host) cannot be resolved",
                    "check \(public: key), the network (ip route) and the name server (getent hosts \(host))"
                )
            ]
        case .failure(.badURL(let detail)):
            return [dns(.fail, "\(public: key): \(detail)", "correct the address")]
        case .failure(.cannotConnect(let detail)):
            return [
                resolved,
                tcp(.fail, "\(detail)", "is the service up, and does a firewall let this machine out to its port?"),
            ]
        case .failure(.timedOut(.connecting)):
            return [
                tcp(
                    .fail, "no connection to \(host) in time",
                    "does the name server answer (getent hosts \(host)), and does a firewall let this machine out?"
                )
            ]
        case .failure(.tls(let detail)):
            return [
                resolved, connected,
                tls(
                    .fail,
                    "\(detail)",
                    "is the clock right (date), is ca-certificates installed, and is the certificate of a server of your own "
                        + "among the system's (update-ca-certificates)\(public: key.hasPrefix("realtime.") ? " or in realtime.ca_file" : "")?"
                ),
            ]
        case .failure:
            // A server is there but does not speak plain HTTP. Only the handshake matters.
            return [resolved, connected, secured]
        }
    }
}
