internal import VoiceBase
internal import VoiceConversation

/// The user's turns, the agent's answers, and how one interrupts the other.
extension DatagridTranslator {
    /// Request id of an unprompted response.
    private static let ofItself = "-"
    /// An answer is over after this long without audio or words from the agent, once everything is played.
    static let silence = Duration.milliseconds(800)
    /// How long to drop the rest of a cut answer if the service does not confirm the cut.
    static let rest = Duration.milliseconds(1500)
    /// How late that confirmation may arrive.
    private static let late = Duration.seconds(5)
    /// How long a requested answer may stay silent.
    private static let patience = Duration.seconds(30)

    // MARK: The user

    /// Notes samples at 24 kHz that were sent, or the silence sent instead; `isVoice` if the local detector heard a voice
    /// in them.
    package mutating func sent(_ samples: Int, isVoice: Bool, at now: Duration) -> [Effect] {
        guard phase == .live else { return [] }
        switch voice.sent(samples, isVoice: isVoice, overSpeech: speech?.sounds == true) {
        case .began(let place): userBegan(at: place, now)
        case .ended(let place): userEnded(at: place, now)
        case nil: break
        }
        return drain()
    }

    private mutating func userBegan(at place: Int, _ now: Duration) {
        reportUser(now, isDue: true)
        earlyWords = ""
        lostTools = []
        let item = name("u")
        turns.began(item)
        report(.userStarted(item: item, at: place))
        guard let speech else { return }
        // Work the agent does in silence continues.
        if speech.sounds { interrupt(now) } else { endSpeech(.cancelled) }
    }

    private mutating func userEnded(at place: Int, _ now: Duration) {
        guard let item = turns.ended(at: place, now: now) else { return }
        report(.userStopped(at: place))
        report(.userTurn(item: item, after: nil))
    }

    mutating func heard(_ text: String, _ now: Duration) {
        let place = turns.place(voice, isSpeaking: speech?.sounds == true)
        defer { hasReportedPhantom = place == .nowhere }
        switch place {
        case .nowhere: return hasReportedPhantom ? () : reportWordsWithoutVoice()
        case .newTurn:
            userBegan(at: voice.position, now)
            userEnded(at: voice.position, now)
        case .knownTurn: break
        }
        for words in turns.add(text, at: now) { report(words) }
    }

    private mutating func reportUser(_ now: Duration, isDue: Bool = false) {
        for text in turns.report(at: now, isDue: isDue) { report(text) }
    }

    // MARK: The agent

    mutating func begin(request: String = Self.ofItself, _ now: Duration) {
        let begun = Speech(response: name("r"), item: name("m"))
        speech = begun
        lastSign = now
        report(.responseBegan(response: begun.response, request: request))
    }

    /// A pause of the user, in ms, after which the service may start to speak.
    private static let handOver = 240

    /// Ends the user's turn because the service acts on it, earlier than the local silence detection.
    private mutating func endTurn(_ now: Duration) {
        guard turns.open != nil, let silence = voice.silence, silence >= Self.handOver else { return }
        voice.endTurn()
        userEnded(at: voice.position, now)
    }

    /// Notes audio from the agent.
    ///
    /// - Parameter isSilent: whether nothing can be heard of it; it then neither begins an answer nor prolongs one.
    package mutating func sound(_ range: Range<Int> = 0..<0, at now: Duration, isSilent: Bool = false) -> [Effect] {
        guard phase == .live, !isDropping(now) else { return [] }
        guard !isSilent else {
            if let speech, speech.sounds { emit(.play(range, of: speech.part)) }
            return drain()
        }
        if speech == nil || speech?.sounds == false {
            endTurn(now)
            if speech == nil { begin(now) }
            if let begun = speech { report(.speaks(response: begun.response, item: begun.item)) }
            speech?.sounds = true
            let words = earlyWords
            earlyWords = ""
            if !words.isEmpty { speak(words) }
        }
        lastSign = now
        if let speech { emit(.play(range, of: speech.part)) }
        return drain()
    }

    mutating func said(_ text: String, _ now: Duration) {
        guard !isDropping(now), !text.isEmpty else { return }
        lastSign = now
        if speech?.sounds == true { return speak(text) }
        earlyWords = String((earlyWords + text).prefix(4000))
    }

