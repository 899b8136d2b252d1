internal import VoiceAudio
internal import VoiceConversation

/// Decides what the service manager is told, and when. No input or output, no clock.
///
/// Ready: when microphone, loudspeaker and session are up; or, when that takes longer than `grace` or the service has
/// refused us, without what is missing, and the status says what that is.
///
/// Alive: while the audio thread cycles, the network thread and the conversation's loop turn, and the microphone, if it is
/// said to run, delivers frames. A device that is away is no reason to be killed: it is being waited for. A part that has
/// not moved for `patience` is dead, and the watchdog is left to bite.
package struct ServiceManagerReport: Sendable {
    package static let grace = Duration.seconds(8)
    package static let patience = Duration.seconds(5)
    /// A session that has not begun to be opened is not yet "no session wanted".
    private static let firstLook = Duration.seconds(1)

    package private(set) var isReady = false
    private let interval: Duration?
    private let start: Duration
    private var status: String?
    private var lastPet: Duration?
    private var last: ServiceSnapshot?
    private var moved: [Duration]

    /// - Parameter watchdog: how often a sign of life is wanted; nil for never.
    package init(watchdog: Duration?, at now: Duration) {
        // Twice as often as needed would do; a late one must not kill us on a busy machine.
        interval = watchdog.map { $0 / 4 }
        start = now
        moved = [Duration](repeating: now, count: 4)
    }

    /// To be called at every change of state, and a few times a second.
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

    /// The configuration has been read again: the status stands, readiness is reported anew.
    package mutating func reloaded() -> [ServiceNotice] {
        isReady ? [.ready] + (status.map { [.status($0)] } ?? []) : []
    }

    private func mayBeReady(_ snapshot: ServiceSnapshot, at now: Duration) -> Bool {
        if case .error = snapshot.conversation { return true }
        if case .idle = snapshot.conversation, now - start < Self.firstLook { return false }
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
        // A device that has just come back is given its time.
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
