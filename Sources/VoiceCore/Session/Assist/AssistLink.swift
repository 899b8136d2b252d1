internal import VoiceActivation
internal import VoiceBase
package import VoiceConversation
internal import VoiceNetwork

/// A session of Home Assistant's pipeline. Lives on the network thread.
///
///     VoicePump --10 ms--> AssistMicrophone --> AssistTranslator --> AssistExchange --> jarvis-bridge
///     VoicePump <--24 kHz-- AssistSound <-- HTTP <-- address <-- AssistTranslator <-- AssistExchange <-- jarvis-bridge
package final class AssistLink: ServiceLink, VoiceLine {
    /// How much sound from before the session is sent, in ms: a satellite does not send its wake word.
    private static let held = 500
    /// Longest time from a wake word to the session that it opened.
    private static let longestCall = Duration.seconds(10)

    private enum Phase { case starting, opened, over }

    private let values: Configuration.Assist
    private let exchange: AssistExchange
    private let network: NetworkThread
    private let pump: NetworkConfined<VoicePump>
    private let report: ServiceReporter
    private var phase = Phase.starting
    private var me: NetworkConfined<AssistLink>?
    private var session = 0
    private var since = Duration.zero
    private var microphone: AssistMicrophone?
    private var translator = AssistTranslator()
    private var fetching: Task<Void, Never>?
    private var sound = AssistSound()
    private var part: SpokenPart?
    private let converter = AnyRateConverter()

    init(
        _ values: Configuration.Assist,
        exchange: AssistExchange,
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) {
        self.values = values
        self.exchange = exchange
        self.network = network
        self.pump = pump
        self.report = report
    }

    // MARK: The session

    func start(_ me: NetworkConfined<AssistLink>) {
        guard phase == .starting else { return }
        guard exchange.isFollowed else { return fail(Self.away) }
        self.me = me
        since = Monotonic.now()
        let opened = exchange.open { session in
            .init(
                news: { run, news in me.perform { $0.learn(session, run, news) } },
                question: { me.perform { $0.takeQuestion() } }
            )
        }
        session = opened.session
        var options = AssistTranslator.Options()
        options.session = "assist\(session)"
        options.firstRun = opened.firstRun
        options.answerLimit = .seconds(values.answerS)
        translator = AssistTranslator(options)
        phase = .opened
        report(.connected, since)
        report(.service(.opened(id: options.session, ends: nil)), since)
        pump.onThread.follow { [weak self] in self?.tick($0) ?? false }
    }

    /// One line with the way out.
    private static let away =
        "no Home Assistant is connected: add the box there as a device of ESPHome, and see that jarvis-bridge runs"

    private func learn(_ session: Int, _ run: Int, _ news: AssistNews) {
        guard phase == .opened else { return }
        guard news != .lost else {
            translate(.asked(.cancel(response: nil)))
            return fail(Self.away)
        }
        translate(.news(run: run, news, at: microphone?.milliseconds ?? 0))
    }

    private func fail(_ reason: String) {
        guard phase != .over else { return }
        finish()
        report(.disconnected(LinkFailure(.transient, reason)), Monotonic.now())
    }

    private func finish() {
        phase = .over
        stopSpeaking()
        exchange.close(session)
        pump.onThread.ended(self)
        me = nil
    }

    package func retire() {
        guard phase == .opened else {
            phase = .over
            return
        }
        for effect in translator.handle(.asked(.close)) {
            if case .report = effect { continue }
            perform(effect)
        }
        finish()
    }

    package func openMicrophone() {
        guard phase == .opened else { return }
        let isNew = pump.onThread.openMicrophone(on: self, heldAtMost: Self.held)
        guard isNew || microphone == nil else { return }
        microphone = AssistMicrophone(
            hasVoiceDetector: pump.onThread.uplink.hasVoiceDetector, hangover: values.hangoverMS,
            offset: ActivationMachine.Options().preRoll - Self.held
        )
        takeQuestion()
    }

    private func takeQuestion() {
        guard phase == .opened, let microphone, exchange.takeQuestion() else { return }
        microphone.open()
        translate(.houseAsks)
    }

    package func ask(_ request: ServiceRequest) {
        guard phase == .opened else { return }
        if case .respond = request { pump.onThread.playout.speechIsWanted() }
        translate(.asked(request))
    }

    private func translate(_ event: AssistEvent) {
        for effect in translator.handle(event) { perform(effect) }
    }

    private func perform(_ effect: AssistEffect) {
        switch effect {
        case .report(.closing(let closing, let reason)):
            finish()
            report(.service(.closing(closing, reason)), Monotonic.now())
        case .report(let meant):
            if case .responseBegan = meant { pump.onThread.playout.speechIsWanted() }
            report(.service(meant), Monotonic.now())
        case .start(let run):
            stopSpeaking()
            exchange.send(.start(run: run, word: exchange.word(since: since - Self.longestCall) ?? ""))
        case .soundEnds(let run):
            sendSound(of: run, isWhole: true)
            exchange.send(.soundEnds(run: run))
        case .stop(let run): exchange.send(.stop(run: run))
        case .played(let run):
            exchange.send(.played(run: run))
            microphone?.answerEnded()
        case .play(let run, let part, let address): fetch(run, part, address)
        case .finish(let part): pump.onThread.playout.finish(part)
        case .stopSpeaking: stopSpeaking()
        case .forgetTurn: microphone?.forgetTurn()
        }
    }

    private func tick(_ now: Duration) -> Bool {
        guard phase == .opened else { return false }
        translate(.tick(now: now))
        if translator.isPlaying, !pump.onThread.playout.isSpeaking { translate(.silent) }
        return phase == .opened
    }

    // MARK: The microphone

    package var isOpen: Bool { phase == .opened }
    /// Always 0: a follower that does not read loses its place.
    package var pendingSendBytes: Int { 0 }

    package func send(_ chunk: MicrophoneChunk) -> Int? {
        guard phase == .opened, let microphone else { return nil }
        chunk.forEachPeriod { step in
            for event in microphone.consume(step) {
                switch event {
                case .began(let at):
                    if translator.hearing == nil { microphone.openTurn() }
                    translate(.turnBegan(at: at))
                case .ended(let at): translate(.turnEnded(at: at))
                case .dropped(let at): translate(.turnDropped(at: at))
                }
            }
        }
        if let run = translator.hearing { sendSound(of: run, isWhole: false) }
        // The audio is sent with a turn, or not at all.
        return 0
    }

    private func sendSound(of run: Int, isWhole: Bool) {
        guard let piece = microphone?.sound(isWhole: isWhole) else { return }
        guard exchange.send(.sound(run: run, piece.bytes)) else { return }
        pump.onThread.uplink.left(samples: piece.steps * AudioFormat.wirePeriodSamples, bytes: piece.bytes.count)
    }

    // MARK: The voice

    private func stopSpeaking() {
        fetching?.cancel()
        fetching = nil
        part = nil
    }

    private func fetch(_ run: Int, _ part: SpokenPart, _ address: String) {
        stopSpeaking()
        guard let me, let request = HTTPRequest.assistSound(address) else {
            let problem = "the address of Home Assistant's answer is not one of http or https"
            return translate(.soundEnded(run: run, problem))
        }
        self.part = part
        sound = AssistSound()
        converter.reset()
        fetching = Task { [network] in
            do throws(HTTPFailure) {
                let stream = try await network.open(request)
                guard stream.head.status == 200 else {
                    let status = stream.head.status
                    return me.perform { $0.fetched(run, "Home Assistant answers HTTP \(status) for its sound") }
                }
                while let bytes = try await stream.next() { me.perform { $0.received(run, bytes) } }
                me.perform { $0.fetched(run, nil) }
            } catch {
                guard !Task.isCancelled else { return }
                me.perform { $0.fetched(run, "the sound of Home Assistant's answer: \(error)") }
            }
        }
    }

    private func received(_ run: Int, _ bytes: [UInt8]) {
        guard phase == .opened, let part, translator.speaking == run else { return }
        do throws(AssistSound.Problem) {
            let samples = try sound.consume(bytes)
            guard let rate = sound.rate, !samples.isEmpty else { return }
            translate(.soundCame(run: run))
            let playout = pump.onThread.playout
            guard playout.listens(to: self) else { return }
            // Long messages are cut off.
            for start in stride(from: 0, to: samples.count, by: rate) {
                samples[start..<min(start + rate, samples.count)].withUnsafeBufferPointer { piece in
                    _ = converter.convert(piece, from: rate) { playout.receive($0, of: part) }
                }
            }
        } catch {
            stopSpeaking()
            translate(.soundEnded(run: run, "the sound of Home Assistant's answer is not WAV"))
        }
    }

    private func fetched(_ run: Int, _ problem: String?) {
        guard phase == .opened, translator.speaking == run else { return }
        translate(.soundEnded(run: run, problem))
    }

    package func sounded(_ progress: PlayoutQueue.Progress) {
        switch progress {
        case .audible: microphone?.answerBegan()
        case .drained: microphone?.answerEnded()
        case .played: break
        }
    }
}
