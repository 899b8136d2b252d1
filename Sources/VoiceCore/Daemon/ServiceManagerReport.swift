internal import VoiceAudio
internal import VoiceConversation

/// Decides which notices the service manager gets, and when. Without I/O or clock.
///
/// Ready: when microphone, loudspeaker and session are up. If that takes longer than `grace`, or the service has
/// refused the session, the daemon is ready without the missing parts, and the status names them.
///
/// Alive: while the audio thread, the network thread and the conversation's loop make progress, and the microphone, if
/// it is reported as running, delivers frames. A missing device does not count as dead, because the daemon waits for
/// it. If a part has made no progress for `patience`, watchdog notices stop, so that the service manager restarts the
/// daemon.
package struct ServiceManagerReport: Sendable {
    package static let grace = Duration.seconds(8)
    package static let patience = Duration.seconds(5)
    /// Time after the start during which an idle conversation does not count as ready, unless it waits for a call: the session
    /// may be about to be opened.
    private static let firstLook = Duration.seconds(1)

    package private(set) var isReady = false
    private let interval: Duration?
    private let start: Duration
    private var status: String?
    private var lastPet: Duration?
    private var last: ServiceSnapshot?
    private var moved: [Duration]

    /// - Parameter watchdog: the interval in which the service manager expects a notice; nil for none.
    package init(watchdog: Duration?, at now: Duration) {
        // Half the interval would suffice; a quarter tolerates a late notice on a busy machine.
        interval = watchdog.map { $0 / 4 }
        start = now
        moved = [Duration](repeating: now, count: 4)
    }

    /// Call it at every change of state, and about once a second.
    package mutating func step(_ snapshot: ServiceSnapshot, at now: Duration) -> [ServiceNotice] {
        note(snapshot, at: now)
        var notices: [ServiceNotice] = []
        if !isReady, mayBeReady(snapshot, at: now) {
            isReady = true
            notices.append(.ready)
        }
        if snapshot.text != status {
            status = snapshot.text
            notices.append(.status(snapshot.text))
        }
        if let interval, isAlive(snapshot, at: now), lastPet.map({ now - $0 >= interval }) ?? true {
            lastPet = now
            notices.append(.watchdog)
        }
        return notices
    }

    /// After a reload: the status is unchanged, and readiness is reported again.
    package mutating func reloaded() -> [ServiceNotice] {
        isReady ? [.ready] + (status.map { [.status($0)] } ?? []) : []
    }

    private func mayBeReady(_ snapshot: ServiceSnapshot, at now: Duration) -> Bool {
        if case .error = snapshot.conversation { return true }
        if case .idle = snapshot.conversation, !snapshot.awaitsCall, now - start < Self.firstLook { return false }
        return snapshot.isUp || now - start >= Self.grace
    }

    package func isAlive(_ snapshot: ServiceSnapshot, at now: Duration) -> Bool {
        let mustCapture = snapshot.hasDevices && snapshot.microphone.isOpen
        return moved.enumerated().allSatisfy { part, instant in
            part == 0 && !mustCapture || now - instant < Self.patience
        }
    }

    private mutating func note(_ snapshot: ServiceSnapshot, at now: Duration) {
        let counts = Self.counts(snapshot)
        let before = last.map(Self.counts) ?? counts
        // A device that has just been reopened gets the full time.
        let wasOpen = last?.microphone.isOpen ?? false
        for (part, count) in counts.enumerated() where count != before[part] || part == 0 && !wasOpen {
            moved[part] = now
        }
        last = snapshot
    }

    private static func counts(_ snapshot: ServiceSnapshot) -> [UInt64] {
        [snapshot.captured, snapshot.cycles, snapshot.conversationTurns, snapshot.networkTurns]
    }
}
