internal import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// The data needed to open a session over a WebSocket. None of it may be logged.
package struct ServiceEntry<Translator: ServiceTranslator>: Sendable {
    package var request: WebSocketRequest
    package var translator: Translator
    package var capabilities: ServiceCapabilities
    /// A fault of the preparation, to be reported.
    package var trouble: ServiceError?
    /// Carries out the effects that no other service needs.
    package var own: @Sendable (Translator.Own) -> Void = { _ in }
    /// Classifies the end of a connection; `isLost` unless the session was asked to end.
    package var failure: @Sendable (WebSocketClosure, Translator, _ isLost: Bool) -> LinkFailure = { closure, _, _ in
        LinkFailure(closure)
    }

    package init(_ request: WebSocketRequest, _ translator: Translator, _ capabilities: ServiceCapabilities) {
        self.request = request
        self.translator = translator
        self.capabilities = capabilities
    }
}

/// The parts of a socket that differ between services. Each function has a default: the behaviour of the socket without
/// a part. Lives on the network thread; the socket keeps it.
package protocol SocketPart<Translator>: AnyObject {
    associatedtype Translator: ServiceTranslator

    func opened(_ socket: ServiceSocket<Translator>)
    /// Called about every 20 ms after the translator's own tick, unless the service reports the turns.
    func tick(_ now: Duration, on socket: ServiceSocket<Translator>)
    func perform(_ own: Translator.Own, on socket: ServiceSocket<Translator>)
    func send(_ message: Translator.Message, on socket: ServiceSocket<Translator>)
    /// See `VoiceLine.send`.
    func send(_ chunk: MicrophoneChunk, on socket: ServiceSocket<Translator>) -> Int?
    func pendingSendBytes(on socket: ServiceSocket<Translator>) -> Int
    /// Reports how far the loudspeaker has played this connection's speech.
    func sounded(_ progress: PlayoutQueue.Progress)
}

extension SocketPart {
    package func opened(_ socket: ServiceSocket<Translator>) {}
    package func tick(_ now: Duration, on socket: ServiceSocket<Translator>) {}
    package func perform(_ own: Translator.Own, on socket: ServiceSocket<Translator>) { socket.learn(own) }
    package func send(_ message: Translator.Message, on socket: ServiceSocket<Translator>) {
        socket.send(socket.translator.encoded(message))
    }
    package func send(_ chunk: MicrophoneChunk, on socket: ServiceSocket<Translator>) -> Int? {
        socket.sendEncoded(chunk)
    }
    package func pendingSendBytes(on socket: ServiceSocket<Translator>) -> Int { socket.connection.pendingSendBytes }
    package func sounded(_ progress: PlayoutQueue.Progress) {}
}

