internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork

/// A session of Hero365, whose microphone leaves in turns, as packets, and whose sound comes in packets.
///
///     VoicePump --chunks--> Hero365Microphone --> Hero365Translator --> socket
///     VoicePump <--24 kHz-- Hero365Voice <-- packets in order <-- Hero365Translator <-- socket
final class Hero365Socket: ServiceSocket<Hero365Translator> {
    /// Messages that may wait for a pause to end: 30 s of the shortest packets.
    private static let mostWaiting = 1500
    /// How many of those leave with each microphone message, or every 20 ms.
    private static let burst = 3
    /// Backlog of the socket in bytes above which messages wait here.
    private static let backlog = 16 << 10

    private let isBinary: Bool
    /// nil if libopus rejects the settings; `problem` then says why.
    private let microphone: Hero365Microphone?
    private let problem: OpusProblem?
    private let voice = Hero365Voice()
    private var held: [[UInt8]] = []
    private var pausedUntil = Duration.zero
    /// Size in bytes of the latest message.
    private var size = 0
    private var isLossReported = false

    /// - Parameter isBinary: sends messages in binary frames.
    init(
        _ connection: WebSocketConnection,
        _ entry: ServiceEntry<Hero365Translator>,
        _ options: Hero365Microphone.Options,
        isBinary: Bool,
        pump: VoicePump,
        report: @escaping ServiceLinkReport
    ) {
        self.isBinary = isBinary
        do throws(OpusProblem) {
            microphone = try Hero365Microphone(options, tellsVoices: pump.uplink.hasVoiceDetector)
            problem = nil
        } catch {
            microphone = nil
            problem = error
        }
        super.init(connection, entry, pump: pump, report: report)
    }

    override func opened() {
        super.opened()
        if let problem { tellLoss("the microphone cannot be sent: \(problem)") }
    }

    override func tick(_ now: Duration) -> Bool {
        guard super.tick(now) else { return false }
        sendHeld(now)
        return true
    }

    override func perform(_ own: Hero365Translator.Own) {
        switch own {
        case .lifetime(let left): report(.lifetime(left))
        case .begin: voice.begin()
        case .play(let sound, let part): play(voice.samples(sound), of: part)
        case .conceal(let count, let next, let part): play(voice.conceal(count, before: next), of: part)
        case .pause(let time): pausedUntil = max(pausedUntil, Monotonic.now() + time)
        case .lengthenPackets:
            microphone?.lengthenPackets()
            super.perform(own)
        case .nest: super.perform(own)
        }
    }

    private func play(_ samples: [Int16]?, of part: SpokenPart) {
        guard let samples else { return pump.noteUnreadable() }
        samples.withUnsafeBufferPointer { play($0, of: part) }
    }

    // MARK: Messages

    /// Microphone messages keep their order and wait for a pause to end; other messages leave immediately.
    override func send(_ message: Hero365ClientMessage) {
        let bytes = translator.encoded(message)
        size = bytes.count
        guard case .audio = message else { return send(bytes, isBinary: isBinary) }
        held.append(bytes)
        if held.count > Self.mostWaiting { held.removeFirst(held.count - Self.mostWaiting) }
        sendHeld(Monotonic.now())
    }

    private func sendHeld(_ now: Duration) {
        guard !held.isEmpty, now >= pausedUntil else { return }
        var sent = 0
        while sent < min(Self.burst, held.count), connection.pendingSendBytes <= Self.backlog {
            send(held[sent], isBinary: isBinary)
            sent += 1
        }
        held.removeFirst(min(sent, held.count))
    }

    // MARK: The microphone

    /// Always 0: what the socket does not take waits in messages, and turn detection continues meanwhile.
    override var pendingSendBytes: Int { 0 }

    override func send(_ chunk: MicrophoneChunk) -> Int? {
        guard isOpen, let microphone else { return nil }
        for event in microphone.consume(chunk, mayListen: translator.mayListen) {
            let now = Monotonic.now()
            switch event {
            case .began(let at): perform(translator.turnBegan(at: at, now: now))
            case .packet(let packet, let samples):
                perform(translator.heard(packet))
                pump.uplink.left(samples: samples, bytes: size)
            case .ended(let at): perform(translator.turnEnded(at: at, now: now))
            case .dropped(let at): perform(translator.turnDropped(at: at))
            case .failed(let reason): tellLoss(reason)
            }
        }
        // The audio leaves in packets, or not at all.
        return 0
    }

    private func tellLoss(_ reason: String) {
        guard !isLossReported, isRunning else { return }
        isLossReported = true
        report(.trouble(ServiceError(.other, name: "hero365", text: reason)))
    }

    override func sounded(_ progress: PlayoutQueue.Progress) {
        switch progress {
        case .audible: microphone?.answerBegan()
        case .drained: microphone?.answerEnded()
        case .played: break
        }
    }
}
