internal import VoiceBase
package import VoiceConversation
internal import VoiceReply

/// Translates between the service-neutral vocabulary (`ServiceReport`, `ServiceRequest`) and one GPT-Live session. One per
/// connection. Pure: the caller passes in the time.
///
/// The service has no turns, responses or items, so the translator makes them. A turn of the user is a turn of the local voice
/// detector, a response is a stretch of speech on the track (`LiveTrack`), and a call is a delegation whose words have settled
/// (`LiveDelegations`). A delegation is reported as a separate response without speech.
package struct LiveTranslator: Sendable {
    package typealias Effect = ServiceEffect<LiveClientEvent, Lesson>

    /// A fact that a session has learned for the next ones.
    package enum Lesson: Equatable, Sendable {
        /// The service does not know `acknowledgement_delay_ms`.
        case refusesDelay
    }

    enum Phase: Equatable, Sendable {
        case opening, starting, live, closing, closed
    }

    package let settings: LiveSettings
    var phase = Phase.opening
    package var outbox = ServiceOutbox<LiveClientEvent, Lesson>(tag: "live")
    private var startedAt = Duration.zero
    private var usedSeconds: Double?
    private var frozenReports = 0
    /// Share of the session's context above which it counts as nearly full.
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
    /// Words that arrived before their sound.
    var earlyWords: [LiveFragment] = []
    /// Recent speech, for notes on how much of it was heard.
    var spoken: [Speech] = []
    var lastSound: Duration?

    // Requests
    var delegations = LiveDelegations()
    var appends = LiveAppends()
    var held: [Held] = []
    /// News whose tone is not known yet.
    var news: [(value: ForeignReport, at: Duration)] = []
    var typed: String?
    var localCalls: [String] = []
    var awaited: Awaited?
    /// The open question or permission of the agent.
    var prompt: OpenPrompt?
    /// The result of the last order is audible and needs no spoken reply.
    var needsNoWords = false
    /// The order for which the user was asked "morning or evening", until the next turn.
    var unsettled: SpokenCommand?
    /// When a text was last sent to be spoken, and how much was spoken since, in loud samples; nil once it was spoken or
    /// abandoned.
    var given: (at: Duration, loud: Int)?

    package var isLive: Bool { phase == .live }
    /// The session was asked to end and has not confirmed it yet.
    package var isClosing: Bool { phase == .closing }
    package var isClosed: Bool { phase == .closed }

    package init(_ settings: LiveSettings) {
        self.settings = settings
    }

    /// The user's turn as detected locally.
    struct UserTurn: Sendable {
        var item: String
        var text = ""
        /// Start and end of the turn in the session's audio, in ms, and when it ended.
        var start = 0
        var end = 0
        var endedAt = Duration.zero
        /// End of the turn's last voice and last word, in ms, and when that word arrived.
        var voiceEnd = 0
        var wordsEnd = 0
        var heardAt = Duration.zero
        /// The local detector heard speech, not just a noise: the turn may give a permission.
        var isSure = true
        /// The turn was checked for an order, or delegated.
        var isJudged = false
        /// The first response after the turn: its calls have the authority of this turn.
        var answer: String?

        mutating func add(_ fragment: LiveFragment, _ now: Duration) {
            text += fragment.text
            wordsEnd = max(wordsEnd, fragment.end)
            heardAt = now
        }
        /// The whole text of the turn was reported.
        var isReported = false
    }

    /// A stretch of the model's speech.
    struct Speech: Sendable {
        var response: String
        var item: String
        var words: [LiveFragment] = []
        /// Where each word begins in the played sound, in ms.
        var places: [Int] = []
        var isNoted = false

        var part: SpokenPart { SpokenPart(responseID: response, itemID: item, contentIndex: 0) }
        var text: String { words.map(\.text).joined() }
    }

    /// A text to be spoken once the user is silent.
    struct Held: Sendable {
        var text: String
        var delegation: String?
        var since: Duration
    }

    /// A requested response.
    struct Awaited: Sendable {
        var request: String
        var since: Duration
    }

    // MARK: Messages from the service

    package mutating func connected() -> [Effect] {
        phase = .opening
        report(.opened(id: nil, ends: nil))
        return drain()
    }

    package mutating func receive(_ event: LiveServerEvent, at now: Duration) -> [Effect] {
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
            if !delegations.created(id, at: place, now: now), delegations.isFull {
                report(.dropped(.agent))
                send(.thinking, ["Too many requests wait. This one is not done; tell the user."], delegation: id, now)
            }
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
        if !id.isEmpty { outbox.tag = String(id.prefix(40)) }
        // With any other kind of delegation the daemon would never receive a request.
        let refused = delegation.flatMap { $0 == "client" ? nil : "session.delegation" }
        report(.ready(ServiceReadiness(id: id, ends: ends, refused: refused)))
    }

    /// Watches the session's clock, which is the uplink audio: if the audio stalls, so does the session.
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

    /// Reports a nearly full context, so that another session takes over. Above nine tenths the service replaces the engine of
    /// the session, which forgets most of the conversation.
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
        case "content": end(.moderated, "the service ended the conversation (content policy)")
        default: end(.lost, "the service closed the session: \(reason.prefix(80))")
        }
    }

    mutating func end(_ closing: ServiceClosing, _ reason: String) {
        guard phase != .closed else { return }
        phase = .closed
        report(.closing(closing, reason))
    }

    private mutating func unknown(_ type: String) {
        // The server is reachable but speaks another protocol, and would never answer.
        if phase == .starting, type.hasPrefix("session.") || type.hasPrefix("turn.") {
            return end(.refused, "the server does not speak the protocol of GPT-Live: it answers with \(type)")
        }
        report(.unknown(type))
    }

    // MARK: Errors

    private mutating func failed(_ error: LiveError, _ now: Duration) {
        let isStarted = phase == .live || phase == .closing
        if !isStarted, error.code == "unknown_parameter", settings.acknowledgementDelay != nil {
            emit(.own(.refusesDelay))
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
                    meaning, name: error.name, text: error.text, setting: error.setting, request: error.request
                )
            )
        )
    }

    /// Retries once: in smaller pieces, or without the delegation if the service does not know it.
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

    /// Time without a delta after which speech counts as over, and after which the session counts as dead.
    private static let stalled = Duration.seconds(2)
    private static let dead = Duration.seconds(12)

    /// Carries out the work that is due by `now`.
    package mutating func tick(at now: Duration, isPlaying: Bool = false) -> [Effect] {
        guard phase == .live else { return [] }
        settleDelegations(now)
        sendHeld(now)
        settleNews(now)
        settleTurn(now)
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

extension LiveTranslator: NamingTranslator {
    package static let audioMessage = (before: #"{"type":"session.input_audio.append","audio":""#, after: #""}"#)
    package static let closeLimit = Duration.seconds(15)

    package mutating func read(_ text: UnsafeRawBufferPointer, _ downlink: Downlink, at now: Duration) -> [Effect]? {
        func play(_ base64: UnsafeRawBufferPointer) -> [Effect]? {
            downlink.decode(base64).map { sound($0, waiting: downlink.waiting, at: now) }
        }
        if let delta = AudioDelta(text, of: AudioDelta.live, isNamed: false) {
            return play(UnsafeRawBufferPointer(rebasing: text[delta.audio]))
        }
        guard let event = LiveEventDecoder.decode(text) else { return nil }
        guard case .ignored("session.output_audio.delta") = event else { return receive(event, at: now) }
        guard var delta = AudioDelta.slowly(text) else { return nil }
        return delta.audio.withUTF8 { play(UnsafeRawBufferPointer($0)) }
    }

    package func encoded(_ message: LiveClientEvent) -> [UInt8] { message.encoded }
}
