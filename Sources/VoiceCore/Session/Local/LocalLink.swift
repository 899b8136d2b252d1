internal import VoiceBase
package import VoiceConversation
internal import VoiceNetwork
internal import VoiceReply

/// A session of the local voice: combines turn detection, the recogniser and the speaker. Lives on the network thread.
///
///     VoicePump --10 ms--> MicrophoneAnalyzer --> LocalTurn --> LocalRecogniser --> LocalTranslator --> conversation
///     VoicePump <--24 kHz-- LocalSpeaker <-- sentences <-- LocalTranslator <-- requests <-- conversation
///
/// It is ready once the recogniser has described itself. If the speaker does not answer, espeak-ng replaces it.
package final class LocalLink: ServiceLink, VoiceLine {
    private static let describeLimit = Duration.seconds(5)
    /// Steps after the end of a turn within which further speech is joined to the turn; later speech is another turn.
    private static let joinLimit = 250
    /// Steps of silence after which the response to an unfinished answer ends.
    private static let starveLimit = 200

    private let settings: LocalSettings
    private let network: NetworkThread
    private let pump: NetworkConfined<VoicePump>
    private let report: ServiceReporter
    private let session: Int

    private enum Phase { case starting, opened, over }

    private var phase = Phase.starting
    private var me: NetworkConfined<LocalLink>?
    private var recogniser: LocalRecogniser?
    private var speaker: LocalSpeaker?
    /// Connections on which servers are asked to describe themselves.
    private var recogniserProbe: WyomingConnection?
    private var speakerProbe: WyomingConnection?
    private var knowsRecogniser = false

    private var analyzer: MicrophoneAnalyzer?
    private var turn: LocalTurn
    private var translator: LocalTranslator
    /// Steps so far, and the step at which the last turn was reported; nil if there is no turn to join.
    private var steps = 0
    private var givenAt: Int?
    private var speech: LocalSpeech?
    /// Received length of each sentence in ms, and the number of words reported as heard.
    private var lengths: [Int] = []
    private var wordsHeard = 0
    /// Steps of silence spent waiting for further sentences.
    private var starved = 0
    private var wordless = WordlessTurns()
    /// Whether the last recogniser that failed had answered, even with nonsense.
    private var recogniserAnswers = false

    init(
        _ settings: LocalSettings,
        session: Int,
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) {
        self.settings = settings
        self.session = session
        self.network = network
        self.pump = pump
        self.report = report
        turn = LocalTurn(options: settings.turns)
        var options = LocalTranslator.Options()
        options.session = "local\(session)"
        options.knowsStation = settings.knowsStation
        translator = LocalTranslator(options)
    }

    // MARK: Opening

    func start(_ me: NetworkConfined<LocalLink>) {
        guard phase == .starting else { return }
        self.me = me
        recogniser = LocalRecogniser(
            on: network,
            at: settings.recogniser,
            allowsPublic: settings.allowsPublic,
            language: settings.language,
            left: { [unowned self] in
                if !settings.recogniser.isThisMachine { pump.onThread.uplink.left(samples: $0, bytes: $1) }
            },
            report: { [unowned self] in recognised($0) }
        )
        speaker = LocalSpeaker(
            settings,
            on: network,
            me: { me.onThread.speaker },
            report: { [unowned self] in spoken($0) }
        )
        analyzer = MicrophoneAnalyzer(hasVoiceDetector: pump.onThread.uplink.hasVoiceDetector)
        report(.connected, Monotonic.now())
        recogniserProbe = probe(settings.recogniser, isRecogniser: true)
        speakerProbe = settings.speaker.map { probe($0, isRecogniser: false) }
    }

    private func probe(_ address: WyomingAddress, isRecogniser: Bool) -> WyomingConnection {
        let line = WyomingConnection(to: address, allowsPublic: settings.allowsPublic, on: network) { [unowned self] in
            probed($0, isRecogniser: isRecogniser)
        }
        line.send(.describe)
        line.limit(Self.describeLimit)
        return line
    }

    private func probed(_ event: WyomingConnection.Event, isRecogniser: Bool) {
        switch event {
        case .message(.info(let info)):
            (isRecogniser ? recogniserProbe : speakerProbe)?.close()
            if isRecogniser { describedRecogniser(info) } else { describedSpeaker(info) }
            openIfKnown()
        case .message: break
        case .ended(let end):
            guard isRecogniser else {
                speakerProbe = nil
                speaker?.rest(at: Monotonic.now())
                if !EspeakVoice.isInstalled {
                    return fail("\(end.description), and espeak-ng is not installed, so the box has no voice")
                }
                trouble("\(end.description); espeak-ng speaks meanwhile")
                return openIfKnown()
            }
            // A fault that only the configuration can fix is not retried.
            if end.kind == .exposed { return fail(end.description, .permanent) }
            fail("\(end.description); start it, or correct local.recogniser", isOfRecogniser: true)
        }
    }

    private func describedRecogniser(_ info: WyomingInfo) {
        recogniserProbe = nil
        let programs = info.asr.filter(\.isInstalled)
        guard !programs.isEmpty else {
            return fail("local.recogniser: the server at \(settings.recogniser.text) recognises no speech", .permanent)
        }
        knowsRecogniser = true
        recogniser?.streams = programs.contains(where: \.streams)
        if !programs.contains(where: { $0.speaks(settings.language) }) {
            trouble(
                "local.language: the server at \(settings.recogniser.text) has no model for \"\(settings.language)\""
            )
        }
    }

    private func describedSpeaker(_ info: WyomingInfo) {
        speakerProbe = nil
        if info.tts.contains(where: \.isInstalled) { return speaker?.warmUp() ?? () }
        speaker?.rest(at: Monotonic.now())
        trouble("local.speaker: the server at \(settings.speaker?.text ?? "?") has no voice installed; using espeak-ng")
    }

    private func openIfKnown() {
        guard phase == .starting, knowsRecogniser, speakerProbe == nil else { return }
        if settings.speaker == nil, !EspeakVoice.isInstalled {
            return fail("no voice: local.speaker is empty and espeak-ng is not installed; install or set one")
        }
        phase = .opened
        report(.service(.opened(id: "local-\(session)", ends: nil)), Monotonic.now())
    }

    // MARK: The end

    private func fail(_ reason: String, _ kind: LinkFailure.Kind = .transient, isOfRecogniser: Bool = false) {
        guard phase != .over else { return }
        finish()
        var failure = LinkFailure(kind, reason)
        failure.isOfRecogniser = isOfRecogniser
        report(.disconnected(failure), Monotonic.now())
    }

    private func finish() {
        phase = .over
        recogniserProbe?.close()
        speakerProbe?.close()
        recogniser?.abandon()
        speaker?.stop()
        pump.onThread.ended(self)
        // Breaks the reference cycle between the speaker and this session (`me`).
        (me, recogniser, speaker) = (nil, nil, nil)
    }

    package func retire() {
        guard phase != .over else { return }
        finish()
    }

    private func trouble(_ text: String) {
        report(.service(.trouble(ServiceError(.other, name: "local", text: text))), Monotonic.now())
    }

    // MARK: Requests

    package func openMicrophone() {
        if phase == .opened { pump.onThread.openMicrophone(on: self) }
    }

    package func ask(_ request: ServiceRequest) {
        if phase == .opened { translate(.asked(request)) }
    }

    private func translate(_ event: LocalEvent) {
        for effect in translator.handle(event) { perform(effect) }
    }

    private func perform(_ effect: LocalEffect) {
        switch effect {
        case .report(let event): report(event, Monotonic.now())
        case .speak(let speech):
            self.speech = speech
            lengths = Array(repeating: 0, count: speech.sentences.count)
            wordsHeard = 0
            speaker?.speak(speech.sentences, isOpen: speech.isOpen)
        case .speakOn(let sentences):
            speech?.sentences += sentences
            lengths += Array(repeating: 0, count: sentences.count)
            speaker?.goOn(sentences)
        case .speechIsWhole: speaker?.close()
        case .stopSpeaking:
            speech = nil
            speaker?.stopSpeaking()
            turned(turn.handle(.answerEnded))
        case .forgetTurn:
            recogniser?.abandon()
            turned(turn.handle(.forgotten))
        case .acts: turned(turn.handle(.requestActs))
        case .answered: turned(turn.handle(.answerEnded))
        case .close:
            finish()
            report(.service(.closing(.asked, "the session was closed")), Monotonic.now())
        }
    }

    // MARK: The microphone

    package var isOpen: Bool { phase == .opened }
    /// Always 0: no audio waits here, because a recogniser that does not read its audio loses its connection.
    package var pendingSendBytes: Int { 0 }

    package func send(_ chunk: MicrophoneChunk) -> Int? {
        guard phase == .opened, let analyzer else { return nil }
        chunk.forEachPeriod { hear(analyzer.consume($0), analyzer) }
        // The audio is sent with a turn, or not at all.
        return 0
    }

    /// Handles one step of 10 ms.
    private func hear(_ step: HeardStep, _ analyzer: MicrophoneAnalyzer) {
        steps += 1
        if let given = givenAt, steps - given > Self.joinLimit {
            givenAt = nil
            turned(turn.handle(.requestActs))
        }
        starved = speaker?.isStarving == true && !pump.onThread.playout.isSpeaking ? starved + 1 : 0
        if starved == Self.starveLimit { translate(.speechStarved) }
        turned(turn.handle(.heard(step)))
        recogniser?.feed(analyzer, until: steps)
    }

    private func turned(_ effects: [LocalTurnEffect]) {
        guard let analyzer else { return }
        let resumes = effects.contains(.resumeAnswer)
        for effect in effects {
            switch effect {
            case .began(let from):
                recogniser?.begin(from: from, gain: analyzer.gain(of: from..<steps))
                translate(.began(at: from * 10))
            case .look(let look, let ranges): recogniser?.recognise(look, ranges, of: analyzer)
            case .goesOn: recogniser?.abandon()
            case .supersede: translate(.superseded(at: analyzer.milliseconds))
            case .give(let utterance):
                givenAt = steps
                wordless.heard()
                translate(.given(utterance, at: analyzer.milliseconds))
            case .drop(let reason):
                recogniser?.abandon()
                if reason == .notRecognised {
                    translate(.notRecognised(at: analyzer.milliseconds, answers: recogniserAnswers))
                } else if let notice = wordless.dropped(reason, isClear: turn.isClear, resumes: resumes, at: steps) {
                    let clear = "a clear sentence (\(reason.rawValue))"
                    let what = notice == .unclear ? clear : "\(wordless.count) turns in a row"
                    trouble(
                        "local.recogniser: the Wyoming server at \(settings.recogniser.text) made no words of \(what); see "
                            + "whether its model knows local.language = \"\(settings.language)\""
                    )
                    translate(.noWords(at: analyzer.milliseconds, notice))
                } else {
                    translate(.dropped(at: analyzer.milliseconds, resumes: resumes))
                }
            // The conversation handles barge-in and ducking itself when the user begins to speak.
            case .bargeIn, .resumeAnswer: break
            }
        }
    }

    private func recognised(_ outcome: LocalRecogniser.Outcome) {
        switch outcome {
        case .partial(let text): turned(turn.handle(.partial(text)))
        case .text(let text, let look): turned(turn.handle(.transcript(text, look: look)))
        case .failed(let end, let look):
            recogniserAnswers = ![.away, .late].contains(end.kind)
            trouble("\(end.description); what was said is lost: see whether the server runs and has room")
            turned(turn.handle(.failed(look: look)))
        }
    }

    // MARK: The voice

    private func spoken(_ outcome: LocalSpeaker.Outcome) {
        switch outcome {
        case .trouble(let end): return trouble("\(end.description); espeak-ng speaks meanwhile")
        case .failed(let reason):
            trouble(reason)
            return translate(.speechFailed(reason))
        default: break
        }
        guard let speech else { return }
        switch outcome {
        case .began(let index): translate(.sentenceBegan(index))
        case .sound(let index, let samples):
            if lengths.indices.contains(index) { lengths[index] += samples.count * 1000 / 24_000 }
            if pump.onThread.playout.listens(to: self) {
                pump.onThread.playout.receive(samples, of: speech.part(index))
            }
        case .finished(let index):
            pump.onThread.playout.finish(speech.part(index))
            translate(.sentenceEnded(index))
        case .ended:
            translate(.speechEnded)
            // The answer was already played when its end became known.
            if !pump.onThread.playout.isSpeaking { turned(turn.handle(.answerEnded)) }
        case .failed, .trouble: break
        }
    }

    package func sounded(_ progress: PlayoutQueue.Progress) {
        switch progress {
        case .audible(let response, _):
            if response == speech?.response { turned(turn.handle(.answerBegan)) }
        case .played(let response, let heard, _):
            if response == speech?.response { said(heard) }
        case .drained:
            if speaker?.isDone ?? true { turned(turn.handle(.answerEnded)) }
        }
    }

    /// Passes the words of the box to turn detection as they become audible, so that their echo is not mistaken for the user.
    private func said(_ heard: Int) {
        guard let speech else { return }
        var start = 0
        var words: [Substring] = []
        for (index, sentence) in speech.sentences.enumerated() {
            let all = sentence.split(separator: " ")
            let share = lengths[index] == 0 ? 0 : min(1, Double(max(0, heard - start)) / Double(lengths[index]))
            words += all.prefix(Int((Double(all.count) * share).rounded(.up)))
            start += lengths[index]
            if share < 1 { break }
        }
        guard words.count > wordsHeard else { return }
        let new = words[wordsHeard...].joined(separator: " ")
        wordsHeard = words.count
        turned(turn.handle(.boxSaid(new)))
    }
}