    private mutating func speak(_ text: String) {
        guard let speech, speech.text.utf8.count < 64_000 else { return }
        self.speech?.text += text
        report(.said(response: speech.response, item: speech.item, part: 0, text: text, isWhole: false))
    }

    mutating func endSpeech(_ status: ResponseEnd.Status) {
        guard let ended = speech else { return }
        speech = nil
        let text = String(ended.text.singleSpaced.prefix(8000))
        if !text.isEmpty {
            report(.said(response: ended.response, item: ended.item, part: 0, text: text, isWhole: true))
        }
        if ended.sounds, status == .completed {
            emit(.finish(ended.part))
            report(.audioEnded(response: ended.response, item: ended.item))
        }
        report(.responseEnded(ResponseEnd(response: ended.response, status: status)))
    }

    // MARK: Interruption

    /// Interrupts the answer: drops it locally, and asks the service to cut it.
    mutating func interrupt(_ now: Duration) {
        emit(.send(.interrupt))
        dropsUntil = now + Self.rest
        interruptedAt = now
        runningTools = [:]
        earlyWords = ""
        endSpeech(.cancelled)
    }

    private mutating func isDropping(_ now: Duration) -> Bool {
        guard let until = dropsUntil else { return false }
        if now < until { return true }
        dropsUntil = nil
        return false
    }

    /// The service cut its answer, on request or because it detected speech.
    mutating func wasInterrupted(_ now: Duration) {
        dropsUntil = nil
        if let asked = interruptedAt, now - asked < Self.late {
            interruptedAt = nil
            return
        }
        interruptedAt = nil
        earlyWords = ""
        guard let speech, speech.sounds else { return }
        report(.interrupted(response: speech.response))
        endSpeech(.cancelled)
    }

    // MARK: Tools on the service's side

    private static let mostTools = 32

    mutating func tool(_ tool: String, _ status: String, _ now: Duration) {
        report(.toolNews(tool: tool, status: status))
        // A repeated message is not progress.
        let isStarted = status == "started"
        if !isStarted { lostTools.remove(tool) }
        guard isStarted != (runningTools[tool] != nil), !lostTools.contains(tool),
            !isStarted || runningTools.count < Self.mostTools
        else { return }
        lastSign = now
        if isStarted {
            runningTools[tool] = now
            endTurn(now)
            // An answer is on its way.
            if speech == nil, !isDropping(now) { begin(now) }
        } else {
            runningTools[tool] = nil
        }
    }

    // MARK: Time

    /// Performs what is due by `now`; `isPlaying` while audio of the agent is queued or playing.
    package mutating func tick(at now: Duration, isPlaying: Bool) -> [Effect] {
        guard phase == .live else { return [] }
        reportUser(now)
        // A tool whose end is never reported does not hold the conversation for ever.
        let wasWorking = !runningTools.isEmpty
        let lost = runningTools.filter { now - $0.value >= settings.longestWork }.keys
        if lostTools.count < Self.mostTools { lostTools.formUnion(lost) }
        for tool in lost { runningTools[tool] = nil }
        guard let speech else { return drain() }
        let quiet = now - lastSign
        if speech.sounds {
            guard !isPlaying, quiet >= Self.silence else { return drain() }
            endSpeech(.completed)
            // The agent kept working while it spoke.
            if !runningTools.isEmpty { begin(now) }
        } else if runningTools.isEmpty,
            quiet >= (wasWorking ? Self.silence : min(Self.patience, settings.longestWork))
        {
            endSpeech(.completed)
        }
        return drain()
    }

    /// Completes the last lines from the final transcript, which has the service's final wording.
    mutating func settle(_ transcript: [DatagridLine], _ now: Duration) {
        guard phase == .live else { return }
        userEnded(at: voice.position, now)
        if let last = transcript.last(where: { $0.role == .user }) { turns.correct(last.text) }
        reportUser(now, isDue: true)
        if let last = transcript.last(where: { $0.role == .agent }), speech?.text.isEmpty == false {
            speech?.text = last.text
        }
        endSpeech(.completed)
    }
}
