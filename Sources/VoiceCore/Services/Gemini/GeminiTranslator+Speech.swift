internal import VoiceBase
internal import VoiceConversation

/// The user's turns, the model's speech, and how one interrupts the other.
extension GeminiTranslator {
    /// Request id of an unprompted response.
    static let ofItself = "-"

    // MARK: The user

    /// Notes samples sent to the session; `isVoice` if the local detector heard a voice in them.
    package mutating func sent(_ samples: Int, isVoice: Bool, at now: Duration) -> [Effect] {
        guard phase == .live else { return [] }
        switch voice.sent(samples, isVoice: isVoice, overSpeech: speech?.sounds == true || isPlaying) {
        case .began(let place): userBegan(at: place, now)
        case .ended(let place): userEnded(at: place, now)
        case nil: break
        }
        return drain()
    }

    private mutating func userBegan(at place: Int, _ now: Duration) {
        reportUser(now, isDue: true)
        let item = name("u")
        turns.began(item)
        openReaction = Reaction()
        report(.userStarted(item: item, at: place))
        if drop == .stopped { drop = nil }
        guard let speech, speech.sounds else { return }
        // The service will cut it as well, once it has heard enough.
        drop = .cut
        endSpeech(.cancelled)
    }

    private mutating func userEnded(at place: Int, _ now: Duration) {
        guard let item = turns.ended(at: place, now: now) else { return }
        report(.userStopped(at: place))
        report(.userTurn(item: item, after: nil))
        repeats = 0
        reaction = openReaction
    }

    /// A pause of the user, in ms, after which the service may end the turn.
    private static let handOver = 240

    /// Ends the user's turn because the service has, earlier than the local silence detection.
    ///
    /// - Parameter isSure: whether the service acts on it.
    mutating func endTurn(_ now: Duration, isSure: Bool = false) {
        guard turns.open != nil, isSure || voice.silence.map({ $0 >= Self.handOver }) ?? false else { return }
        voice.endTurn()
        userEnded(at: voice.position, now)
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
        questions += 1
        noticed()
        for words in turns.add(text, at: now) { report(words) }
    }

    mutating func reportUser(_ now: Duration, isDue: Bool = false) {
        for text in turns.report(at: now, isDue: isDue) { report(text) }
    }

    /// Whether the user is speaking or stopped less than the hangover ago.
    var isUserTalking: Bool {
        turns.open != nil || (voice.silence.map { $0 < HeardVoice.hangover } ?? false)
    }

    /// The service has reacted to the user.
    mutating func noticed() {
        ignored = 0
        openReaction.isNoticed = true
        reaction.isNoticed = true
    }

    /// The model has reacted to the user, so it has received the answers sent to it.
    mutating func answered() {
        noticed()
        reaction.isAnswered = true
        sentCalls = []
    }

    /// How long the service may take to react to a turn, and turns in a row without any reaction after which it is mute.
    private static let reacts = Duration.seconds(10)
    private static let mostIgnored = 3

    /// A session can fall silent for good with its socket open.
    mutating func settleIgnored(_ now: Duration) {
        guard turns.open == nil, let last = turns.last, !reaction.isNoticed, now - last.endedAt >= Self.reacts else {
            return
        }
        reaction.isNoticed = true
        ignored += 1
        if ignored >= Self.mostIgnored { end(.lost, "the service does not react to the user any more") }
    }

    /// A session may transcribe the user and never answer: the words are sent to it once more, then to another session.
    mutating func settleUnanswered(_ now: Duration) {
        guard turns.open == nil, awaited == nil, drop == nil, !turn.isOpen, openCalls.isEmpty, outgoing.isEmpty,
            let last = turns.last, !last.text.isEmpty, !reaction.isAnswered, now - last.settledAt >= Self.reacts
        else { return }
        repeats += 1
        if repeats > 1 { return end(.lost, "the service leaves what the user says without an answer") }
        turns.settle(at: now)
        put(last.text, now)
    }

