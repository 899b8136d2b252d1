internal import Logging
internal import VoiceActivation
internal import VoiceAgent
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

extension VoiceDaemon {
    /// The health at this moment.
    func health(_ snapshot: ServiceSnapshot, _ spending: BudgetStatus?) async -> Health {
        var signs = HealthSigns()
        let reach = await session.reach
        signs.service = .init(reach.state, reach.trouble)
        signs.serviceRetryIn = await session.retryIn
        let present = await session.present
        signs.isServiceLocal = present.request?.staysNear ?? true
        signs.substitute = await session.substitute
        for client in agents.all where signs.agent == nil {
            signs.agent = await client.trouble.map { HealthSigns.Agent($0, of: client.name) }
        }
        signs.microphone = snapshot.sign(of: .microphone)
        signs.loudspeaker = snapshot.sign(of: .loudspeaker)
        if await session.activationStatus.mode == .wake { signs.wordsUnheard = listener?.lack.calls?.description }
        signs.budgetSpentUntil = spending?.spentUntil
        signs.hasFreeService = ([settings.service] + settings.substitutes).contains {
            $0.capabilities.charge == .nothing
        }
        signs.clockUnset = ClockInstant.now().unset
        signs.disk = diskProblem
        signs.timersLost = timersLost
        return monitor.step(signs, at: Monotonic.now())
    }

    /// Watches the health until cancelled, and logs what is logged nowhere else.
    func watchHealth() async {
        async let _: Void = watchDisk()
        async let _: Void = watchAgent()
        async let _: Void = watchService()
        var known = Health()
        repeat {
            let health = await serviceSnapshot.health
            defer { known = health }
            guard health.kinds != known.kinds else { continue }
            let news = health.unlogged
            let metadata = Logger.Metadata.event(.health, ["level": .public(news.level.rawValue)])
            if health.level == .well {
                logger.notice("all is well again", metadata: metadata)
            } else if news.level != .well, news.kinds != known.unlogged.kinds {
                logger.warning("\(private: news.text)", metadata: metadata)
            }
            events.post(DaemonEvent(.health, ["level": .string(health.level.rawValue)]))
        } while await ports.bell.nextBeat()
    }
}

extension VoiceDaemon {
    /// Asks the agents until cancelled, now and then, whether they are there. Apart from the health, which must not wait for it.
    private func watchAgent() async {
        repeat { await agents.look() } while await ports.bell.nextBeat()
    }

    /// Looks until cancelled whether the voice service is there: soon after the start, then every quarter of an hour, and twice
    /// a minute while it is away. During a conversation the session itself notices.
    private func watchService() async {
        for tick in 0... {
            guard (try? await Task.sleep(for: .seconds(10))) != nil else { return }
            if await tick % (session.reach.trouble == nil ? 90 : 3) == 0 { await session.look() }
        }
    }

    /// Looks at the disk until cancelled, on a thread of its own: a disk that fails may hang.
    private func watchDisk() async {
        guard let path = settings.volumes.stateDirectory else { return }
        repeat {
            diskProblem = await OwnThread.run("jv-disk") { StateDirectory.problem(path) }
        } while (try? await Task.sleep(for: .seconds(10))) != nil
    }
}

extension Health {
    /// The problems that only the health check notices: all others are logged where they happen, with their reasons.
    fileprivate var unlogged: Health { Health(problems.filter { [.agent, .clock, .disk].contains($0.part) }) }

    /// The faults without their wording, which may differ from one attempt to the next.
    fileprivate var kinds: [String] { problems.map { "\($0.part) \($0.level)" } }
}

extension HealthSigns.Service {
    init(_ state: ConversationState, _ trouble: ServiceTrouble?) {
        switch (state, trouble) {
        case (.error(let reason), _): self = .refused(reason)
        case (.idle, let trouble?) where trouble.isRefusal: self = .refused(trouble.reason)
        case (.idle, let trouble?), (.connecting, let trouble?):
            self = trouble.kind == .limited ? .limited(trouble.reason) : .unreachable(trouble.reason)
        case (.idle, nil): self = .unused
        case (.connecting, nil): self = .connecting
        default: self = .ready
        }
    }
}

extension HealthSigns.Agent {
    init(_ trouble: JarvisTrouble, of agent: AgentName) {
        let (text, fix) = trouble.failure.forHousehold(of: agent)
        self.init(text: text, fix: fix, retryIn: trouble.retryIn)
    }
}
