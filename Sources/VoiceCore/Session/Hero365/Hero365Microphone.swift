internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceConversation
internal import VoiceOpus

/// The microphone as Hero365 wants it: turns, and the packets that belong to them. Lives on the network thread.
///
///     MicrophoneChunk --10 ms--> StepMeter --> LocalTurn --> began, ended
///                        '-----> the latest two seconds --> converter --> Opus or PCM --> packets
///
/// Nothing of a turn is handed over before what was heard of it is speech: a cough does not leave the house.
final class Hero365Microphone {
    enum Event: Equatable {
        /// All with the ms of the microphone since the session began.
        case began(at: Int)
        case packet([UInt8], samples: Int)
        case ended(at: Int)
        case dropped(at: Int)
        /// The sound of a packet is lost.
        case failed(String)
    }

    struct Options: Equatable, Sendable {
        var codec = Configuration.Hero365().codec
        var opus = OpusSpeechEncoder.Options()
        /// Sound of a packet, in ms.
        var packet = Configuration.Hero365().packetMS
        /// What is heard between turns is handed over too.
        var isContinuous = false
        var turns = LocalTurn.Options()
    }

    /// Samples of 10 ms at 24 kHz.
    private static let step = AudioFormat.wirePeriodSamples
    /// Steps that are kept.
    private static let steps = 200

    private let options: Options
    private var meter: StepMeter
    private var turn: LocalTurn
    private var kept = [Int16](repeating: 0, count: steps * step)
    /// Steps so far, and the next to be handed over.
    private var count = 0
    private var next = 0
    private var isInTurn = false
    /// What is heard is handed over, without a gap.
    private var isFlowing = false
    private let converter: WireConverter?
    private let encoder: OpusSpeechEncoder?
    /// Samples for the next packet.
    private var open: [Int16] = []
    /// The sound of the microphone that they stand for.
    private var openSteps = 0
    /// Sound of a packet, in ms.
    private(set) var packet: Int

    /// - Parameter tellsVoices: the audio thread tells voices from other sound.
    init(_ options: Options, tellsVoices: Bool) throws(OpusProblem) {
        self.options = options
        meter = StepMeter(tellsVoices: tellsVoices)
        turn = LocalTurn(options: options.turns)
        packet = options.packet
        let rate = options.opus.rate
        converter = rate == AudioFormat.wireRate ? nil : WireConverter(from: AudioFormat.wireRate, to: rate)
        encoder = options.codec == .opus ? try OpusSpeechEncoder(options.opus) : nil
    }

    /// Fewer messages a minute from here on: as much sound in each as Opus takes.
    func lengthenPackets() { packet = OpusSpeechEncoder.lengths.last ?? packet }

    /// The answer begins to be heard.
    func answerBegan() { _ = turn.handle(.answerBegan) }

    func answerEnded() { _ = turn.handle(.answerEnded) }

    /// - Parameter mayListen: sound between turns may leave.
    func take(_ chunk: MicrophoneChunk, mayListen: Bool) -> [Event] {
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
        for effect in turn.handle(.heard(meter.take(chunk))) {
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
                // What was told to be over cannot be taken back: who goes on begins another turn.
                _ = turn.handle(.requestActs)
            case .drop:
                isInTurn = false
                events.append(.dropped(at: count * 10))
            // There is no recogniser, and the conversation cuts and ducks by itself.
            case .look, .goesOn, .supersede, .duck, .bargeIn, .resumeAnswer: break
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

    /// Everything up to now, in whole packets.
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

    /// What is left of the turn, filled up with silence.
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
