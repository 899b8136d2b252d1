internal import VoiceBase
package import VoiceConversation

/// Translates between the service-neutral vocabulary (`ServiceReport`, `ServiceRequest`) and one Hero365 session. One per
/// connection. Pure: the caller passes in the time.
///
///     opening --open--> starting --session_started, status, audio, or 1 s--> live --close, error--> over
///
/// The service has no notion of turns or responses. `is_final` from the daemon ends a turn of the user. A response is all
/// audio the service sends from then on, up to its own `is_final` or `complete`. Packets of audio pass through in order
/// (`PacketSequencer`) and undecoded.
package struct Hero365Translator: Sendable {
    package typealias Effect = ServiceEffect<Hero365ClientMessage, Own>

    package enum Own: Equatable, Sendable {
        /// An answer begins: resets the decoder.
        case begin
        case play(Hero365Sound, of: SpokenPart)
        /// This many packets are missing before `next`.
        case conceal(Int, next: Hero365Sound?, of: SpokenPart)
        /// Stop sending audio for this long.
        case pause(Duration)
        /// Send fewer messages per minute.
        case lengthenPackets
        /// Use the nested form in the next session.
        case nest
    }

    enum Phase: Equatable, Sendable { case opening, starting, live, over }

    /// An utterance of the service, in reply to a turn or unprompted.
    struct Answer: Equatable, Sendable {
        var response: String
        var item: String
        /// Audio of it has arrived.
        var isVoiced = false

        var part: SpokenPart { SpokenPart(responseID: response, itemID: item, contentIndex: 0) }
    }

    /// How long to wait for a reply to `start_session`; after that the session counts as started.
    private static let startLimit = Duration.seconds(1)
    /// How long to send nothing after a turn if the service does not report that it is listening.
    private static let holdLimit = Duration.seconds(10)
    /// How long a cut answer may continue after the end of the next turn.
    private static let cutLimit = Duration.seconds(3)
    private static let cutPause = Duration.seconds(1)
    /// Pause after a rate limit error without `retry_after`.
    private static let usualPause = Duration.seconds(2)

    package let settings: Hero365Settings
    /// The session id, chosen by the daemon.
    package let session: String
    private(set) var phase = Phase.opening
    package var outbox: ServiceOutbox<Hero365ClientMessage, Own>
    private var startedAt = Duration.zero
    /// The service has sent a message other than an error.
    private var isUnderstood = false

    private var packets: PacketSequencer<Hero365Sound>
    private var answer: Answer?
    /// Incoming audio belongs to an answer that was cut.
    private var isDropping = false
    /// Whether audio of the cut answer had begun to arrive, and when it last did.
    private var cutHadBegun = false
    private var droppedAt = Duration.zero
    private var sequence = 0
    private var turnItem: String?
    /// When the turn ended whose answer is pending.
    private var askedAt: Duration?
    private var heldSince: Duration?
    private var lostBefore = 0
    private var hasRefusedForm = false

    /// - Parameter session: a UUID; its first eight characters prefix every name, so that names of two sessions differ.
    package init(_ settings: Hero365Settings, session: String) {
        self.settings = settings
        self.session = session
        outbox = ServiceOutbox(tag: String(session.prefix(8)))
        packets = PacketSequencer(patience: settings.jitter)
    }

    /// Whether audio may be sent between turns: the service is listening, or `holdLimit` has passed since the last turn.
    package var mayListen: Bool { phase == .live && heldSince == nil }

    /// Encodes a message of this session.
    package func encoded(_ message: Hero365ClientMessage) -> [UInt8] {
        message.encoded(session: session, isNested: settings.isNested)
    }

    private mutating func end(_ closing: ServiceClosing, _ reason: String) {
        guard phase != .over else { return }
        phase = .over
        report(.closing(closing, reason))
    }

    // MARK: Requests

    package mutating func connected() -> [Effect] {
        report(.opened(id: session, ends: nil))
        return drain()
    }

    package mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect] {
        switch request {
        case .open:
            guard phase == .opening else { break }
            phase = .starting
            startedAt = now
            emit(.send(.start(codec: settings.codec, rate: settings.rate)))
        case .close:
            if phase != .over, phase != .opening {
                emit(.send(.end(reason: "user_ended", duration: now - startedAt)))
            }
            end(.asked, "")
        // The service accepts no text, so the response stays empty.
        case .respond(let id, _): saysNothing(request: id)
        case .answer(let call, _): report(.answerPlaced(call: call))
        case .inform(let id, _): report(.answerPlaced(call: id))
        case .recall, .ask, .tell, .cancel, .truncate, .forget, .clearInput, .dropSpeech: break
        }
        return drain()
    }

    // MARK: The user's turns, detected locally

    /// - Parameter milliseconds: microphone audio since the session began.
    package mutating func turnBegan(at milliseconds: Int, now: Duration) -> [Effect] {
        guard phase == .live else { return [] }
        let item = name("turn")
        turnItem = item
        report(.userStarted(item: item, at: milliseconds))
        // Audio still on its way belongs to the interrupted answer, or answers half a question.
        if answer != nil || askedAt != nil {
            isDropping = true
            cutHadBegun = packets.isRunning
            droppedAt = now
        }
        askedAt = nil
        finishAnswer(.cancelled)
        return drain()
    }

    /// Sends one packet from the microphone.
    package mutating func heard(_ packet: [UInt8]) -> [Effect] {
        guard phase == .live else { return [] }
        sequence += 1
        emit(.send(.audio(packet, sequence: sequence, isFinal: false)))
        return drain()
    }

    package mutating func turnEnded(at milliseconds: Int, now: Duration) -> [Effect] {
        guard phase == .live, let item = turnItem else { return [] }
        turnItem = nil
        report(.userStopped(at: milliseconds))
        report(.userTurn(item: item, after: nil))
        sequence += 1
        emit(.send(.audio([], sequence: sequence, isFinal: true)))
        askedAt = now
        heldSince = now
        return drain()
    }

    /// The detected turn was a false alarm. The service keeps the audio it has received and waits for `is_final`.
    package mutating func turnDropped(at milliseconds: Int) -> [Effect] {
        guard phase == .live, turnItem != nil else { return [] }
        turnItem = nil
        report(.userStopped(at: milliseconds))
        saysNothing()
        return drain()
    }

    // MARK: Messages from the service

    package mutating func receive(_ envelope: Hero365Envelope, at now: Duration) -> [Effect] {
        guard phase == .starting || phase == .live else { return [] }
        if let other = envelope.session, !other.isEmpty, other.lowercased() != session.lowercased() {
            report(.unknown("a message of another session"))
            return drain()
        }
        if case .error(let error) = envelope.message {
            failed(error, now)
            return drain()
        }
        isUnderstood = true
        switch envelope.message {
        case .started(let agent, let longest):
            if let longest, longest > .zero { emit(.lifetime(longest)) }
            becameReady(agent: agent)
        case .status(let status, _):
            becameReady(agent: nil)
            took(status, now)
        case .audio(let sound, let number, let isFinal):
            becameReady(agent: nil)
            if case .other(let type) = sound.form { refuseForm(type) }
            perform(packets.receive(sound, number: number, isLast: isFinal, at: now), now)
        case .transferred(let agent, let reason):
            report(.news("it goes on with the agent \(agent.quoted)" + (reason.map { ": \($0.quoted)" } ?? "")))
        case .unknown(let type): report(.unknown(type))
        case .error, .ignored: break
        }
        return drain()
    }

    private mutating func becameReady(agent: String?, isConfirmed: Bool = true) {
        guard phase == .starting else { return }
        phase = .live
        report(.ready(ServiceReadiness(isConfirmed: isConfirmed)))
        if let agent { report(.news("the agent of the session is \(agent.quoted)")) }
    }

    private mutating func took(_ status: Hero365ServerMessage.Status, _ now: Duration) {
        switch status {
        case .processing, .speaking:
            // The status concerns the cut answer unless a turn has ended since.
            guard turnItem == nil, !isDropping || askedAt != nil else { break }
            isDropping = false
            beginAnswer()
        case .listening, .complete:
            heldSince = nil
            perform(packets.finish(at: now), now)
            isDropping = false
            finishAnswer(.completed)
            if status == .complete, askedAt != nil, turnItem == nil {
                askedAt = nil
                saysNothing()
            }
        }
    }

    private mutating func refuseForm(_ type: String) {
        guard !hasRefusedForm else { return }
        hasRefusedForm = true
        let text = "the service sends \(type), which is not taken: it has to send Opus or PCM"
        report(.trouble(ServiceError(.other, name: "content_type", text: text)))
    }

    // MARK: Audio from the service

    private mutating func perform(_ steps: [PacketSequencer<Hero365Sound>.Step], _ now: Duration) {
        for step in steps {
            switch step {
            case .began:
                lostBefore = packets.lost
                if isDropping, cutHadBegun, askedAt != nil { isDropping = false }
                emit(.own(.begin))
            case .packet(let sound):
                if isDropping { isDropping = !isAnotherAnswer(now) }
                guard !isDropping, !sound.bytes.isEmpty else { break }
                emit(.own(.play(sound, of: voiced())))
            case .missing(let count, let next):
                if !isDropping { emit(.own(.conceal(count, next: next, of: voiced()))) }
            case .ended:
                if isDropping {
                    isDropping = false
                } else {
                    finishAnswer(.completed)
                    tellLosses()
                }
            }
        }
    }

    /// Returns whether a packet belongs to a new answer: after a turn, audio that follows a pause does, even if the service
    /// never announced the end of the previous answer.
    private mutating func isAnotherAnswer(_ now: Duration) -> Bool {
        defer { droppedAt = now }
        guard askedAt != nil, now - droppedAt >= Self.cutPause else { return false }
        emit(.own(.begin))
        return true
    }

    private mutating func tellLosses() {
        let lost = packets.lost - lostBefore
        guard lost > 0 else { return }
        lostBefore = packets.lost
        report(.news("packets of the answer that did not come in time and were concealed: \(lost)"))
    }

    private mutating func voiced() -> SpokenPart {
        beginAnswer()
        guard var voiced = answer else { return SpokenPart(responseID: "", itemID: "", contentIndex: 0) }
        if !voiced.isVoiced {
            voiced.isVoiced = true
            answer = voiced
            report(.speaks(response: voiced.response, item: voiced.item))
        }
        return voiced.part
    }

    private mutating func beginAnswer() {
        guard answer == nil else { return }
        askedAt = nil
        let response = name("response")
        answer = Answer(response: response, item: name("item"))
        report(.responseBegan(response: response, request: nil))
    }

    private mutating func finishAnswer(_ status: ResponseEnd.Status, reason: String? = nil) {
        guard let over = answer else { return }
        answer = nil
        if over.isVoiced {
            emit(.finish(over.part))
            report(.audioEnded(response: over.response, item: over.item))
        }
        report(.responseEnded(ResponseEnd(response: over.response, status: status, reason: reason)))
    }

    /// Reports a response without any speech.
    private mutating func saysNothing(request: String? = nil) {
        let response = name("response")
        report(.responseBegan(response: response, request: request))
        report(.responseEnded(ResponseEnd(response: response, status: .completed, request: request)))
    }

    // MARK: Errors

    private mutating func failed(_ error: Hero365Error, _ now: Duration) {
        if !isUnderstood, error.code.hasPrefix("INVALID_"), !settings.isNested {
            emit(.own(.nest))
            return end(.lost, "the service does not read flat messages (\(error.code)): asked again in the nested form")
        }
        let meaning = ErrorClass(error)
        if meaning == .limited {
            emit(.own(.pause(error.retryAfter ?? Self.usualPause)))
            emit(.own(.lengthenPackets))
        } else if let pause = error.retryAfter {
            emit(.own(.pause(pause)))
        }
        let line = ServiceError(meaning, name: error.code, text: error.text, retryAfter: error.retryAfter)
        if error.code == "INVALID_SESSION" || meaning == .other && error.isRecoverable == false {
            return end(.lost, line.line)
        }
        report(.trouble(line))
        guard phase == .live, meaning != .other else { return }
        // The pending turn is lost with the error: its audio is not kept.
        heldSince = nil
        if askedAt != nil { beginAnswer() }
        finishAnswer(.incomplete, reason: line.line)
    }

    // MARK: Time

    /// Performs what is due by `now`.
    package mutating func tick(at now: Duration, isPlaying: Bool = false) -> [Effect] {
        switch phase {
        case .starting: if now - startedAt >= Self.startLimit { becameReady(agent: nil, isConfirmed: false) }
        case .live:
            perform(packets.tick(at: now), now)
            if let heldSince, now - heldSince >= Self.holdLimit { self.heldSince = nil }
            if isDropping, let askedAt, now - askedAt >= Self.cutLimit, now - droppedAt < Self.cutPause {
                end(.lost, "the service goes on with an answer that was interrupted")
            }
        case .opening, .over: break
        }
        return drain()
    }
}

extension ErrorClass {
    private static let hero365Codes: [String: ErrorClass] = [
        "AUTHENTICATION_ERROR": .account,
        "INVALID_AUDIO_FORMAT": .configuration,
        "SESSION_TIMEOUT": .expired,
        "RATE_LIMIT_EXCEEDED": .limited,
        "AUDIO_PROCESSING_ERROR": .service,
        "AGENT_UNAVAILABLE": .service,
        "NETWORK_ERROR": .service,
    ]

    init(_ error: Hero365Error) { self = Self.hero365Codes[error.code] ?? .other }
}

extension Hero365Translator: NamingTranslator {
    package static let audioMessage = (before: "", after: "")

    package mutating func read(_ text: UnsafeRawBufferPointer, _ downlink: Downlink, at now: Duration) -> [Effect]? {
        Hero365Decoder.decode(text, rate: settings.rate).map { receive($0, at: now) }
    }
}
