internal import VoiceBase
internal import VoiceNetwork

/// Recognises the audio of turns: one connection per utterance, opened while the user speaks. Lives on the network thread.
///
/// The protocol has no cancel: a connection no longer needed is closed. One that ends before its text is retried once on a
/// new connection.
final class LocalRecogniser {
    enum Outcome {
        case partial(String)
        case text(String, look: Int)
        case failed(WyomingEnd, look: Int)
    }

    private struct Attempt {
        var look: Int
        /// One entry per utterance.
        var sounds: [[Int16]]
        var texts: [String] = []
        var isRepeated = false
    }

    /// Audio sent while the user speaks, to servers that recognise meanwhile.
    private struct Live {
        var gain: Float
        /// The step that is sent next.
        var next: Int
    }

    private static let format = WyomingFormat.microphone
    /// Samples per message: 40 ms.
    private static let chunk = 640

    private let network: NetworkThread
    private let address: WyomingAddress
    private let allowsPublic: Bool
    private let language: String?
    /// The least time in which the text must have come once the audio has been sent.
    private let answerLimit: Duration
    private let report: (Outcome) -> Void
    private let left: (_ samples: Int, _ bytes: Int) -> Void
    /// Whether the server sends text while it listens.
    var streams = false
    private var line: WyomingConnection?
    private var transcript = WyomingTranscript()
    private var attempt: Attempt?
    private var live: Live?
    private var liveSamples = 0

    init(
        on network: NetworkThread,
        at address: WyomingAddress,
        allowsPublic: Bool,
        language: String,
        answerLimit: Duration = .seconds(6),
        left: @escaping (_ samples: Int, _ bytes: Int) -> Void,
        report: @escaping (Outcome) -> Void
    ) {
        self.network = network
        self.address = address
        self.allowsPublic = allowsPublic
        self.language = WyomingRequest.language(language)
        self.answerLimit = answerLimit
        self.left = left
        self.report = report
    }

    /// The user speaks, from this step on.
    func begin(from step: Int, gain: Float) {
        abandon()
        open()
        guard streams else { return }
        live = Live(gain: gain, next: step)
        line?.send(.transcribe(language: language))
        line?.send(.audioStart(Self.format))
    }

    /// Sends new audio of the turn to servers that stream.
    func feed(_ analyzer: MicrophoneAnalyzer, until step: Int) {
        guard let live, step - live.next >= 4 else { return }
        send(analyzer.sound(of: live.next..<step, gain: live.gain))
        self.live?.next = step
    }

    /// Recognises these utterances as one text.
    func recognise(_ look: Int, _ ranges: [Range<Int>], of analyzer: MicrophoneAnalyzer) {
        if let live, ranges.count == 1, let range = ranges.first, live.next <= range.upperBound, line != nil {
            attempt = Attempt(look: look, sounds: [analyzer.speech(of: range)])
            send(analyzer.sound(of: live.next..<range.upperBound, gain: live.gain))
            self.live = nil
            return finish(samples: range.count * MicrophoneAnalyzer.step)
        }
        live = nil
        attempt = Attempt(look: look, sounds: ranges.map { analyzer.speech(of: $0) })
        sendNext()
    }

    /// Abandons the attempt under way.
    func abandon() {
        attempt = nil
        live = nil
        drop()
    }

    private func receive(_ event: WyomingConnection.Event) {
        switch event {
        case .ended(let end):
            line = nil
            failed(end)
        case .message(let message):
            transcript.receive(message)
            if case .error(let text, _) = message {
                drop()
                failed(WyomingEnd(kind: .closed, description: "\(address.key): the recogniser says: \(text)"))
            } else if case .malformed("transcript") = message {
                drop()
                let what = "the Wyoming server at \(address.text) sends a transcript without text"
                failed(WyomingEnd(kind: .garbage, description: "\(address.key): \(what)"))
            } else if let text = transcript.whole, attempt != nil {
                recognised(text)
            } else if case .transcriptChunk = message {
                report(.partial(transcript.text))
            }
        }
    }

    // MARK: One utterance

    private func open() {
        line = WyomingConnection(to: address, allowsPublic: allowsPublic, on: network) { [weak self] in
            self?.receive($0)
        }
        transcript = WyomingTranscript()
        liveSamples = 0
    }

    private func drop() {
        line?.close()
        line = nil
    }

    private func sendNext() {
        guard let attempt, attempt.texts.count < attempt.sounds.count else { return }
        let sound = attempt.sounds[attempt.texts.count]
        if line == nil { open() }
        line?.send(.transcribe(language: language))
        line?.send(.audioStart(Self.format))
        send(sound)
        finish(samples: sound.count)
    }

    private func send(_ sound: [Int16]) {
        guard let line, !sound.isEmpty else { return }
        let bytes = WyomingRequest.sound(sound, from: liveSamples, chunk: Self.chunk).flatMap(\.frame.bytes)
        liveSamples += sound.count
        line.send(bytes)
        left(sound.count * AudioFormat.wireRate / Self.format.rate, bytes.count)
    }

    private func finish(samples: Int) {
        line?.send(.audioStop(timestamp: liveSamples * 1000 / Self.format.rate))
        let length = Duration.milliseconds(samples * 1000 / Self.format.rate)
        line?.limit(max(answerLimit, length * 2))
    }

    private func recognised(_ text: String) {
        drop()
        guard var attempt else { return }
        attempt.texts.append(text)
        attempt.isRepeated = false
        self.attempt = attempt
        guard attempt.texts.count == attempt.sounds.count else { return sendNext() }
        self.attempt = nil
        report(.text(attempt.texts.joined(separator: " "), look: attempt.look))
    }

    private func failed(_ end: WyomingEnd) {
        guard let attempt else { return }
        guard !attempt.isRepeated, end.kind == .closed || end.kind == .away else {
            self.attempt = nil
            return report(.failed(end, look: attempt.look))
        }
        self.attempt?.isRepeated = true
        sendNext()
    }
}