    // MARK: The model's turn

    private mutating func openTurn(_ now: Duration) {
        if !turn.isOpen {
            chargeUnreported()
            turn = ModelTurn()
        }
        turn.isOpen = true
        turn.hasOutput = true
        turn.isStale = false
        turn.lastOutput = now
        answered()
    }

    /// Takes in output of the model: sound, the words of it, or both.
    mutating func output(_ samples: Int, _ words: String, isAudible: Bool, _ now: Duration) {
        guard samples > 0 || !words.isEmpty else { return }
        // The silence behind speech begins nothing.
        guard speech != nil || isAudible || !words.isEmpty else { return }
        openTurn(now)
        turn.samples += samples
        if samples > 0 { turn.firstSound = turn.firstSound ?? now }
        guard !isDropping(now) else { return }
        endTurn(now)
        reportUser(now, isDue: true)
        var current = speech ?? begin(now)
        if !current.isAnnounced { report(.speaks(response: current.response, item: current.item)) }
        current.isAnnounced = true
        current.lastOutput = now
        if samples > 0 { emit(.play(0..<samples, of: current.part)) }
        if !words.isEmpty, current.pieces.count < 8000 {
            current.pieces.append((words, current.samples / 24))
            report(.said(response: current.response, item: current.item, part: 0, text: words, isWhole: false))
        }
        current.samples += samples
        speech = current
    }

    @discardableResult
    mutating func begin(_ now: Duration) -> Speech {
        let number = name("")
        let begun = Speech(response: number + "r", item: number + "m", lastOutput: now)
        speech = begun
        repeats = 0
        var request = Self.ofItself
        if answersUser {
            // The requested response follows.
            reaction.answer = begun.response
        } else if turns.open == nil, outgoing.isEmpty {
            if let awaited { request = awaited.request }
            awaited = nil
            (told, unsaid) = (unsaid, [])
        }
        report(.responseBegan(response: begun.response, request: request))
        return begun
    }

    /// Whether the next response answers the user's last turn, and nothing that was asked for before.
    private var answersUser: Bool {
        guard let last = turns.last, reaction.answer == nil else { return false }
        guard let awaited else { return true }
        return !last.text.isEmpty && last.endedAt > awaited.since
    }

    mutating func endSpeech(_ status: ResponseEnd.Status, reason: String? = nil) {
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
        var end = ResponseEnd(response: ended.response, status: status)
        end.reason = reason
        report(.responseEnded(end))
        spoken.append(ended)
        if spoken.count > 8 { spoken.removeFirst() }
    }

    /// All output of the turn is here; the service reports the turn as over only when it would have been played.
    mutating func generated(_ now: Duration) {
        turn.isGenerated = true
        turn.lastOutput = now
        endSpeech(.completed)
    }

    /// The service has cut its turn, because it heard the user or by mistake.
    mutating func interrupted(_ now: Duration) {
        if drop == .cut { drop = nil }
        turn.wasInterrupted = true
        turn.lastOutput = now
        if let speech {
            report(.interrupted(response: speech.response))
            endSpeech(.cancelled)
        } else if turn.isOpen, turn.isGenerated, isPlaying, let last = spoken.last {
            // The user spoke while the generated sound was still being played.
            report(.interrupted(response: last.response))
        }
    }

    mutating func turnEnded(_ reason: String?, _ now: Duration) {
        let ended = turn
        turn = ModelTurn()
        if !ended.isStale { answered() }
        if drop == .cut { drop = nil }
        switch reason {
        case "NEED_MORE_INPUT": endSpeech(.completed)
        case nil, "TURN_COMPLETE_REASON_UNSPECIFIED":
            endSpeech(ended.wasInterrupted ? .cancelled : .completed)
            if !ended.hasOutput, !ended.wasInterrupted, !ended.isStale, drop == nil { wasEmpty(now) }
        case "MALFORMED_FUNCTION_CALL":
            endSpeech(.completed)
            trouble("call_unread", "the model wrote a call that its service could not read")
            guard repeats == 0 else { return }
            repeats = 1
            put(GeminiLine.program("Your last call could not be read. Call again for what the user just said."), now)
        case let reason?:
            if speech == nil, !ended.isGenerated { begin(now) }
            let isFiltered = Self.filters.contains { reason.contains($0) }
            let why = isFiltered ? "Google's filter stopped this answer" : "the service stopped this answer"
            endSpeech(.incomplete, reason: "\(reason): \(why); ask in other words")
        }
    }