/// One session over a WebSocket: carries audio, messages and time to its translator. Lives on the network thread.
package final class ServiceSocket<Translator: ServiceTranslator>: ServiceLink, VoiceLine, WebSocketDriver {
    private enum Phase {
        case running
        /// Asked to end: the socket is read until the session has ended, and closed at this time anyway. Nothing is reported.
        case closing(by: Duration)
        case retired
        case over
    }

    package let connection: WebSocketConnection
    package let pump: VoicePump
    package var translator: Translator
    private let part: (any SocketPart<Translator>)?
    private let entry: ServiceEntry<Translator>
    private let reporter: ServiceLinkReport
    private let encoder: Base64Uplink
    /// Detects speech for services that do not report when the user speaks.
    private var loudness = LoudnessVoice()
    private let downlink: Downlink
    private var phase = Phase.running
    /// Sends silence to a session that needs continuous audio and does not have the microphone yet.
    private var waiting: WaitingUplink?
    /// Microphone position at the latest message: the service has heard the audio before it.
    private var heardUntil: UInt64 = 0
    /// The latest responses. After a cut, sound of any other response belongs to the interrupted speech.
    private var begun: [String] = []
    private var mostBegun: Int { 32 }
    /// A service that hears the user begin to speak reacts sooner than this.
    private var reaction: Duration { .seconds(2) }

    init(
        _ connection: WebSocketConnection,
        _ entry: ServiceEntry<Translator>,
        part: (any SocketPart<Translator>)? = nil,
        pump: VoicePump,
        report: @escaping ServiceLinkReport
    ) {
        self.part = part
        self.connection = connection
        self.entry = entry
        self.pump = pump
        reporter = report
        translator = entry.translator
        let capabilities = entry.capabilities
        encoder = Base64Uplink(Translator.audioMessage, rate: capabilities.uplink.rate)
        downlink = Downlink { [weak playout = pump.playout] in playout?.waitingVoice ?? 0 }
        waiting = capabilities.continuousUplink ? WaitingUplink() : nil
    }

    private var turns: ServiceCapabilities.Turns { entry.capabilities.turns }
    package var isRunning: Bool { if case .running = phase { true } else { false } }

    // MARK: The connection

    package func opened() {
        guard isRunning else { return connection.close() }
        reporter(.connected, Monotonic.now())
        perform(translator.connected())
        if let trouble = entry.trouble { report(.trouble(trouble)) }
        // Services that report the user's turns need no ticks.
        if turns != .service { pump.follow { [weak self] now in self?.tick(now) ?? false } }
        part?.opened(self)
    }

    package func received(text: UnsafeRawBufferPointer) {
        switch phase {
        case .running, .closing: break
        case .retired, .over: return
        }
        heardUntil = pump.uplink.microphonePosition
        guard let effects = translator.read(text, downlink, at: Monotonic.now()) else { return pump.noteUnreadable() }
        perform(effects)
        if case .closing = phase, translator.isClosed { connection.close() }
    }

    package func received(binary: UnsafeRawBufferPointer) {
        if Translator.readsBinary { received(text: binary) } else if isRunning { pump.noteUnreadable() }
    }

    package func closed(_ closure: WebSocketClosure) {
        let isReported = isRunning
        let isLost: Bool
        switch phase {
        case .running: isLost = true
        case .closing: isLost = false
        case .retired, .over: isLost = translator.isClosed
        }
        phase = .over
        var failure = entry.failure(closure, translator, isLost)
        failure.missedSpeech = turns != .ours && missedSpeech(closure)
        pump.ended(self)
        if isReported { reporter(.disconnected(failure), Monotonic.now()) }
    }

    private func missedSpeech(_ closure: WebSocketClosure) -> Bool {
        switch closure {
        case .failed(.timedOut(.silence(let limit))), .failed(.timedOut(.acknowledgement(let limit))):
            return pump.uplink.sentVoice(on: self, within: limit)
        default:
            let limit = max(reaction, ContinuousClock.now - connection.lastReceived)
            return pump.uplink.sentVoice(on: self, after: heardUntil, within: limit)
        }
    }

    package func openMicrophone() {
        guard isRunning else { return }
        waiting = nil
        let isNew = pump.openMicrophone(
            on: self, isContinuous: entry.capabilities.continuousUplink, heldAtMost: Translator.longestPreRoll
        )
        guard isNew else { return }
        encoder.reset()
        loudness = LoudnessVoice()
    }

    /// Asks the session to end, and closes its socket once it has; no audio is sent to it any more.
    package func retire() {
        guard isRunning else { return }
        perform(translator.ask(.close, at: Monotonic.now()))
        guard isRunning else { return }
        pump.ended(self)
        if translator.isClosing {
            phase = .closing(by: Monotonic.now() + Translator.closeLimit)
        } else {
            phase = .retired
            connection.close()
        }
    }

    /// The session was retired before it had a socket.
    func retireUnopened() { phase = .retired }

    package func ask(_ request: ServiceRequest) {
        guard connection.isOpen else { return }
        if case .respond = request { pump.playout.speechIsWanted() }
        perform(translator.ask(request, at: Monotonic.now()))
    }

    /// - Returns: whether to call again.
    func tick(_ now: Duration) -> Bool {
        switch phase {
        case .running: break
        case .closing(let limit):
            guard now >= limit else { return true }
            connection.close()
            return false
        case .retired, .over: return false
        }
        if translator.isLive { waiting?.keep(self, at: now) }
        perform(translator.tick(at: now, isPlaying: pump.playout.isSpeaking))
        if isRunning { part?.tick(now, on: self) }
        return true
    }

    // MARK: Effects

    package func perform(_ effects: [Translator.Effect]) {
        for effect in effects {
            switch effect {
            case .report(let meant): report(meant)
            case .send(let message): send(message)
            case .play(let range, let part): play(UnsafeBufferPointer(rebasing: downlink.samples[range]), of: part)
            case .finish(let part): if pump.playout.listens(to: self) { pump.playout.finish(part) }
            case .lifetime(let left): report(.lifetime(left))
            case .own(let own): if let part { part.perform(own, on: self) } else { learn(own) }
            }
        }
    }

    /// Carries out an effect that concerns all connections of the service.
    package func learn(_ own: Translator.Own) { entry.own(own) }

    package func report(_ report: ServiceReport) {
        guard isRunning else { return }
        let now = Monotonic.now()
        var report = report
        switch report {
        case .responseBegan(let id, _):
            begun.append(id)
            if begun.count > mostBegun { begun.removeFirst() }
        case .userStarted where turns == .service: pump.uplink.turnBegan(on: self)
        case .userStopped(let end, _) where turns == .service:
            pump.playout.speechIsWanted()
            // Some servers report the end of speech only once the model has answered.
            if end > 0 { report = .userStopped(at: end, ago: pump.uplink.age(of: end, on: self)) }
        case .userTurn(let item, _) where turns == .service:
            pump.playout.speechIsWanted()
            if pump.uplink.turnWasSilent(on: self) { reporter(.turnWasSilent(itemID: item), now) }
        default: break
        }
        reporter(.service(report), now)
    }

    /// Reports an event of the connection.
    package func report(_ event: ConversationEvent) {
        if isRunning { reporter(event, Monotonic.now()) }
    }

    private func send(_ message: Translator.Message) {
        if let part { part.send(message, on: self) } else { send(translator.encoded(message)) }
    }

    package func send(_ bytes: [UInt8], isBinary: Bool = false) {
        guard connection.isOpen else { return }
        let isSent = bytes.withUnsafeBytes { isBinary ? connection.send(binary: $0) : connection.send(text: $0) }
        if !isSent { connection.end(.failed(.reset("send buffer full: the server is not reading"))) }
    }

    package func play(_ samples: UnsafeBufferPointer<Int16>, of part: SpokenPart) {
        guard pump.playout.listens(to: self), !samples.isEmpty else { return }
        if !pump.playout.isCut || begun.contains(part.responseID) { pump.playout.receive(samples, of: part) }
    }

    // MARK: The microphone

    package var isOpen: Bool { isRunning && connection.isOpen }
    package var pendingSendBytes: Int { part?.pendingSendBytes(on: self) ?? connection.pendingSendBytes }

    package func send(_ chunk: MicrophoneChunk) -> Int? {
        if let part { part.send(chunk, on: self) } else { sendEncoded(chunk) }
    }

    /// Sends a chunk as the translator's audio message.
    package func sendEncoded(_ chunk: MicrophoneChunk) -> Int? {
        guard let bytes = encoder.send(chunk.samples, on: connection) else { return nil }
        if turns == .silent {
            let count = chunk.samples.count
            let isLoud = loudness.consume(chunk.samples)
            let isVoice = loudness.isSound && (pump.uplink.hasVoice(inLast: count) ?? isLoud)
            perform(translator.sent(count, isVoice: isVoice, at: Monotonic.now()))
        }
        return bytes
    }

    package func sounded(_ progress: PlayoutQueue.Progress) { part?.sounded(progress) }
}
