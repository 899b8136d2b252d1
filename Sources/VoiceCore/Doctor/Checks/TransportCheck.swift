internal import VoiceConfiguration
internal import VoiceNetwork

/// Whether key and token travel encrypted, or at least within the own network.
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
            transport.line ?? "\(transport.load) travels encrypted",
            advice: transport.advice
        )
    }
}
