package import Logging
internal import Synchronization
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork

/// Reports the daemon's health to the service manager: readiness, status, watchdog. `ServiceManagerReport` decides.
///
/// Without a service manager it only logs "ready".
package actor ServiceSupervisor {
    private let daemon: VoiceDaemon
    private let manager: ServiceManager?
    private let logger: Logger
    private var report: ServiceManagerReport
    private let pulse = Pulse()

    /// Counts turns of the loops; thread-safe.
    private final class Pulse: Sendable {
        let conversation = Atomic<UInt64>(0)
        let network = Atomic<UInt64>(0)
    }

    package init(daemon: VoiceDaemon, manager: ServiceManager?, logger: Logger) {
        self.daemon = daemon
        self.manager = manager
        self.logger = logger
        report = ServiceManagerReport(watchdog: manager?.watchdog, at: Monotonic.now())
    }

    /// Runs until cancelled.
    package func run() async {
        let changes = daemon.events.subscribe(capacity: 16)
        defer { changes.cancel() }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.feel() }
            group.addTask {
                for await event in changes.stream where event.name == .state { await self.step() }
            }
            group.addTask { await self.watch() }
        }
    }

    /// Looks once a second, together with all other regular checks; until the daemon is ready, at every change of a device, too.
    private func watch() async {
        let bell = daemon.ports.bell
        var seen = bell.rings
        while !Task.isCancelled {
            await step()
            if report.isReady {
                await pause()
            } else {
                await bell.wait(&seen, until: Doorbell.beat())
            }
        }
    }

    /// Waits for the next look: sooner if the service manager is impatient.
    private func pause() async {
        if let watchdog = manager?.watchdog, watchdog / 4 < .seconds(1) {
            try? await Sleep.for(watchdog / 4)
        } else {
            _ = await daemon.ports.bell.nextBeat()
        }
    }

    /// Shutdown has begun: watchdog notices end.
    package func stopping() {
        send([.stopping, .status("Stopping")])
    }

    /// Reports a reload around `body`.
    package func reloading(_ body: @Sendable () async -> Void) async {
        send([.reloading(since: Monotonic.now())])
        await body()
        send(report.reloaded())
    }

    /// `systemctl status` shows the text of a status to every user of the machine.
    private func send(_ notices: [ServiceNotice]) {
        let redactor = daemon.redactor
        manager?.send(notices.map { if case .status(let text) = $0 { .status(redactor.clean(text)) } else { $0 } })
    }

    private func step() async {
        guard !Task.isCancelled else { return }
        var snapshot = await daemon.serviceSnapshot
        snapshot.conversationTurns = pulse.conversation.load(ordering: .relaxed)
        snapshot.networkTurns = pulse.network.load(ordering: .relaxed)
        let wasReady = report.isReady
        send(report.step(snapshot, at: Monotonic.now()))
        guard report.isReady, !wasReady else { return }
        let metadata: Logger.Metadata = ["state": .public(snapshot.conversation.name)]
        if snapshot.health.level == .well {
            logger.notice("ready", metadata: .event(.ready, metadata))
        } else {
            logger.warning("ready. \(private: snapshot.health.text)", metadata: .event(.ready, metadata))
        }
    }

    /// Makes the loops turn once at regular intervals; the count of a loop that hangs stands still.
    private func feel() async {
        let daemon = daemon
        let pulse = pulse
        while !Task.isCancelled {
            daemon.network.enqueue { pulse.network.wrappingAdd(1, ordering: .relaxed) }
            _ = await daemon.state
            pulse.conversation.wrappingAdd(1, ordering: .relaxed)
            await pause()
        }
    }
}
