package import VoiceConversation

/// The values with which a session starts, besides its settings.
package struct GeminiStart: Equatable, Sendable {
    /// Prefix of its names: other sessions use others.
    package var tag: String
    /// Resumes the session with this handle.
    package var handle: String?
    /// Calls that were open when that session was lost. It waits for their answers, and for nothing else.
    package var lostCalls: [GeminiCall] = []
    /// The charge for a turn whose bill was lost with its connection, estimated.
    package var unbilled: Usage?
    /// Whether answers say when they are to be said; the service may refuse that.
    package var schedules = true

    package init(tag: String) { self.tag = tag }
}

/// How a connection ended.
package struct GeminiLoss: Equatable, Sendable {
    /// The session was not asked to end.
    package var isLost: Bool
    /// The handle of the session, or of the one that it was to resume; nil if the connection ended before the setup.
    package var handle: String?
    package var openCalls: [GeminiCall]
    package var unbilled: Usage?
    package var wasLive: Bool

    package init(
        isLost: Bool,
        handle: String? = nil,
        openCalls: [GeminiCall] = [],
        unbilled: Usage? = nil,
        wasLive: Bool = true
    ) {
        self.isLost = isLost
        self.handle = handle
        self.openCalls = openCalls
        self.unbilled = unbilled
        self.wasLive = wasLive
    }
}

/// The memory that a service's connections leave to the next ones. Pure; times are monotonic.
package struct GeminiMemory: Equatable, Sendable {
    /// The service keeps a lost session for two hours.
    private static let handleLife = Duration.seconds(7200)
    /// Pause after a spent quota: the first, and the longest. It doubles each time.
    private static let quotaPause = (first: Duration.seconds(60), longest: Duration.seconds(900))
    /// A message that the service calls invalid may be refused again: within this time, the next session waits.
    private static let repeatPause = Duration.seconds(60)
    /// A session that lives this long had a quota.
    private static let healthy = Duration.seconds(10)

    private struct Lost: Equatable, Sendable {
        var handle: String
        var calls: [GeminiCall]
        var settings: GeminiSettings
        var at: Duration
        /// Whether a connection is trying to resume it.
        var isTried = false
    }

    private var lost: Lost?
    private var unbilled: Usage?
    private var live = 0
    /// When the latest session was set up.
    private var beganAt = Duration.zero
    private var quotas = 0
    private var startedOver: Duration?
    private var schedules = true

    package init() {}

    /// - Parameter settings: those of the session.
    package mutating func start(_ settings: GeminiSettings, tag: String, at now: Duration) -> GeminiStart {
        var start = GeminiStart(tag: tag)
        // A session that opens beside another is told its history. A resumed one keeps its instructions.
        if live == 0, let lost, !lost.isTried, now - lost.at < Self.handleLife, lost.settings == settings {
            self.lost?.isTried = true
            start.handle = lost.handle
            start.lostCalls = lost.calls
        }
        start.unbilled = unbilled
        start.schedules = schedules
        return start
    }

    /// A session is set up.
    package mutating func began(at now: Duration) {
        live += 1
        beganAt = now
        lost = nil
        unbilled = nil
    }

    /// - Parameter settings: those of the session.
    /// - Returns: how long to wait before the next; nil to leave that to the conversation.
    package mutating func ended(
        _ loss: GeminiLoss,
        _ end: GeminiEnd?,
        _ settings: GeminiSettings,
        at now: Duration
    ) -> Duration? {
        if loss.wasLive {
            live = max(0, live - 1)
            if now - beganAt >= Self.healthy { quotas = 0 }
        }
        if let usage = loss.unbilled { unbilled = usage }
        guard loss.isLost else {
            if live == 0 { lost = nil }
            return nil
        }
        if loss.wasLive, live == 0, let handle = loss.handle {
            lost = Lost(handle: handle, calls: loss.openCalls, settings: settings, at: now)
        } else if !loss.wasLive {
            // Resuming is tried once: the next session is told its history. If connection or quota failed, resuming was not tried.
            if loss.handle == nil || end?.meaning == .quota { lost?.isTried = false } else { lost = nil }
        }
        switch end?.meaning {
        case .quota:
            defer { quotas += 1 }
            return min(Self.quotaPause.first * (1 << min(quotas, 8)), Self.quotaPause.longest)
        case .unscheduled:
            schedules = false
            // It is unknown whether the call is still open whose answer the service refused; a session that is told its
            // history has no open call.
            lost = nil
            return nil
        case .startOver:
            lost = nil
            defer { startedOver = now }
            return startedOver.map { now - $0 < Self.repeatPause } == true ? Self.repeatPause : nil
        case .refused:
            lost = nil
            return nil
        case .expired, .lost, nil: return nil
        }
    }
}
