internal import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// One connection to GPT-Live: carries audio, messages and time to its translator. Lives on the network thread.
package final class LiveLink: ServiceLink, WebSocketDriver {
    private let connection: WebSocketConnection
    private let pump: VoicePump
    private let report: ServiceLinkReport
    private let refusedDelay: () -> Void
    private var translator: LiveTranslator
    private let uplink: HeardUplink
    private let downlink = Base64Downlink()
    /// nil once the session has the microphone.
    private var waiting: WaitingUplink? = WaitingUplink()
    /// Set when events are no longer reported.
    private var isRetired = false
    /// When a session that was asked to end is closed anyway.
    private var closesBy: Duration?
    private var isOver = false
    /// When the translator last got the time of day.
    private var clockSet = Duration.zero
    /// Microphone position at the latest message.
    private var heardUntil: UInt64 = 0

    /// How long a session may take to end in order.
    private static let closeLimit = Duration.seconds(15)
    /// A service that hears the user begin to speak reports it sooner than this.
    private static let reaction = Duration.seconds(2)

    /// - Parameter refusedDelay: called if the service does not know `acknowledgement_delay_ms`.
    package init(
        connection: WebSocketConnection,
        pump: VoicePump,
        settings: LiveSettings,
        refusedDelay: @escaping () -> Void = {},
        report: @escaping ServiceLinkReport
    ) {
        self.connection = connection
        self.pump = pump
        self.report = report
        self.refusedDelay = refusedDelay
        translator = LiveTranslator(settings)
        uplink = HeardUplink(Base64Uplink(type: "session.input_audio.append")) { [weak pump] in
            pump?.hasVoice(inLast: $0)
        }
    }

    // MARK: The connection

    package func opened() {
        guard !isRetired else { return }
        report(.connected, Monotonic.now())
        perform(translator.connected())
        pump.follow { [weak self] now in self?.tick(now) ?? false }
    }

    package func received(text: UnsafeRawBufferPointer) {
        heardUntil = pump.microphonePosition
        if let delta = LiveAudioDelta(text) {
            return play(base64: UnsafeRawBufferPointer(rebasing: text[delta.audio]))
        }
        guard let event = LiveEventDecoder.decode(text) else { return pump.noteUnreadable() }
        if case .ignored("session.output_audio.delta") = event {
            guard var audio = LiveAudioDelta.slowly(text) else { return pump.noteUnreadable() }
            return audio.withUTF8 { play(base64: UnsafeRawBufferPointer($0)) }
        }
        perform(translator.receive(event, at: Monotonic.now()))
        if translator.refusesDelay { refusedDelay() }
        if case .closed = event, isRetired { connection.close() }
    }

    /// Documented are text frames; JSON in binary frames means the same.
    package func received(binary: UnsafeRawBufferPointer) { received(text: binary) }

    package func closed(_ closure: WebSocketClosure) {
        isOver = true
        var failure = LinkFailure(closure)
        let limit = max(Self.reaction, ContinuousClock.now - connection.lastReceived)
        failure.missedSpeech = pump.sentVoice(on: connection, after: heardUntil, within: limit)
        pump.ended(connection)
        guard !isRetired else { return }
        report(.disconnected(failure), Monotonic.now())
    }

    package func openMicrophone() {
        guard !isRetired else { return }
        waiting = nil
        pump.openMicrophone(on: connection, encoder: uplink, isContinuous: true)
    }

    /// Asks the session to end and closes its socket once it has; no audio is sent to it any more.
    package func retire() {
        guard !isRetired else { return }
        perform(translator.ask(.close, at: Monotonic.now()))
        isRetired = true
        pump.ended(connection)
        if translator.isClosing {
            closesBy = Monotonic.now() + Self.closeLimit
        } else {
            connection.close()
        }
    }

    @discardableResult
    package func ask(_ request: ServiceRequest) -> Bool {
        guard connection.isOpen else { return false }
        perform(translator.ask(request, at: Monotonic.now()))
        return connection.isOpen
    }

    /// - Returns: whether to call again.
    private func tick(_ now: Duration) -> Bool {
        guard !isOver else { return false }
        if let closesBy, now >= closesBy {
            connection.close()
            return false
        }
        guard !isRetired else { return true }
        if translator.isLive { waiting?.keep(connection, by: uplink, at: now) }
        for piece in uplink.dequeue() { perform(translator.sent(piece.samples, isVoice: piece.isVoice, at: now)) }
        // Alarms by voice need the time of day.
        if now - clockSet >= .seconds(1) {
            clockSet = now
        }
        perform(translator.tick(at: now))
        return true
    }

    private func perform(_ effects: [LiveTranslator.Effect]) {
        for effect in effects {
            switch effect {
            case .report(let meant): if !isRetired { report(.service(meant), Monotonic.now()) }
            case .send(let event):
                guard connection.isOpen, !connection.send(text: event.encoded) else { break }
                connection.end(.failed(.reset("the server does not take what is sent")))
            case .play(let range, let part):
                guard pump.listens(to: connection) else { break }
                pump.receive(UnsafeBufferPointer(rebasing: downlink.samples[range]), of: part)
            case .finish(let part): if pump.listens(to: connection) { pump.finish(part) }
            }
        }
    }

    // MARK: Audio

    private func play(base64: UnsafeRawBufferPointer) {
        guard !isRetired else { return }
        guard let delta = downlink.decode(base64) else { return pump.noteUnreadable() }
        perform(translator.sound(delta, waiting: pump.waitingVoice, at: Monotonic.now()))
    }
}
