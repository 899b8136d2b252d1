internal import VoiceBase

/// Between the words that no wire knows and a GPT-Live session: one for each connection. Pure: it is told the time.
///
/// The service knows no turns, no responses and no items: they are made here. A turn of the user is what the microphone of
/// this machine hears as one, a response a stretch of speech on the track (`LiveTrack`), a call a delegation whose words have
/// settled (`LiveDelegations`). A delegation is told as a response of its own that says nothing.
package struct LiveTranslator: Sendable {
    package enum Effect: Equatable, Sendable {
        case report(ServiceReport)
        case send(LiveClientEvent)
        /// These samples of the delta at hand are to be played.
        case play(Range<Int>, of: SpokenPart)
        /// No more comes of it.
        case finish(SpokenPart)
    }

    enum Phase: Equatable, Sendable {
        case opening, starting, live, closing, closed
    }

    package let settings: LiveSettings
    var phase = Phase.opening
    var effects: [Effect] = []
    /// Before the names of this session's items: other sessions of the conversation have others.
    private var tag = "live"
    private var names = 0
    private var startedAt = Duration.zero
    private var usedSeconds: Double?
    private var frozenReports = 0
    /// The part of the session's context from which on it is nearly full.
    private static let nearlyFull = 0.75
    private var isNearlyFull = false
    private var badAudio = 0

    // The user
    var voice = HeardVoice()
    var user: UserTurn?
    var lastUser: UserTurn?
    var phantomUntil: Int?

    // The model
    var track = LiveTrack()
    var speech: Speech?
    /// Words that came before the sound that they belong to.
    var earlyWords: [LiveFragment] = []
    /// What was said of late, for a note of what was heard of it.
    var spoken: [Speech] = []
    var lastSound: Duration?

    // What it is told
    var delegations = LiveDelegations()
    var appends = LiveAppends()
    var held: [Held] = []
    /// What waits for what is to be done with it.
    var news: (value: ForeignReport, at: Duration)?
    var typed: String?
    var localCalls: [String] = []
    var awaited: Awaited?
    /// When something was last given to be said, and how much was said since, in loud samples; nil once it was told of.
    var given: (at: Duration, loud: Int)?

    /// It was asked to end and has not said that it did.
    package var isLive: Bool { phase == .live }
    package var isClosing: Bool { phase == .closing }

    package init(_ settings: LiveSettings) {
        self.settings = settings
    }

    /// The user's turn as it was heard here.
    struct UserTurn: Sendable {
        var item: String
        var text = ""
        /// Where it ended, in ms, and when.
        var end = 0
        var endedAt = Duration.zero
        /// Its words were told as a whole.
        var isReported = false
    }

    /// A stretch of speech.
    struct Speech: Sendable {
        var response: String
        var item: String
        var words: [LiveFragment] = []
        /// For each word, where in the sound it begins, in ms of what is played.
        var places: [Int] = []
        var isNoted = false

        var part: SpokenPart { SpokenPart(responseID: response, itemID: item, contentIndex: 0) }
        var text: String { words.map(\.text).joined() }
    }

    /// To be said once the user does not speak.
    struct Held: Sendable {
        var text: String
        var delegation: String?
        var since: Duration
    }

    /// A response that was asked for.
    struct Awaited: Sendable {
        var request: String
        var since: Duration
    }

    // MARK: Names and effects

    mutating func name(_ kind: String) -> String {
        names += 1
        return "\(tag)-\(kind)\(names)"
    }

    mutating func report(_ report: ServiceReport) { effects.append(.report(report)) }

    mutating func trouble(_ name: String, _ text: String, request: String? = nil) {
        report(.trouble(ServiceError(.other, name: name, text: text, request: request)))
    }

    mutating func drain() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    // MARK: What the service says

    package mutating func connected() -> [Effect] {
        phase = .opening
        report(.opened(id: nil, ends: nil))
        return drain()
    }

    package mutating func take(_ event: LiveServerEvent, at now: Duration) -> [Effect] {
        guard phase != .closed else { return [] }
        switch event {
        case .started(let id, let ends, let delegation): started(id, ends, delegation, now)
        case .heard(let fragment): if phase == .live { heard(fragment, now) }
        case .said(let fragment): if phase == .live { said(fragment, now) }
        case .delegated(let id, let target, let place):
            guard phase == .live else { break }
            guard target == "client" else {
                end(.refused, "the service hands requests over to \(target.prefix(40)), not to this box")
                break
            }
            _ = delegations.created(id, at: place, now: now)
            settleDelegations(now)
        case .placed(let tone, let request): appends.placed(tone, id: request)
        case .usage(let seconds, let context):
            used(seconds)
            fills(context)
        case .closed(let reason, _): closed(reason, now)
        case .error(let error): failed(error, now)
        case .info: break
        case .ignored: break
        case .unknown(let type): unknown(type)
        }
        return drain()
    }

    private mutating func started(_ id: String, _ ends: Int?, _ delegation: String?, _ now: Duration) {
        guard phase == .starting else { return }
        phase = .live
        startedAt = now
        if !id.isEmpty { tag = String(id.prefix(40)) }
        // Under another kind of delegation nothing would ever be handed over to us.
        let refused = delegation.flatMap { $0 == "client" ? nil : "session.delegation" }
        report(.ready(ServiceReadiness(id: id, ends: ends, refused: refused)))
    }

    /// The session's clock is the sound that it is sent: where that stands still, so does the session.
    private mutating func used(_ seconds: Double) {
        defer { usedSeconds = seconds }
        guard phase == .live, let usedSeconds else { return }
        guard seconds <= usedSeconds else {
            frozenReports = 0
            return
        }
        frozenReports += 1
        if frozenReports == 1 {
            trouble("uplink_stopped", "the session's clock stands still: the sound that is sent does not reach it")
        } else {
            end(.lost, "the session's clock stands still")
        }
    }

    /// From nine tenths on the service exchanges the engine behind the session, which forgets most of what was said. So
    /// another session takes over before that.
    private mutating func fills(_ context: Double?) {
        guard let context, context >= Self.nearlyFull, !isNearlyFull else { return }
        isNearlyFull = true
        report(.nearlyFull)
    }

    private mutating func closed(_ reason: String, _ now: Duration) {
        let isYoung = phase == .starting || now - startedAt < .seconds(60)
        switch reason {
        case "close_requested" where phase == .closing: end(.asked, "")
        case "expired" where isYoung: end(.lost, "the session expired for want of sound")
        case "expired": end(.expired, "the session reached its maximum duration")
        case "content": end(.moderated, "the service does not go on with this conversation")
        default: end(.lost, "the service closed the session: \(reason.prefix(80))")
        }
    }

    mutating func end(_ closing: ServiceClosing, _ reason: String) {
        guard phase != .closed else { return }
        phase = .closed
        report(.closing(closing, reason))
    }

    private mutating func unknown(_ type: String) {
        // A server that is there and speaks another protocol never answers in this one.
        if phase == .starting, type.hasPrefix("session.") || type.hasPrefix("turn.") {
            return end(.refused, "the server does not speak the protocol of GPT-Live: it answers with \(type)")
        }
        report(.unknown(type))
    }

    // MARK: Errors

    /// The service does not know `acknowledgement_delay_ms`.
    package private(set) var refusesDelay = false

    private mutating func failed(_ error: LiveError, _ now: Duration) {
        let isStarted = phase == .live || phase == .closing
        if !isStarted, error.code == "unknown_parameter", settings.acknowledgementDelay != nil {
            refusesDelay = true
            return end(.lost, "the service does not know acknowledgement_delay_ms: asked again without it")
        }
        if phase == .live, let id = error.request, let append = appends.failed(id) {
            if !append.isRetry, retry(append, error, now) { return }
        }
        if error.code == "invalid_audio" {
            badAudio += 1
            if badAudio >= 3 { return end(.lost, "the service cannot read the sound that it is sent") }
        }
        let meaning = ErrorClass(error, isStarted: isStarted)
        report(
            .trouble(
                ServiceError(
                    meaning,
                    name: error.name,
                    text: error.text,
                    setting: error.setting,
                    request: error.request
                )
            )
        )
    }

    /// Once: in smaller pieces, or without the delegation that the service does not know.
    private mutating func retry(_ append: LiveAppends.Append, _ error: LiveError, _ now: Duration) -> Bool {
        if error.setting == "delegation_id", append.delegation != nil {
            send(append.tone, [append.text], delegation: nil, now, isRetry: true)
            return true
        }
        guard error.code == "invalid_value", append.text.utf8.count > 200 else { return false }
        let pieces = LivePieces.of(append.text, bytes: min(append.text.utf8.count, LivePieces.mostBytes) / 2)
        send(append.tone, pieces, delegation: append.delegation, now, isRetry: true)
        return true
    }

    // MARK: Time

    /// How long without a delta until speech counts as over, and the session as dead.
    private static let stalled = Duration.seconds(2)
    private static let dead = Duration.seconds(12)

    /// What is due by now.
    package mutating func tick(at now: Duration) -> [Effect] {
        guard phase == .live else { return [] }
        settleDelegations(now)
        sendHeld(now)
        if let news, now - news.at >= .milliseconds(100) { know(news.value, now) }
        tellUser(now)
        settleAwaited(now)
        let lost = appends.lost(at: now)
        if lost > 0 { trouble("append_unplaced", "\(lost) texts were never placed in the session") }
        if let lastSound {
            let silence = now - lastSound
            if silence >= Self.stalled, speech != nil {
                track.split()
                endSpeech(.completed)
            }
            if silence >= Self.dead { end(.lost, "the service sends no sound any more") }
        }
        return drain()
    }
}
