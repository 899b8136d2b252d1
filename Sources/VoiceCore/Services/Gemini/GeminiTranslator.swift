internal import VoiceBase
package import VoiceConversation

/// Translates between the service-neutral vocabulary (`ServiceReport`, `ServiceRequest`) and one Gemini Live session. One per
/// connection. Pure: the caller passes in the time.
///
///     opening --open--> setting up --setupComplete--> live --close--> leaving
///                                                       '--lost for good--> closed
///
/// The service names no turns, items or responses, takes no order to speak, stop or forget, and reports nothing of what was heard.
/// So turns of the user are what the local detector hears as one, a response is the output of the model up to
/// `generationComplete`, and what the model should know or say goes to it as text, in a moment of silence. Sound
/// comes faster than it is played: the service counts all of it as said.
package struct GeminiTranslator: Sendable {
    package typealias Effect = ServiceEffect<GeminiClientMessage, Own>

    package enum Own: Equatable, Sendable {
        /// The session is set up.
        case began
    }

    enum Phase: Equatable, Sendable { case opening, settingUp, live, leaving, closed }

    let settings: GeminiSettings
    let start: GeminiStart
    private(set) var phase = Phase.opening
    private var hasBegun = false
    package var outbox: ServiceOutbox<GeminiClientMessage, Own>
    /// Resumes this session.
    private var newestHandle: String?
    private var history: [GeminiLine] = []
    private var hasReportedKind = false

    // The user
    var voice = HeardVoice()
    var turns = HeardTurns()
    /// Reactions to the open turn, and to the last one.
    var openReaction = Reaction()
    var reaction = Reaction()
    var hasReportedPhantom = false
    /// Turns of the user with words, spoken or written.
    var questions = 0
    /// Turns with a voice in a row that the service did not react to at all.
    var ignored = 0

    // The model
    var turn = ModelTurn()
    var speech: Speech?
    /// Recent speech, for notes on how much of it was heard.
    var spoken: [Speech] = []
    var drop: Drop?
    /// Sound is queued or playing.
    var isPlaying = false
    /// How often the last question was put to the model again.
    var repeats = 0

    // Calls
    var openCalls: [OpenCall] = []
    /// Calls that were answered, without a sign yet that the service has the answer.
    var sentCalls: [GeminiCall] = []
    /// Calls that the service has withdrawn: an answer to one of them is sent as text.
    var withdrawnCalls: [GeminiCall] = []
    var seenCalls: [String] = []
    /// Answers that the model has to say, and has not begun to; and those that its last response was to say.
    var unsaid: [String] = []
    var told: [String] = []

    // Texts
    /// Texts that are not to be said before a response is requested.
    var kept: [String] = []
    /// Data that the model receives with the next text.
    var known: [String] = []
    /// The note on how much of the cut speech was heard.
    var note: String?
    /// Texts for the next quiet moment; the first has waited since `outgoingSince`.
    var outgoing: [String] = []
    var outgoingSince = Duration.zero
    var awaited: Awaited?

    // Charges
    private var bills = 0
    /// The charge of a turn, until it is over.
    private var usage: Usage?
    private var last = Usage()
    /// The estimated charge of a turn that ended without a report.
    private var unreported: Usage?

    package var isLive: Bool { phase == .live }
    /// Whether the session has ended without being asked to.
    package var isClosed: Bool { phase == .closed }

    package init(_ settings: GeminiSettings, _ start: GeminiStart) {
        self.settings = settings
        self.start = start
        outbox = ServiceOutbox(tag: start.tag)
    }

    /// How the service has reacted to a turn of the user.
    struct Reaction: Equatable, Sendable {
        /// Whether the service has reacted, with words of the turn or anything else.
        var isNoticed = false
        /// The model has reacted: with output, a call or a turn without either.
        var isAnswered = false
        /// The first response since the turn ended.
        var answer: String?
    }

    /// A turn of the model as the service counts it: from the first output, or our text, to `turnComplete`.
    struct ModelTurn: Sendable {
        var isOpen = false
        var hasOutput = false
        var wasInterrupted = false
        /// All output of the turn was received.
        var isGenerated = false
        var firstSound: Duration?
        var lastOutput = Duration.zero
        /// At 24 kHz.
        var samples = 0
        /// Whether the turn only answers calls that a lost connection left open, so that no output is expected.
        var isStale = false
    }

    /// A response.
    struct Speech: Sendable {
        var response: String
        var item: String
        var pieces: [(text: String, start: Int)] = []
        var isAnnounced = false
        /// At 24 kHz.
        var samples = 0
        var calls = 0
        var lastOutput = Duration.zero
        var isNoted = false

        var part: SpokenPart { SpokenPart(responseID: response, itemID: item, contentIndex: 0) }
        var sounds: Bool { samples > 0 }
        var text: String { pieces.map(\.text).joined() }
    }

    /// Why output is dropped.
    enum Drop: Equatable, Sendable {
        /// The user spoke over it: until the service has cut it too.
        case cut
        /// The model was told to stop: until the user speaks, or a text is to be said.
        case stopped
    }

    struct OpenCall: Sendable {
        var call: GeminiCall
        /// The number of its message: several calls of one message are one decision.
        var batch: Int
        /// How many questions had been asked by then.
        var questions: Int
        /// Since when the call is held back, because the user spoke; nil once it is made.
        var heldSince: Duration?
    }

    /// A requested response.
    struct Awaited: Sendable {
        var request: String
        var since: Duration
        /// The text with which it was requested, once that is sent.
        var text: String?
        /// Whether the text was sent to the model once more.
        var isRepeated = false
    }

    mutating func end(_ closing: ServiceClosing, _ reason: String) {
        guard phase != .closed else { return }
        phase = .closed
        report(.closing(closing, reason))
    }

    // MARK: The beginning and the end

    package mutating func connected() -> [Effect] {
        report(.opened(id: nil, ends: nil))
        return drain()
    }

    mutating func open(_ lines: [ServiceHistoryLine]) {
        guard phase == .opening else { return }
        phase = .settingUp
        // A resumed session has its history.
        if start.handle == nil { history = GeminiLine.fitting(lines.map(Self.line)) }
        emit(.send(.setup(settings, handle: start.handle, hasHistory: !history.isEmpty)))
    }

    private static func line(_ line: ServiceHistoryLine) -> GeminiLine {
        switch line {
        case .user(let text): GeminiLine(.user, text)
        case .assistant(let text): GeminiLine(.model, text)
        case .summary(let value):
            GeminiLine(.user, GeminiLine.program("What was said before, as data: \(value.encoded)"))
        case .end:
            GeminiLine(
                .user,
                GeminiLine.program(
                    "The conversation continues after a break of the line. Do not greet. Results follow as text."
                )
            )
        }
    }

    private mutating func setUp(_ now: Duration) {
        guard phase == .settingUp else { return }
        if !history.isEmpty { emit(.send(.content(history))) }
        history = []
        // Sent first: otherwise the session ignores the first message that it gets instead.
        if !start.lostCalls.isEmpty {
            let text = "The connection was replaced; the result follows as text."
            emit(.send(.answers(start.lostCalls.map { GeminiAnswer($0, text, isError: true) })))
            turn = ModelTurn(isOpen: true, lastOutput: now, isStale: true)
        }
        phase = .live
        hasBegun = true
        emit(.own(.began))
        if let usage = start.unbilled { report(.charged(ServiceBill(id: name("lost"), .response(usage)))) }
        report(.ready(ServiceReadiness()))
    }

    // MARK: Messages from the service

    /// - Parameters:
    ///   - samples: of the sound in it, at 24 kHz; 0 for none.
    ///   - isAudible: whether any of them can be heard.
    package mutating func receive(
        _ message: GeminiServerMessage,
        samples: Int = 0,
        isAudible: Bool = true,
        at now: Duration
    ) -> [Effect] {
        if message.isSetUp { setUp(now) }
        guard phase == .live else { return drain() }
        if let handle = message.handle { newestHandle = handle }
        if let left = message.timeLeft {
            emit(.lifetime(left))
            report(.nearlyFull)
        }
        if !message.heard.isEmpty { heard(message.heard, now) }
        if message.activity == .end { endTurn(now) }
        if message.activity != nil { noticed() }
        if !message.isInterrupted { output(samples, message.said, isAudible: isAudible, now) }
        called(message, now)
        withdrawn(message.cancelled)
        used(message)
        if message.isInterrupted { interrupted(now) }
        if message.isGenerated { generated(now) }
        if message.isTurnOver { turnEnded(message.reason, now) }
        for field in message.unknown { report(.unknown(field)) }
        sendOutgoing(now)
        return drain()
    }

    /// Reports sound that cannot be read, once.
    mutating func unplayable(_ kind: String) {
        guard !hasReportedKind else { return }
        hasReportedKind = true
        trouble("audio_format", "the service sends sound as \(kind.prefix(60)), which is not PCM of 16 bits at 24 kHz")
    }

    // MARK: Charges

    /// Tokens of a second of sound.
    private static let tokensPerSecond = 25

    /// Every turn is charged for its whole context, which the model reads again.
    private mutating func used(_ message: GeminiServerMessage) {
        if let usage = message.usage {
            self.usage = usage
            unreported = nil
        } else if message.isTurnOver, usage == nil {
            unreported = estimate
        }
        // Usage reports have no id: one bill per turn.
        guard message.isTurnOver || !turn.isOpen, let usage else { return }
        self.usage = nil
        last = usage
        charge(usage)
    }

    private mutating func charge(_ usage: Usage) {
        bills += 1
        report(.charged(ServiceBill(id: "\(start.tag)-turn\(bills)", .response(usage))))
    }

    /// The next turn begins: no report about the last one comes any more.
    mutating func chargeUnreported() {
        if let usage = unreported { charge(usage) }
        unreported = nil
    }

    /// The state that the session leaves behind if its connection ends now.
    package func loss(isLost: Bool) -> GeminiLoss {
        GeminiLoss(
            isLost: isLost, handle: phase == .opening ? nil : newestHandle ?? start.handle,
            openCalls: openCalls.map(\.call) + sentCalls, unbilled: unbilled, wasLive: hasBegun
        )
    }

    /// The estimated charge of the unfinished turn: it has read what the last turn had read and said.
    private var unbilled: Usage? {
        usage ?? unreported ?? estimate
    }

    private var estimate: Usage? {
        guard turn.isOpen, turn.samples > 0 else { return nil }
        var usage = last
        usage.audioIn += last.audioOut
        usage.textOut = 0
        usage.audioOut = turn.samples * Self.tokensPerSecond / AudioFormat.wireRate
        return usage
    }

    /// How far the connection has come.
    package var stage: GeminiEnd.Stage {
        hasBegun ? .live : start.handle == nil ? .settingUp : .resuming
    }

    // MARK: Requests

    package mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect] {
        switch request {
        case .open(let history): open(history)
        case .close: if phase != .closed { phase = .leaving }
        case _ where phase != .live: break
        case .answer(let call, let output): answer(call, output, now)
        case .inform(_, let value): inform(value)
        case .ask(let text):
            questions += 1
            keep(text)
        case .tell(let text, .say): tell(text)
        case .tell(let text, .exactly): keep(GeminiLine.program("Say exactly this, and nothing else: \(text)"))
        case .respond(let id, _): respond(id, now)
        case .cancel(let response): cancel(response, now)
        case .truncate(let item, _, let heard, _): noteHeard(item, heard)
        case .recall, .forget, .clearInput, .dropSpeech: break
        }
        return drain()
    }

    // MARK: Time

    /// Performs what is due by `now`; `isPlaying` while sound is queued or playing.
    package mutating func tick(at now: Duration, isPlaying: Bool) -> [Effect] {
        guard phase == .live else { return [] }
        self.isPlaying = isPlaying
        reportUser(now)
        settleIgnored(now)
        settleUnanswered(now)
        settleCalls(now)
        settleOutput(now)
        sendOutgoing(now)
        settleAwaited(now)
        return drain()
    }
}

