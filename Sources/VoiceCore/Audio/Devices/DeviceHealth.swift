/// Decides from its heartbeat when a device is opened, given up and reported. Pure.
///
///     absent --open--> opening --opened--> open --close--> closing --gone--> absent
///        ^------------refused--'            '-----------gone--------------^
///
/// - Pauses between attempts double from 0.25 s to 2 s and start over once frames have flowed for 5 s.
/// - No frame for 2 s: the device is closed and reopened. One that never delivered any since it was first opened counts as
///   one that cannot be opened.
/// - The same value for 5 s: the device is closed and reopened once. If that does not help, this is reported once and retried
///   after 30 s, 60 s, ... at most an hour. If a device falls silent repeatedly, the limit of 5 s grows likewise, until it
///   has sounded for ten minutes.
/// - A change is reported once, however many attempts it takes.
struct DeviceHealth: Sendable {
    enum Event: Sendable, Equatable {
        /// Heartbeat: frames moved since the start, and consecutive periods in which the samples did not change.
        case beat(frames: UInt64, stillPeriods: Int)
        case opened
        /// `absent`: the device does not exist at present, as opposed to one that cannot be opened.
        case refused(reason: String, absent: Bool)
        /// The audio thread has given the device back.
        case gone(reason: String)
    }

    enum Action: Sendable, Equatable {
        case open
        case close
    }

    enum Notice: Sendable, Equatable {
        case waiting(reason: String)
        case lost(reason: String)
        /// Frames flow; `after`: time since it was lost, or since the first attempt if that was refused.
        case running(after: Duration?)
        case silent
        case heard
    }

    struct Verdict: Sendable, Equatable {
        var action: Action?
        var notice: Notice?
    }

    private enum Phase: Sendable, Equatable {
        case absent(nextTry: Duration)
        case opening
        case open
        case closing
    }

    private enum Silence: Sendable, Equatable {
        case none
        /// Reopened because of silence, which may have helped.
        case suspected
        case reported(nextTry: Duration)
    }

    static let shortestPause = Duration.milliseconds(250)
    static let longestPause = Duration.seconds(2)
    static let closeLook = Duration.milliseconds(50)
    static let stallLimit = Duration.seconds(2)
    static let stillLimit = Duration.seconds(5)
    static let firstSilentPause = Duration.seconds(30)
    static let longestSilentPause = Duration.seconds(3600)
    static let healed = Duration.seconds(600)
    static let steady = Duration.seconds(5)
    /// Least time between two reports of why the device cannot be opened.
    static let waitingNoticePause = Duration.seconds(30)
    /// Frames after which an opened device counts as running: 100 ms.
    static let proof: UInt64 = 4800
    static let nothing = "has stalled: no audio passes"
    static let never = "opens, but no audio passes"
    static let unplugged = "has gone"
    static let constant = "delivers only digital silence"

    private(set) var state: DeviceState
    private var phase = Phase.absent(nextTry: .zero)
    private var pause = Self.shortestPause
    private var silence = Silence.none
    private var silentPause = Self.firstSilentPause
    private var quietLimit = Self.stillLimit
    private var soundingSince: Duration?
    /// The last notice and its time.
    private var reported: Notice?
    /// Whether frames flowed before.
    private var hasRun: Bool
    /// Whether it waits for a device that opens and has never passed audio.
    private(set) var passesNothing = false
    private var reportedAt = Duration.zero
    private var awaySince: Duration?
    private var openedAt = Duration.zero
    private var framesAtOpening: UInt64 = 0
    private var lastFrames: UInt64 = 0
    private var lastProgress = Duration.zero
    private var lastBeat = Duration.zero
    /// Whether the last beat brought frames.
    private var isMoving = false

    /// - Parameter isResting: whether the device ran, and was given back for lack of sound.
    init(isResting: Bool = false) {
        state = isResting ? .resting : .waiting(reason: "not opened yet")
        reported = isResting ? .running(after: nil) : nil
        hasRun = isResting
    }

    /// - Parameter now: on a monotonic clock.
    mutating func handle(_ event: Event, at now: Duration) -> Verdict {
        switch event {
        case .beat(let frames, let still): beat(frames, .milliseconds(10 * still), now)
        case .opened: opened(now)
        case .refused(let reason, let absent): refused(reason, absent, now)
        case .gone(let reason): gone(reason, now)
        }
    }

    /// When the next beat is due, unless the bell rings before: every second while sound passes the open device, every 50 ms
    /// until it does and when it has stopped. nil: nothing changes until the bell rings.
    func nextBeat(at now: Duration) -> Duration? {
        switch phase {
        case .absent(let nextTry): nextTry
        case .opening, .closing: nil
        case .open: isMoving && state.isOpen ? Doorbell.beat(after: now) : now + Self.closeLook
        }
    }

    private mutating func opened(_ now: Duration) -> Verdict {
        phase = .open
        openedAt = now
        framesAtOpening = lastFrames
        (lastProgress, lastBeat) = (now, now)
        return Verdict()
    }

    private mutating func refused(_ reason: String, _ absent: Bool, _ now: Duration) -> Verdict {
        postpone(now)
        if awaySince == nil { awaySince = now }
        // The absence of a lost device is not news.
        if absent, case .lost = reported {
            state = .waiting(reason: reason)
            return Verdict()
        }
        return wait(reason, now)
    }

