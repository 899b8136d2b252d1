internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// A session of Hero365, whose microphone leaves in turns, as packets, and whose sound comes in packets.
///
///     VoicePump --chunks--> Hero365Microphone --> Hero365Translator --> socket
///     VoicePump <--24 kHz-- Hero365Voice <-- packets in order <-- Hero365Translator <-- socket
final class Hero365Part: SocketPart {
    typealias Socket = ServiceSocket<Hero365Translator>

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

    /// - Parameters:
    ///   - isBinary: sends messages in binary frames.
    ///   - hasVoiceDetector: whether the audio thread has a voice detector.
    init(_ options: Hero365Microphone.Options, isBinary: Bool, hasVoiceDetector: Bool) {
        self.isBinary = isBinary
        do throws(OpusProblem) {
            microphone = try Hero365Microphone(options, hasVoiceDetector: hasVoiceDetector)
            problem = nil
        } catch {
            microphone = nil
            problem = error
        }
    }

    func opened(_ socket: Socket) {
        if let problem { tellLoss("the microphone cannot be sent: \(problem)", on: socket) }
    }

    func tick(_ now: Duration, on socket: Socket) { sendHeld(now, on: socket) }

    func perform(_ own: Hero365Translator.Own, on socket: Socket) {
        switch own {
        case .begin: voice.begin()
        case .play(let sound, let part): play(voice.samples(sound), of: part, on: socket)
        case .conceal(let count, let next, let part): play(voice.conceal(count, before: next), of: part, on: socket)
        case .pause(let time): pausedUntil = max(pausedUntil, Monotonic.now() + time)
        case .lengthenPackets:
            microphone?.lengthenPackets()
            socket.learn(own)
        case .nest: socket.learn(own)
        }
    }

    private func play(_ samples: [Int16]?, of part: SpokenPart, on socket: Socket) {
        guard let samples else { return socket.pump.noteUnreadable() }
        samples.withUnsafeBufferPointer { socket.play($0, of: part) }
    }

    // MARK: Messages

    /// Microphone messages keep their order and wait for a pause to end; other messages leave immediately.
    func send(_ message: Hero365ClientMessage, on socket: Socket) {
        let bytes = socket.translator.encoded(message)
        size = bytes.count
        guard case .audio = message else { return socket.send(bytes, isBinary: isBinary) }
        held.append(bytes)
        if held.count > Self.mostWaiting {
            held.removeFirst(held.count - Self.mostWaiting)
            tellLoss("the link takes the microphone's sound too slowly: the oldest is dropped", on: socket)
        }
        sendHeld(Monotonic.now(), on: socket)
    }

    private func sendHeld(_ now: Duration, on socket: Socket) {
        guard !held.isEmpty, now >= pausedUntil else { return }
        var sent = 0
        while sent < min(Self.burst, held.count), socket.connection.pendingSendBytes <= Self.backlog {
            socket.send(held[sent], isBinary: isBinary)
            sent += 1
        }
        held.removeFirst(min(sent, held.count))
    }

    // MARK: The microphone

    /// Always 0: what the socket does not take waits in messages, and turn detection continues meanwhile.
    func pendingSendBytes(on socket: Socket) -> Int { 0 }

    func send(_ chunk: MicrophoneChunk, on socket: Socket) -> Int? {
        guard socket.isOpen, let microphone else { return nil }
        for event in microphone.consume(chunk, mayListen: socket.translator.mayListen) {
            let now = Monotonic.now()
            switch event {
            case .began(let at): socket.perform(socket.translator.turnBegan(at: at, now: now))
            case .packet(let packet, let samples):
                socket.perform(socket.translator.heard(packet))
                socket.pump.uplink.left(samples: samples, bytes: size)
            case .ended(let at): socket.perform(socket.translator.turnEnded(at: at, now: now))
            case .dropped(let at): socket.perform(socket.translator.turnDropped(at: at))
            case .failed(let reason): tellLoss(reason, on: socket)
            }
        }
        // The audio leaves in packets, or not at all.
        return 0
    }

    private func tellLoss(_ reason: String, on socket: Socket) {
        guard !isLossReported, socket.isRunning else { return }
        isLossReported = true
        socket.report(.trouble(ServiceError(.other, name: "hero365", text: reason)))
    }

    func sounded(_ progress: PlayoutQueue.Progress) {
        switch progress {
        case .audible: microphone?.answerBegan()
        case .drained: microphone?.answerEnded()
        case .played: break
        }
    }
}
