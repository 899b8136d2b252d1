internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork

/// Speaks text sentence by sentence through a Wyoming server, or through espeak-ng if the server is unavailable. Lives on
/// the network thread.
///
/// Two sentences are requested at a time, so that the server never waits for us. The protocol has no cancel: to silence it
/// the connection is closed, and another one is opened ahead of time.
final class LocalSpeaker {
    enum Outcome {
        /// The first sound of a sentence arrived.
        case began(Int)
        /// Sound of a sentence at 24 kHz; valid during the call.
        case sound(Int, UnsafeBufferPointer<Int16>)
        /// The sentence is complete.
        case finished(Int)
        /// The speech is complete.
        case ended
        /// Neither the server nor espeak-ng speaks.
        case failed(String)
        /// The server failed, so espeak-ng speaks.
        case trouble(WyomingEnd)
    }

    private static let firstLimit = Duration.seconds(5)
    /// How many times longer than its sound a sentence may take, besides `nextLimit`.
    private static let slowest = 4
    private static let deep = 2
    /// How long a failed server is left alone.
    private static let pause = Duration.seconds(30)

    private let network: NetworkThread
    private let address: WyomingAddress?
    private let allowsPublic: Bool
    private let voice: String?
    /// How long a sentence may pause.
    private let nextLimit: Duration
    /// Starts espeak-ng on a text elsewhere; `spoken` follows with the number. False if it cannot be started.
    private let espeak: (_ text: String, _ speech: Int) -> Bool
    private let report: (Outcome) -> Void

    private var line: WyomingConnection?
    /// Number of sentences requested only to warm up the server; their sound is not played.
    private var unheard = 0
    private var sentences: [String] = []
    /// Whether more sentences follow.
    private var isOpen = false
    /// Sentences requested, and sentences received in full.
    private var asked = 0
    private var done = 0
    private var hasBegun = false
    private var samples = 0
    /// When the first sound of the sentence came.
    private var begunAt = Duration.zero
    private var isRepeated = false
    private var restUntil = Duration.zero
    private var usesEspeak = false
    /// Distinguishes the current speech from the one before.
    private var speech = 0
    private let converter = AnyRateConverter()

    init(
        on network: NetworkThread,
        at address: WyomingAddress?,
        allowsPublic: Bool,
        voice: String,
        nextLimit: Duration = .seconds(3),
        espeak: @escaping (_ text: String, _ speech: Int) -> Bool,
        report: @escaping (Outcome) -> Void
    ) {
        self.network = network
        self.address = address
        self.allowsPublic = allowsPublic
        self.voice = voice.isEmpty ? nil : voice
        self.nextLimit = nextLimit
        self.espeak = espeak
        self.report = report
    }

    /// Starts espeak-ng on threads of its own.
    ///
    /// - Parameter me: this speaker, on the network thread, while it is needed.
    convenience init(
        _ settings: LocalSettings,
        on network: NetworkThread,
        me: @escaping @Sendable () -> LocalSpeaker?,
        report: @escaping (Outcome) -> Void
    ) {
        let language = settings.espeakLanguage
        self.init(
            on: network,
            at: settings.speaker,
            allowsPublic: settings.allowsPublic,
            voice: settings.voice,
            espeak: { text, speech in
                OwnThread.start("jv-espeak") {
                    let sound = EspeakVoice.speak(text, language: language)
                    network.enqueue { me()?.spoken(sound, speech) }
                }
            },
            report: report
        )
    }

    /// Whether no sentence is being spoken or waiting.
    private var isIdle: Bool { done == sentences.count }

    /// Whether the speech is complete.
    var isDone: Bool { isIdle && !isOpen }

    /// Whether it waits for further sentences.
    var isStarving: Bool { isIdle && isOpen }

    /// Makes the server load its voice, which takes a second.
    func warmUp() {
        guard address != nil else { return }
        open()
        unheard = 1
        ask("Ready.")
    }

    /// Leaves the server alone for a while: it is known to be unreachable.
    func rest(at now: Duration) { restUntil = now + Self.pause }

    /// - Parameter isOpen: whether more sentences follow with `goOn`.
    func speak(_ sentences: [String], isOpen: Bool = false) {
        stopSpeaking()
        self.sentences = sentences
        self.isOpen = isOpen
        (asked, done, samples) = (0, 0, 0)
        hasBegun = false
        isRepeated = false
        speech += 1
        usesEspeak = address == nil || Monotonic.now() < restUntil
        askNext()
    }

    /// Appends sentences to the speech.
    func goOn(_ more: [String]) {
        guard isOpen, !more.isEmpty else { return }
        sentences += more
        askNext()
    }

    /// Ends the speech after the sentences it has.
    func close() {
        guard isOpen else { return }
        isOpen = false
        if isIdle { report(.ended) }
    }

    func stopSpeaking() {
        let isBusy = !isIdle
        isOpen = false
        sentences = []
        (asked, done) = (0, 0)
        speech += 1
        guard isBusy, let line else { return }
        line.close()
        unheard = 0
        open()
    }

    /// Falls silent for good.
    func stop() {
        line?.close()
        line = nil
        stopSpeaking()
    }

    // MARK: The server