extension GeminiTranslator: NamingTranslator {
    package static let audioMessage = GeminiClientMessage.audio
    /// Samples below this cannot be heard.
    private static let quiet = 16

    package mutating func read(_ text: UnsafeRawBufferPointer, _ downlink: Downlink, at now: Duration) -> [Effect]? {
        guard phase != .closed else { return [] }
        guard let message = GeminiDecoder.decode(text) else { return nil }
        var samples = UnsafeBufferPointer<Int16>(start: nil, count: 0)
        if let sound = message.sounds.first(where: { !$0.isPlayable }) {
            unplayable(sound.kind ?? "")
        } else if !message.sounds.isEmpty {
            if let decoded = decode(message.sounds, text, downlink) {
                samples = decoded
            } else {
                unplayable("broken base64")
            }
        }
        let isAudible = samples.contains { $0.magnitude >= Self.quiet }
        return receive(message, samples: samples.count, isAudible: isAudible, at: now)
    }

    private func decode(
        _ sounds: [GeminiSound],
        _ text: UnsafeRawBufferPointer,
        _ downlink: Downlink
    ) -> UnsafeBufferPointer<Int16>? {
        func base64(_ sound: GeminiSound) -> [UInt8] {
            switch sound.data {
            case .range(let range): Array(text[range])
            case .text(let text): Array(text.utf8)
            }
        }
        if sounds.count == 1, case .range(let range) = sounds[0].data {
            return downlink.decode(UnsafeRawBufferPointer(rebasing: text[range]), continues: speech != nil)
        }
        // Several pieces in one message have not been seen yet.
        var all: [UInt8] = []
        for sound in sounds {
            guard let piece = base64(sound).withUnsafeBytes({ Base64.bytes($0) }) else { return nil }
            all += piece
        }
        return Array(Base64.text(all).utf8).withUnsafeBytes { downlink.decode($0, continues: speech != nil) }
    }

    package func encoded(_ message: GeminiClientMessage) -> [UInt8] { message.encoded }
}
