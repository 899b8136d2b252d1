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
        tellUser(now, isDue: true)
        let began = UserTurn(item: name("u"))
        user = began
        report(.userStarted(item: began.item, at: place))
        if drop == .stopped { drop = nil }
        guard let speech, speech.sounds else { return }
        // The service will cut it as well, once it has heard enough.
        drop = .cut
        endSpeech(.cancelled)
    }

    private mutating func userEnded(at place: Int, _ now: Duration) {
        guard var ended = user else { return }
        user = nil
        ended.end = place
        (ended.endedAt, ended.settledAt) = (now, now)
        report(.userStopped(at: place))
        report(.userTurn(item: ended.item, after: nil))
        repeats = 0
        lastUser = ended
    }

    /// A pause of the user, in ms, after which the service may end the turn.
    private static let handOver = 240

    /// Ends the user's turn because the service has, earlier than the local silence detection.
    ///
    /// - Parameter isSure: whether the service acts on it.
    mutating func endTurn(_ now: Duration, isSure: Bool = false) {
        guard user != nil, isSure || voice.silence.map({ $0 >= Self.handOver }) ?? false else { return }
        voice.endTurn()
        userEnded(at: voice.position, now)
    }

    /// Transcribed words count if the local detector heard a voice within this long, in ms.
    private static let lateWords = 15_000
    /// Maximum length of a turn's words, in bytes.
    private static let longestTurn = 16_000

    mutating func heard(_ text: String, _ now: Duration) {
        guard voice.hasVoice(from: voice.position - Self.lateWords, to: voice.position) else {
            // The words themselves stay out of the log.
            if !hasReportedPhantom {
                trouble(
                    "words_without_voice", "the service heard words where no voice was heard here; they are ignored"
                )
            }
            hasReportedPhantom = true
            return
        }
        hasReportedPhantom = false
        questions += 1
        let isNew = lastUser.map { voice.hasVoice(from: $0.end + HeardVoice.hangover, to: voice.position) } ?? true
        if user == nil, speech?.sounds != true, isNew {
            // The local detector took it for noise because it was short, but it was speech.
            userBegan(at: voice.position, now)
            userEnded(at: voice.position, now)
        }
        noticed()
        guard ((user ?? lastUser)?.text.utf8.count ?? 0) < Self.longestTurn else { return }
        if user != nil {
            user?.text += text
            if let item = user?.item { report(.heard(item: item, part: 0, text: text, isWhole: false)) }
        } else if let item = lastUser?.item {
            lastUser?.text += text
            lastUser?.settledAt = now
            report(.heard(item: item, part: 0, text: text, isWhole: false))
            if lastUser?.isReported == true { tellUser(now, isDue: true, again: true) }
        }
    }

    /// How long after a turn, or after its last words, more words may arrive.
    private static let moreWords = Duration.milliseconds(1200)

    /// Reports the whole text of the last turn.
    mutating func tellUser(_ now: Duration, isDue: Bool = false, again: Bool = false) {
        guard let last = lastUser, !last.text.isEmpty, again || !last.isReported,
            isDue || now - last.settledAt >= Self.moreWords
        else { return }
        lastUser?.isReported = true
        report(.heard(item: last.item, part: 0, text: Self.whole(last.text), isWhole: true))
    }

    private static func whole(_ text: String) -> String {
        String(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(8000))
    }

    /// Whether the user is speaking or stopped less than the hangover ago.
    var isUserTalking: Bool {
        user != nil || (voice.silence.map { $0 < HeardVoice.hangover } ?? false)
    }

    /// The service has reacted to the user.
    mutating func noticed() {
        ignored = 0
        user?.isNoticed = true
        lastUser?.isNoticed = true
    }

    /// The model has reacted to the user, so it has what was sent to it.
    mutating func answered() {
        noticed()
        lastUser?.isAnswered = true
        sentCalls = []
    }

    /// How long the service may take to react to a turn, and turns in a row without any reaction after which it is mute.
    private static let reacts = Duration.seconds(10)
    private static let mostIgnored = 3

    /// A session can fall silent for good with its socket open.
    mutating func settleIgnored(_ now: Duration) {
        guard user == nil, let last = lastUser, !last.isNoticed, now - last.endedAt >= Self.reacts else { return }
        lastUser?.isNoticed = true
        ignored += 1
        if ignored >= Self.mostIgnored { end(.lost, "the service does not react to the user any more") }
    }

    /// A session can go on writing down what the user says and never answer: the words go to it once more, then to another session.
    mutating func settleUnanswered(_ now: Duration) {
        guard user == nil, awaited == nil, drop == nil, !turn.isOpen, openCalls.isEmpty, outgoing.isEmpty,
            let last = lastUser, !last.text.isEmpty, !last.isAnswered, now - last.settledAt >= Self.reacts
        else { return }
        repeats += 1
        if repeats > 1 { return end(.lost, "the service leaves what the user says without an answer") }
        lastUser?.settledAt = now
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
        tellUser(now, isDue: true)
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
            lastUser?.answer = begun.response
        } else if user == nil, outgoing.isEmpty {
            if let awaited { request = awaited.request }
            awaited = nil
            (told, unsaid) = (unsaid, [])
        }
        report(.responseBegan(response: begun.response, request: request))
        return begun
    }

    /// Whether the next response answers the user's last turn, and nothing that was asked for before.
    private var answersUser: Bool {
        guard let last = lastUser, last.answer == nil else { return false }
        guard let awaited else { return true }
        return !last.text.isEmpty && last.endedAt > awaited.since
    }

    mutating func endSpeech(_ status: ResponseEnd.Status, reason: String? = nil) {
        guard let ended = speech else { return }
        speech = nil
        let text = Self.whole(ended.text)
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
            // The user spoke while only the playback was left.
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

    /// In the reasons of a turn that was filtered.
    private static let filters = ["SAFETY", "PROHIBITED", "BLOCKLIST", "GENERATED", "SPII", "RECITATION"]

    /// The model has said nothing: by decision, or by mistake where it was asked something.
    private mutating func wasEmpty(_ now: Duration) {
        guard awaited == nil, openCalls.isEmpty, user == nil, let last = lastUser, last.answer == nil,
            last.text.contains(where: { "?\u{FF1F}\u{61F}".contains($0) })
        else { return }
        repeats += 1
        if repeats > 1 { return end(.lost, "the service leaves questions without an answer") }
        lastUser?.isAnswered = false
        lastUser?.settledAt = now
        put(last.text, now)
    }

    // MARK: Interruption

    /// How long output is dropped after the user's words if the service took them for nothing.
    private static let cutLimit = Duration.milliseconds(1500)

    mutating func isDropping(_ now: Duration) -> Bool {
        if drop == .cut, user == nil, let last = lastUser, now - last.endedAt >= Self.cutLimit { drop = nil }
        return drop != nil
    }

    static let stopOrder = GeminiLine.program("You were interrupted. Stop speaking and wait silently.")

    mutating func cancel(_ response: String?, _ now: Duration) {
        guard let speech, response == nil || response == speech.response else {
            return trouble("no_response", "nothing is being said", .noActiveResponse)
        }
        endSpeech(.cancelled)
        drop = .stopped
        // What is generated cannot be stopped, only not played.
        if turn.isOpen, !turn.isGenerated {
            emit(.send(.content([GeminiLine(.user, Self.stopOrder)])))
        }
    }

    /// Sound that was played of a word before it counts as heard, in ms.
    private static let leastHeard = 100

    /// Notes for the model how much was heard; it assumes that it said everything.
    mutating func noteHeard(_ item: String, _ heard: Int) {
        guard let index = spoken.lastIndex(where: { $0.item == item }), !spoken[index].isNoted else { return }
        spoken[index].isNoted = true
        let speech = spoken[index]
        guard heard + Self.leastHeard < speech.samples / 24, !speech.pieces.isEmpty else { return }
        let words = speech.pieces.filter { $0.start + Self.leastHeard <= heard }.map(\.text).joined()
        let tail = String(Self.whole(words).suffix(600))
        note =
            tail.isEmpty
            ? "The user heard nothing of your last answer." : "The user heard your last answer only up to: \"\(tail)\"."
    }

    // MARK: Time

    /// A response that holds calls and says nothing is over after this.
    private static let wordless = Duration.milliseconds(1500)
    /// So long after its last sign a turn is over, whatever the service says.
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
