internal import Logging
internal import VoiceAgent
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// Notices when the clock of the machine is set. Pure.
struct ClockWatch: Sendable {
    enum News: Sendable, Equatable {
        /// The clock is not set; the problem in one line.
        case unset(String)
        /// The clock, which was not set, is.
        case set
    }

    private var wasSet = true

    /// Call it about once a second.
    mutating func step(_ now: ClockInstant) -> News? {
        defer { wasSet = now.isPlausible }
        return wasSet == now.isPlausible ? nil : now.unset.map(News.unset) ?? .set
    }
}

extension VoiceDaemon {
    /// Watches the clock until cancelled. When it is set, the voice service and the agents are tried again, and
    /// budgets, timers and alarms are checked.
    func watchClock() async {
        var watch = ClockWatch()
        repeat {
            guard let news = watch.step(.now()) else { continue }
            switch news {
            case .unset(let problem):
                logger.warning(
                    """
                    \(problem): secure connections fail and alarms wait until it is; if it stays so, run timedatectl \
                    set-ntp true, or install systemd-timesyncd
                    """
                )
            case .set:
                logger.notice("the clock is set")
                await session.retryNow()
                await session.spend()
                await timers.look()
                for client in agents.all { Task { await client.checkAtStart() } }
            }
        } while await ports.bell.nextBeat()
    }
}