    /// Parts of the reasons of turns that were filtered.
    private static let filters = ["SAFETY", "PROHIBITED", "BLOCKLIST", "GENERATED", "SPII", "RECITATION"]

    /// The model has said nothing: by decision, or by mistake if it was asked something.
    private mutating func wasEmpty(_ now: Duration) {
        guard awaited == nil, openCalls.isEmpty, turns.open == nil, let last = turns.last, reaction.answer == nil,
            last.text.contains(where: { "?\u{FF1F}\u{61F}".contains($0) })
        else { return }
        repeats += 1
        if repeats > 1 { return end(.lost, "the service leaves questions without an answer") }
        reaction.isAnswered = false
        turns.settle(at: now)
        put(last.text, now)
    }

    // MARK: Interruption

    /// How long output is dropped after the user's words if the service ignored them.
    private static let cutLimit = Duration.milliseconds(1500)

    mutating func isDropping(_ now: Duration) -> Bool {
        if drop == .cut, turns.open == nil, let last = turns.last, now - last.endedAt >= Self.cutLimit { drop = nil }
        return drop != nil
    }

    static let stopOrder = GeminiLine.program("You were interrupted. Stop speaking and wait silently.")

    mutating func cancel(_ response: String?, _ now: Duration) {
        guard let speech, response == nil || response == speech.response else {
            return trouble("no_response", "nothing is being said", .noActiveResponse)
        }
        endSpeech(.cancelled)
        drop = .stopped
        // Output that was generated cannot be stopped, but it is not played.
        if turn.isOpen, !turn.isGenerated {
            emit(.send(.content([GeminiLine(.user, Self.stopOrder)])))
        }
    }

    /// How much of a word must have been played before the word counts as heard, in ms.
    private static let leastHeard = 100

    /// Notes for the model how much was heard; it assumes that it said everything.
    mutating func noteHeard(_ item: String, _ heard: Int) {
        guard let index = spoken.lastIndex(where: { $0.item == item }), !spoken[index].isNoted else { return }
        spoken[index].isNoted = true
        let speech = spoken[index]
        guard heard + Self.leastHeard < speech.samples / 24, !speech.pieces.isEmpty else { return }
        let words = speech.pieces.filter { $0.start + Self.leastHeard <= heard }.map(\.text).joined()
        let tail = String(words.singleSpaced.suffix(600))
        note =
            tail.isEmpty
            ? "The user heard nothing of your last answer." : "The user heard your last answer only up to: \"\(tail)\"."
    }

    // MARK: Time

    /// A response that holds calls and says nothing is over after this.
    private static let wordless = Duration.milliseconds(1500)
    /// A turn is over this long after its last sign, whatever the service says.
    private static let stalled = Duration.seconds(12)
    /// How late the service may report the end of a turn after its playback.
    private static let late = Duration.seconds(3)

    mutating func settleOutput(_ now: Duration) {
        if let speech, !speech.sounds, speech.calls > 0, now - speech.lastOutput >= Self.wordless {
            endSpeech(.completed)
        }
        guard turn.isOpen else { return }
        let isOver =
            turn.isGenerated
            ? now - (turn.firstSound ?? turn.lastOutput) >= .milliseconds(turn.samples / 24) + Self.late
            : now - turn.lastOutput >= (turn.isStale ? Self.late : Self.stalled)
        guard isOver else { return }
        turn = ModelTurn()
        endSpeech(.completed)
    }
}
