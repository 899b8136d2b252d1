internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// Turns the microphone into what Hero365 expects: turns and the packets that belong to them. Lives on the network thread.
///
///     MicrophoneChunk --10 ms--> StepMeter --> LocalTurn --> began, ended
///                        '-----> the latest two seconds --> converter --> Opus or PCM --> packets
///
/// No audio of a turn is released before it is recognised as speech: a cough does not leave the house.
final class Hero365Microphone {
    enum Event: Equatable {
        /// Times are in ms of microphone audio since the session began.
        case began(at: Int)
        case packet([UInt8], samples: Int)
        case ended(at: Int)
        case dropped(at: Int)
        /// The audio of a packet is lost.
        case failed(String)
    }

    struct Options: Equatable, Sendable {
        var codec = Configuration.Hero365().codec
        var opus = OpusSpeechEncoder.Options(Configuration.Hero365())
        /// Length of a packet in ms.
        var packet = Configuration.Hero365().packetMS
        /// Whether audio between turns is sent too.
        var isContinuous = false
        var turns = LocalTurn.Options()
    }

    /// Samples in 10 ms at 24 kHz.
    private static let step = AudioFormat.wirePeriodSamples
    /// Number of steps kept.
    private static let steps = 200

    private let options: Options
    private var meter: StepMeter
    private var turn: LocalTurn
    private var kept = [Int16](repeating: 0, count: steps * step)
    /// Steps so far, and the next one to encode.
    private var count = 0
    private var next = 0
    private var isInTurn = false
    /// Audio is being encoded without a gap.
    private var isFlowing = false
    private let converter: WireConverter?
    private let encoder: OpusSpeechEncoder?
    /// Samples for the next packet.
    private var open: [Int16] = []
    /// Steps of microphone audio they represent.
    private var openSteps = 0
    /// Length of a packet in ms.
    private(set) var packet: Int

    /// - Parameter hasVoiceDetector: whether the audio thread has a voice detector.
    init(_ options: Options, hasVoiceDetector: Bool) throws(OpusProblem) {
        self.options = options
        meter = StepMeter(hasVoiceDetector: hasVoiceDetector)
        turn = LocalTurn(options: options.turns)
        packet = options.packet
        let rate = options.opus.rate
        converter = rate == AudioFormat.wireRate ? nil : WireConverter(from: AudioFormat.wireRate, to: rate)
        encoder = options.codec == .opus ? try OpusSpeechEncoder(options.opus) : nil
    }

    /// Sends fewer messages a minute from here on, each as long as Opus allows.
    func lengthenPackets() { packet = OpusSpeechEncoder.lengths.last ?? packet }

    /// The answer becomes audible.
    func answerBegan() { _ = turn.handle(.answerBegan) }

    func answerEnded() { _ = turn.handle(.answerEnded) }

    /// - Parameter mayListen: whether audio between turns may leave.
    func consume(_ chunk: MicrophoneChunk, mayListen: Bool) -> [Event] {
        var events: [Event] = []
        for start in stride(from: 0, to: chunk.samples.count, by: Self.step) {
            var step = chunk
            let end = min(start + Self.step, chunk.samples.count)
            step.samples = UnsafeBufferPointer(rebasing: chunk.samples[start..<end])
            events += hear(step, mayListen)
        }
        return events
    }

    private func hear(_ chunk: MicrophoneChunk, _ mayListen: Bool) -> [Event] {
        let place = count % Self.steps * Self.step
        for index in 0..<Self.step {
            kept[place + index] = index < chunk.samples.count ? chunk.samples[index] : 0
        }
        count += 1
        var events: [Event] = []
        for effect in turn.handle(.heard(meter.consume(chunk))) {
            switch effect {
            case .began(let from):
                isInTurn = true
                if !isFlowing { begin(at: from) }
                events.append(.began(at: from * 10))
            case .give:
                isInTurn = false
                handOver(&events)
                flush(&events)
                isFlowing = false
                events.append(.ended(at: count * 10))
                // An end already sent cannot be taken back: speech that continues begins another turn.
                _ = turn.handle(.requestActs)
            case .drop:
                isInTurn = false
                events.append(.dropped(at: count * 10))
            // There is no recogniser, and the conversation itself handles barge-in and ducking.
            case .look, .goesOn, .supersede, .bargeIn, .resumeAnswer: break
            }
        }
        if isInTurn ? options.isContinuous || turn.isSpeech : options.isContinuous && mayListen {
            if !isFlowing, !isInTurn { begin(at: count - 1) }
            isFlowing = true
            handOver(&events)
        } else if !isInTurn {
            isFlowing = false
        }
        return events
    }

    private func begin(at step: Int) {
        next = max(next, step)
        open = []
        openSteps = 0
        converter?.reset()
        encoder?.reset()
    }

    /// Encodes everything up to now, in whole packets.
    private func handOver(_ events: inout [Event]) {
        next = max(next, count - Self.steps)
        let size = packet * options.opus.rate / 1000
        while next < count {
            let place = next % Self.steps * Self.step
            kept[place..<place + Self.step].withUnsafeBufferPointer { samples in
                if let converter {
                    converter.convert(samples) { open.append(contentsOf: $0) }
                } else {
                    open.append(contentsOf: samples)
                }
            }
            next += 1
            openSteps += 1
            if open.count >= size { write(size, &events) }
        }
    }

    /// Encodes the rest of the turn, padded with silence.
    private func flush(_ events: inout [Event]) {
        guard !open.isEmpty else { return }
        let size = packet * options.opus.rate / 1000
        open.append(contentsOf: repeatElement(0, count: max(0, size - open.count)))
        write(size, &events)
        open = []
    }

    private func write(_ size: Int, _ events: inout [Event]) {
        let samples = Array(open.prefix(size))
        open.removeFirst(size)
        let sound = openSteps * Self.step
        openSteps = 0
        guard let encoder else {
            return events.append(.packet(samples.withUnsafeBytes { Array($0) }, samples: sound))
        }
        do {
            events.append(.packet(try encoder.encode(samples), samples: sound))
        } catch {
            events.append(.failed("\(error)"))
        }
    }
}

extension OpusSpeechEncoder.Options {
    init(_ values: Configuration.Hero365) {
        self.init(rate: values.rate, bitrate: values.bitrate, hasDTX: values.dtx)
    }
}
