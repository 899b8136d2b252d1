internal import VoiceBase
internal import VoiceNetwork
internal import VoiceSession

/// Tries a new secret as the doctor would: a key in a session that costs nothing, the token with the agent.
package enum SecretTrial {
    /// - Returns: why the secret does not work, in one line; nil if it does, or if the plan does not allow a trial yet.
    package static func refusal(of secret: SetupSecret, in plan: SetupPlan) async -> String? {
        let network = NetworkThread(label: "jv-setup")
        do { try network.start() } catch { return "it could not be tried: \(error)" }
        let context = context(of: secret, in: plan)
        let findings =
            secret == .token
            ? await AgentCheck.findings(context, network: network)
            : await SessionCheck.findings(context, network: network)
        await network.stop()
        return findings.first { $0.verdict == .fail }.map { context.redactor.clean($0.message) }
    }

    /// The plan with this secret alone, and with no other service than the one it is for.
    static func context(of secret: SetupSecret, in plan: SetupPlan) -> DoctorContext {
        var values = plan.values
        let key = ServiceRegistry.keys.first { SetupSecret($0) == secret }
        if let key { values.service.use = ServiceRegistry.wanted(by: values).filter { $0.key == key }.map { $0.name } }
        values.activation = .init()
        values.words = [:]
        if let setting = ConfigurationSchema.key(secret.setting) { _ = setting.set(.text(""), in: &values) }
        let content = plan.secrets[secret]?.revealed ?? ""
        return DoctorContext(values, environment: [key?.variable ?? "JARVIS_TOKEN": content])
    }
}