    private mutating func gone(_ reason: String, _ now: Duration) -> Verdict {
        let before = phase
        if now - openedAt >= Self.steady && lastFrames > framesAtOpening { pause = Self.shortestPause }
        postpone(now)
        if awaySince == nil { awaySince = now }
        // The close was requested here, and has been reported if necessary.
        if before == .closing { return Verdict() }
        silence = .none
        guard hasRun || reason == Self.unplugged else {
            return waitForAudio(" (\(reason))", now)
        }
        state = .lost(reason: reason)
        if case .lost = reported { return Verdict() }
        return report(.lost(reason: reason), now)
    }

    /// Waits for a device that cannot be used, and reports a new reason.
    private mutating func wait(_ reason: String, _ now: Duration) -> Verdict {
        state = .waiting(reason: reason)
        passesNothing = false
        if case .waiting(let known) = reported, known == reason || now - reportedAt < Self.waitingNoticePause {
            return Verdict()
        }
        return report(.waiting(reason: reason), now)
    }

    private mutating func waitForAudio(_ detail: String, _ now: Duration) -> Verdict {
        defer { passesNothing = true }
        return wait(Self.never + detail, now)
    }

    private mutating func postpone(_ now: Duration) {
        phase = .absent(nextTry: now + pause)
        pause = min(pause * 2, Self.longestPause)
    }

    // MARK: Heartbeat

    private mutating func beat(_ frames: UInt64, _ still: Duration, _ now: Duration) -> Verdict {
        let moved = frames &- lastFrames
        isMoving = moved > 0
        if isMoving {
            lastFrames = frames
            // Fewer frames than fit into the time since the last beat: the device may have stopped within that time.
            let soundedFor = Duration.milliseconds(Int64(clamping: moved / 48))
            lastProgress = max(lastProgress, min(now, lastBeat + soundedFor))
        }
        // A beat this late shows that the program stood still, not the device.
        if now - lastBeat >= .milliseconds(1500) { lastProgress = now }
        lastBeat = now
        switch phase {
        case .absent(let nextTry):
            guard now >= nextTry else { return Verdict() }
            phase = .opening
            return Verdict(action: .open)
        case .opening, .closing:
            return Verdict()
        case .open:
            return now - lastProgress >= Self.stallLimit ? stalled(now) : flowing(still, now)
        }
    }

    private mutating func stalled(_ now: Duration) -> Verdict {
        awaySince = awaySince ?? lastProgress
        silence = .none
        guard hasRun else {
            var verdict = waitForAudio("", now)
            verdict.action = close().action
            return verdict
        }
        state = .lost(reason: Self.nothing)
        var verdict = close()
        if case .lost = reported { return verdict }
        if case .waiting = reported { return verdict }
        verdict.notice = report(.lost(reason: Self.nothing), now).notice
        return verdict
    }

    private mutating func flowing(_ still: Duration, _ now: Duration) -> Verdict {
        guard lastFrames &- framesAtOpening >= Self.proof else { return Verdict() }
        hasRun = true
        if now - openedAt >= Self.steady { pause = Self.shortestPause }
        forgetOldSilence(still, now)
        if still == .zero { return sounding(now) }
        switch silence {
        case .none:
            guard still >= quietLimit else { return Verdict() }
            silence = .suspected
            awaySince = now - still
            state = .lost(reason: Self.constant)
            var verdict = close()
            verdict.notice = report(.lost(reason: Self.constant), now).notice
            return verdict
        case .suspected:
            guard still >= Self.stillLimit else { return Verdict() }
            silence = .reported(nextTry: now + silentPause)
            state = .silent
            return report(.silent, now)
        case .reported(let nextTry):
            guard now >= nextTry else { return Verdict() }
            silentPause = min(silentPause * 2, Self.longestSilentPause)
            silence = .reported(nextTry: now + silentPause)
            return close()
        }
    }

    private mutating func sounding(_ now: Duration) -> Verdict {
        let away = awaySince.map { now - $0 }
        let before = silence
        state = .running
        awaySince = nil
        silence = .none
        if before != .none {
            quietLimit = min(max(quietLimit * 2, Self.firstSilentPause), Self.longestSilentPause)
        }
        if case .reported = before { return report(.heard, now) }
        switch reported {
        case nil, .lost, .waiting: return report(.running(after: away), now)
        case .running, .silent, .heard: return Verdict()
        }
    }

    /// Resets the limits after ten minutes without a second of silence.
    private mutating func forgetOldSilence(_ still: Duration, _ now: Duration) {
        if still >= .seconds(1) {
            soundingSince = nil
        } else if let soundingSince {
            guard now - soundingSince >= Self.healed else { return }
            quietLimit = Self.stillLimit
            silentPause = Self.firstSilentPause
        } else {
            soundingSince = now
        }
    }

    private mutating func close() -> Verdict {
        phase = .closing
        return Verdict(action: .close)
    }

    private mutating func report(_ notice: Notice, _ now: Duration) -> Verdict {
        reported = notice
        reportedAt = now
        return Verdict(notice: notice)
    }
}
