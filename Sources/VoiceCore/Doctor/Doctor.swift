internal import Glibc
internal import VoiceBase
internal import VoiceNetwork

/// Checks everything a conversation needs. The checks run concurrently, each with a time limit.
///
///     DoctorContext (configuration, secrets) --> checks: gather facts, judge them --> DoctorReport
///
/// A check is a pure judgement with a thin part that gathers facts.
package struct Doctor: Sendable {
    private struct Check: Sendable {
        var name: String
        var limit: Duration
        var run: @Sendable () async -> [DoctorFinding]
    }

    private let context: DoctorContext
    private let isOffline: Bool
    private let isLive: Bool
    /// Whether there may be a sound card and systemd; false in tests.
    private let looksAtMachine: Bool

    /// - Parameters:
    ///   - isOffline: whether to skip the checks that contact the service and the agent.
    ///   - isLive: whether to hold a turn, which costs money.
    package init(_ context: DoctorContext, isOffline: Bool = false, isLive: Bool = false, looksAtMachine: Bool = true) {
        self.context = context
        self.isOffline = isOffline
        self.isLive = isLive
        self.looksAtMachine = looksAtMachine
    }

    package func examine() async -> DoctorReport {
        let network = NetworkThread(label: "jv-doctor")
        var checks: [Check] = []
        checks.append(Check(name: "configuration", limit: .seconds(1)) { ConfigurationCheck.findings(context) })
        checks.append(Check(name: "libcurl", limit: .seconds(1)) { LibraryCheck.findings() })
        checks += isOffline ? [] : online(network)
        let unit = looksAtMachine ? await UnitState.read(context.unit) : nil
        let isContained = looksAtMachine && unit == nil && Container.isAround(environment: context.environment)
        // In a container, root has only the rights that its options grant.
        checks += looksAtMachine ? machine(unit, isRoot: geteuid() == 0 && !isContained) : []
        if !isOffline { try? network.start() }
        var findings = await examine(checks)
        await network.stop()
        if isOffline { findings.append(DoctorFinding("network", .skipped, "not checked: --offline")) }
        if isContained { findings = [Container.finding] + findings.map(Container.advised) }
        let redactor = context.redactor
        return DoctorReport(findings.map { $0.cleaned(redactor) })
    }

    private func examine(_ checks: [Check]) async -> [DoctorFinding] {
        await withTaskGroup { group in
            for (place, check) in checks.enumerated() {
                group.addTask {
                    let findings = await TimeLimit.run(check.limit, check.run)
                    let late = DoctorFinding(check.name, .fail, "no result within \(public: check.limit.inSeconds)")
                    return (place, findings ?? [late])
                }
            }
            var results = [[DoctorFinding]](repeating: [], count: checks.count)
            for await (place, findings) in group { results[place] = findings }
            return results.flatMap { $0 }
        }
    }

    private func online(_ network: NetworkThread) -> [Check] {
        [
            Check(name: "service", limit: ReachCheck.limit) { await ReachCheck.findings(context, network: network) },
            Check(name: "transport", limit: TransportCheck.limit) { await TransportCheck.findings(context) },
            Check(name: "session", limit: SessionCheck.limit) {
                await SessionCheck.findings(context, network: network)
            },
            Check(name: "local", limit: LocalCheck.limit) { await LocalCheck.findings(context, network: network) },
            Check(name: "agent", limit: AgentCheck.limit) { await AgentCheck.findings(context, network: network) },
        ] + (isLive ? [Check(name: "live-turn", limit: LiveCheck.limit) { await LiveCheck.findings(context) }] : [])
    }

    private func machine(_ unit: UnitState?, isRoot: Bool) -> [Check] {
        [
            Check(name: "health", limit: HealthCheck.limit) { await HealthCheck.findings(context) },
            Check(name: "devices", limit: DevicesCheck.limit) { await DevicesCheck.findings(context, unit: unit) },
            Check(name: "sound-permission", limit: .seconds(2)) { PermissionCheck.findings(isRoot: isRoot) },
            Check(name: "real-time", limit: .seconds(2)) {
                LimitsCheck.findings(context, unit: unit, isRoot: isRoot)
            },
            Check(name: "decoder", limit: .seconds(1)) { WallCheck.findings(context) },
            Check(name: "wake-words", limit: WakeCheck.limit) { WakeCheck.findings(context) },
            Check(name: "state", limit: .seconds(4)) { StateCheck.findings(context, isRoot: isRoot) },
            Check(name: "echo", limit: .seconds(2)) { EchoCheck.findings(context, now: WallClock.seconds()) },
            Check(name: "service", limit: .seconds(1)) {
                guard let unit else { return [] }
                let emptier = UnitState.emptier(of: unit.dropIns())
                let credentials = unit.containerFinding(closed: UnitState.closedFiles(), emptiedBy: emptier)
                return [unit.finding] + [credentials].compactMap { $0 }
            },
        ]
    }
}
