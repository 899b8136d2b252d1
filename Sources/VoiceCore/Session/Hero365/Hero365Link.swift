internal import VoiceBase
package import VoiceConversation
package import VoiceNetwork
internal import VoiceOpus

/// One connection to Hero365: carries audio, messages and time to its translator. Lives on the network thread.
///
///     VoicePump --chunks--> Hero365Microphone --> Hero365Translator --> socket
///     VoicePump <--24 kHz-- Hero365Voice <-- packets in order <-- Hero365Translator <-- socket
package final class Hero365Link: ServiceLink, VoiceLine, WebSocketDriver {
    /// What one connection has learned about the service, for the next.
    enum Lesson { case wantsNested, wantsLongPackets }

    struct Options: Equatable, Sendable {
        var settings = Hero365Settings()
        var microphone = Hero365Microphone.Options()
        /// Sends messages in binary frames.
        var isBinary = false
    }

    /// Messages that may wait for a pause to end: 30 s of the shortest packets.
    private static let mostWaiting = 1500
    /// How many of those leave with each microphone message, or every 20 ms.
    private static let burst = 3
    /// Backlog of the socket in bytes above which messages wait here.
    private static let backlog = 16 << 10

    private let connection: WebSocketConnection
    private let pump: VoicePump
    private let report: ServiceLinkReport
    private let learned: (Lesson) -> Void
    private let options: Options
    private var translator: Hero365Translator
    /// nil if libopus rejects the settings; `problem` then says why.
    private let microphone: Hero365Microphone?
    private let problem: OpusProblem?
    private let voice = Hero365Voice()
    private var waiting: [[UInt8]] = []
    private var pausedUntil = Duration.zero
    /// Size in bytes of the latest message.
    private var size = 0
    /// Set when events are no longer reported.
    private var isRetired = false
    private var isOver = false
    private var isLossReported = false

    /// - Parameter session: a UUID.
    init(
        connection: WebSocketConnection,
        pump: VoicePump,
        options: Options,
        session: String,
        learned: @escaping (Lesson) -> Void = { _ in },
        report: @escaping ServiceLinkReport
    ) {
        self.connection = connection
        self.pump = pump
        self.options = options
        self.learned = learned
        self.report = report
        translator = Hero365Translator(options.settings, session: session)
        do throws(OpusProblem) {
            microphone = try Hero365Microphone(options.microphone, tellsVoices: pump.tellsVoices)
            problem = nil
        } catch {
            microphone = nil
            problem = error
        }
    }

    // MARK: The connection

    package func opened() {
        guard !isRetired else { return }
        report(.connected, Monotonic.now())
        perform(translator.connected())
        if let problem { tellLoss("the microphone cannot be sent: \(problem)") }
        pump.follow { [weak self] now in self?.tick(now) ?? false }
    }

    package func received(text: UnsafeRawBufferPointer) { receive(text) }

    /// The service may send its JSON in frames of either kind.
    package func received(binary: UnsafeRawBufferPointer) { receive(binary) }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isRetired else { return }
        guard let envelope = Hero365Decoder.decode(bytes, rate: options.settings.rate) else {
            return pump.noteUnreadable()
        }
        perform(translator.receive(envelope, at: Monotonic.now()))
    }

    package func closed(_ closure: WebSocketClosure) {
        isOver = true
        pump.ended(self)
        guard !isRetired else { return }
        // Leaves `missedSpeech` alone: turns are detected here, so it is known whether somebody was speaking.
        report(.disconnected(LinkFailure(closure)), Monotonic.now())
    }

    package func openMicrophone() {
        guard !isRetired else { return }
        pump.openMicrophone(on: self)
    }

    package func retire() {
        guard !isRetired else { return }
        perform(translator.ask(.close, at: Monotonic.now()))
        isRetired = true
        pump.ended(self)
        connection.close()
    }

    @discardableResult
    package func ask(_ request: ServiceRequest) -> Bool {
        guard connection.isOpen else { return false }
        perform(translator.ask(request, at: Monotonic.now()))
        return connection.isOpen
    }

    /// - Returns: whether to call again.
    private func tick(_ now: Duration) -> Bool {
        guard !isOver, !isRetired else { return false }
        perform(translator.tick(at: now))
        sendWaiting(now)
        return true
    }

    private func perform(_ effects: [Hero365Translator.Effect]) {
        for effect in effects {
            switch effect {
            case .report(let meant): if !isRetired { report(.service(meant), Monotonic.now()) }
            case .lifetime(let left): if !isRetired { report(.lifetime(left), Monotonic.now()) }
            case .send(let message): send(message)
            case .begin: voice.begin()
            case .play(let sound, let part): play(voice.samples(sound), of: part)
            case .conceal(let count, let next, let part): play(voice.conceal(count, before: next), of: part)
            case .finish(let part): if pump.listens(to: self) { pump.finish(part) }
            case .pause(let time): pausedUntil = max(pausedUntil, Monotonic.now() + time)
            case .lengthenPackets:
                microphone?.lengthenPackets()
                learned(.wantsLongPackets)
            case .nest: learned(.wantsNested)
            }
        }
    }

    private func play(_ samples: [Int16]?, of part: SpokenPart) {
        guard let samples else { return pump.noteUnreadable() }
        guard pump.listens(to: self), !samples.isEmpty else { return }
        samples.withUnsafeBufferPointer { pump.receive($0, of: part) }
    }

    // MARK: Messages

    /// Microphone messages keep their order and wait for a pause to end; other messages leave at once.
    private func send(_ message: Hero365ClientMessage) {
        let bytes = translator.encoded(message)
        size = bytes.count
        guard case .audio = message else { return write(bytes) }
        waiting.append(bytes)
        if waiting.count > Self.mostWaiting { waiting.removeFirst(waiting.count - Self.mostWaiting) }
        sendWaiting(Monotonic.now())
    }

    private func sendWaiting(_ now: Duration) {
        guard !waiting.isEmpty, now >= pausedUntil else { return }
        var sent = 0
        while sent < min(Self.burst, waiting.count), connection.pendingSendBytes <= Self.backlog {
            write(waiting[sent])
            sent += 1
        }
        waiting.removeFirst(min(sent, waiting.count))
    }

    private func write(_ bytes: [UInt8]) {
        guard connection.isOpen else { return }
        let isSent = bytes.withUnsafeBytes {
            options.isBinary ? connection.send(binary: $0) : connection.send(text: $0)
        }
        if !isSent { connection.end(.failed(.reset("the server does not take what is sent"))) }
    }

    // MARK: The microphone

    package var isOpen: Bool { !isOver && !isRetired && connection.isOpen }
    /// Always 0: what the socket does not take waits in messages, and turn detection continues meanwhile.
    package var pendingSendBytes: Int { 0 }

    package func send(_ chunk: MicrophoneChunk, by encoder: any UplinkEncoder) -> Int? {
        guard isOpen, let microphone else { return nil }
        for event in microphone.consume(chunk, mayListen: translator.mayListen) {
            let now = Monotonic.now()
            switch event {
            case .began(let at): perform(translator.turnBegan(at: at, now: now))
            case .packet(let packet, let samples):
                perform(translator.heard(packet))
                pump.left(samples: samples, bytes: size)
            case .ended(let at): perform(translator.turnEnded(at: at, now: now))
            case .dropped(let at): perform(translator.turnDropped(at: at))
            case .failed(let reason): tellLoss(reason)
            }
        }
        // The audio leaves in packets, or not at all.
        return 0
    }

    private func tellLoss(_ reason: String) {
        guard !isLossReported, !isRetired else { return }
        isLossReported = true
        report(.service(.trouble(ServiceError(.other, name: "hero365", text: reason))), Monotonic.now())
    }

    package func sounded(_ progress: PlayoutQueue.Progress) {
        switch progress {
        case .audible: microphone?.answerBegan()
        case .drained: microphone?.answerEnded()
        case .played: break
        }
    }
}