    private func open() {
        guard let address else { return }
        line = WyomingConnection(to: address, allowsPublic: allowsPublic, on: network) { [weak self] event in
            switch event {
            case .ended(let end): self?.failed(end)
            case .message(let message): self?.receive(message)
            }
        }
    }

    private func ask(_ text: String) { line?.send(.synthesize(text, voice: voice)) }

    private func askNext() {
        guard !isIdle else { return }
        if usesEspeak { return askEspeak() }
        if line == nil { open() }
        let isWaiting = asked > done
        while asked < sentences.count, asked - done < Self.deep {
            ask(sentences[asked])
            asked += 1
        }
        if !isWaiting { line?.limit(Self.firstLimit) }
    }

    private func receive(_ message: WyomingEvent) {
        switch message {
        case .audioStart(let format):
            guard format.width == 2, AnyRateConverter.knows(format.rate) else {
                return garbage("speaks in a format that cannot be played here")
            }
        case .audioChunk(let format, let bytes):
            guard unheard == 0, !isIdle else { return }
            guard format.width == 2, AnyRateConverter.knows(format.rate) else {
                return garbage("speaks in a format that cannot be played here")
            }
            let frames = bytes.count / (2 * format.channels)
            let longest = Self.longest(for: done < sentences.count ? sentences[done] : "")
            // Checked before any of the sound is played: a faulty server sends minutes in one chunk.
            guard samples + frames * AudioFormat.wireRate / format.rate <= longest else {
                return garbage("does not stop speaking")
            }
            let sound = WaveBytes.samples(bytes[...], channels: format.channels)
            play(sound, rate: format.rate)
            // Only sound renews the limit, in proportion to its length; a message alone does not.
            guard hasBegun, !sound.isEmpty else { return }
            let length = Duration.milliseconds(samples * 1000 / AudioFormat.wireRate)
            let left = begunAt + nextLimit + length * Self.slowest - Monotonic.now()
            line?.limit(min(nextLimit, max(.zero, left)))
        case .audioStop:
            guard unheard == 0 else {
                unheard -= 1
                return
            }
            guard !isIdle else { return }
            guard hasBegun else { return garbage("returned no sound for a sentence") }
            finished()
            line?.limit(isIdle ? nil : Self.firstLimit)
        case .error(let text, _): garbage("says: \(text)")
        default: break
        }
    }

    /// Maximum length of speech, in samples at 24 kHz; digits take half a second each.
    private static func longest(for text: String) -> Int { min(90, 10 + text.utf8.count / 2) * AudioFormat.wireRate }

    /// A peak up to this (-66 dBFS) cannot be heard.
    private static let inaudible = 16

    private func play(_ sound: [Int16], rate: Int) {
        // Silence ahead of the first sound is left out: there may be nothing behind it.
        guard hasBegun || sound.contains(where: { $0.magnitude > Self.inaudible }) else { return }
        if !hasBegun {
            hasBegun = true
            begunAt = Monotonic.now()
            report(.began(done))
        }
        let index = done
        func hand(_ samples: UnsafeBufferPointer<Int16>) {
            self.samples += samples.count
            report(.sound(index, samples))
        }
        // Some servers send a whole sentence in one burst.
        let piece = rate * AudioFormat.longestMessage
        sound.withUnsafeBufferPointer { sound in
            for start in stride(from: 0, to: sound.count, by: piece) {
                _ = converter.convert(
                    UnsafeBufferPointer(rebasing: sound[start..<min(sound.count, start + piece)]), from: rate, hand
                )
            }
        }
    }

    private func finished() {
        let index = done
        done += 1
        hasBegun = false
        isRepeated = false
        samples = 0
        report(.finished(index))
        if isDone { report(.ended) } else { askNext() }
    }

    private func garbage(_ what: String) {
        line?.close()
        let name = address.map { "\($0.key): the Wyoming server at \($0.text)" } ?? "the voice"
        failed(WyomingEnd(kind: .garbage, description: "\(name) \(what)"))
    }

    /// Retries once on another connection; then espeak-ng replaces the server. A sentence that has begun is not repeated.
    private func failed(_ end: WyomingEnd) {
        line = nil
        unheard = 0
        guard !isIdle else { return }
        let isAgain = !isRepeated && (end.kind == .closed || end.kind == .away)
        if hasBegun {
            let index = done
            done += 1
            hasBegun = false
            samples = 0
            report(.finished(index))
        }
        asked = done
        if !isAgain {
            rest(at: Monotonic.now())
            report(.trouble(end))
            usesEspeak = true
        }
        isRepeated = true
        if isDone { report(.ended) } else { askNext() }
    }

    // MARK: espeak-ng

    private func askEspeak() {
        guard asked == done, asked < sentences.count else { return }
        let text = sentences[asked]
        asked += 1
        if !espeak(text, speech) { noVoice() }
    }

    /// Takes the output of espeak-ng; nil if it failed.
    func spoken(_ sound: WaveBytes?, _ speech: Int) {
        guard speech == self.speech, !isIdle else { return }
        guard let sound else { return noVoice() }
        play(sound.samples, rate: sound.rate)
        finished()
    }

    private func noVoice() {
        isOpen = false
        sentences = []
        (asked, done) = (0, 0)
        report(.failed("the box has no voice: install espeak-ng, or start the server of local.speaker"))
    }
}
