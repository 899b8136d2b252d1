internal import CCurl
internal import VoiceBase
internal import VoiceNetwork

/// Whether libcurl supports what is needed. Only https is, because the daemon implements WebSockets itself.
enum LibraryCheck {
    static func findings() -> [DoctorFinding] {
        guard let info = curl_version_info(CURLVERSION_FIRST) else { return [] }
        var protocols: [String] = []
        if var name = info.pointee.protocols {
            while let text = name.pointee {
                protocols.append(String(cString: text))
                name += 1
            }
        }
        return [judge(version: version, protocols: protocols)]
    }

    /// Version line of libcurl: "libcurl/7.88.1 OpenSSL/3.0.15 ...".
    static var version: String { curl_version().map { String(cString: $0) } ?? "libcurl" }

    static func judge(version: String, protocols: [String]) -> DoctorFinding {
        guard protocols.contains("https") else {
            return DoctorFinding(
                "libcurl",
                .fail,
                "\(public: version.prefix { $0 != " " }) has no TLS",
                advice: "install the distribution's libcurl (libcurl4 or libcurl4t64)"
            )
        }
        return DoctorFinding(
            "libcurl", .ok, "\(public: version.split(separator: " ").prefix(2).joined(separator: ", "))"
        )
    }
}

/// Whether key and token travel encrypted, or at least only within this network.
enum TransportCheck {
    static let limit = Duration.seconds(8)

    static func findings(_ context: DoctorContext) async -> [DoctorFinding] {
        guard let values = context.loaded?.values, let secrets = context.secrets else { return [] }
        return await ServiceTransport.look(values, secrets: secrets).map(judge)
    }

    static func judge(_ transport: ServiceTransport) -> DoctorFinding {
        let check = transport.key == "jarvis.url" ? "agent-transport" : "service-transport"
        let verdict: DoctorFinding.Verdict =
            switch transport.verdict {
            case .encrypted, .near: .ok
            case .allowed, .unresolved: .warn
            case .exposed: .fail
            }
        return DoctorFinding(
            check,
            verdict,
            transport.line.map { "\($0)" } ?? "\(public: transport.load) is sent encrypted",
            advice: transport.advice.map { "\($0)" }
        )
    }
}
