internal import VoiceBase
internal import VoiceConversation

/// The user's turns, the model's speech, and how one interrupts the other.
extension LiveTranslator {
    static let stopOrder = "The user interrupts: stop speaking now and listen."
    /// Request id of an unprompted response.
    static let ofItself = "-"

    // MARK: The user

    /// Notes samples sent to the session; `isVoice` if the local detector heard a voice in them.
    package mutating func sent(_ samples: Int, isVoice: Bool, at now: Duration) -> [Effect] {
        guard phase == .live else { return [] }
        if lastSound == nil { lastSound = now }
        switch voice.sent(samples, isVoice: isVoice, overSpeech: speech != nil) {
        case .began(let place): userBegan(at: place, now)
        case .ended(let place): userEnded(at: place, now)
        case nil: break
        }
        return drain()
    }

    private mutating func userBegan(at place: Int, _ now: Duration) {
        tellUser(now, isDue: true)
        var turn = UserTurn(item: name("u"))
        turn.start = place
        user = turn
        report(.userStarted(item: turn.item, at: place))
        if speech != nil { interrupt(now) }
    }

    private mutating func userEnded(at place: Int, _ now: Duration) {
        guard var turn = user else { return }
        user = nil
        turn.end = place
        turn.voiceEnd = voice.position - (voice.silence ?? 0)
        turn.endedAt = now
        report(.userStopped(at: place))
        report(.userTurn(item: turn.item, after: nil))
        lastUser = turn
    }

    /// Ends the user's turn because the service did, earlier than the local silence detection.
    mutating func endTurn(_ now: Duration) {
        guard user != nil else { return }
        voice.endTurn()
        userEnded(at: voice.position, now)
    }

    /// Takes transcribed words, which count only if the local detector heard a voice as well: the service transcribes words
    /// no one said.
    mutating func heard(_ fragment: LiveFragment, _ now: Duration) {
        guard voice.hasVoice(from: fragment.start, to: fragment.end) else {
            // Reported once per stretch of them.
            if phantomUntil.map({ fragment.start - $0 > 2000 }) ?? true { reportWordsWithoutVoice() }
            phantomUntil = fragment.end
            return
        }
        delegations.heard(fragment, at: now)
        if user == nil, speech == nil, lastUser.map({ fragment.start > $0.end + 1000 }) ?? true {
            // The local detector took the turn for noise because it was short, but it was speech.
            userBegan(at: fragment.start, now)
            userEnded(at: fragment.end, now)
            lastUser?.isSure = false
        }
        if ((user ?? lastUser)?.text.utf8.count ?? 0) >= Self.longestTurn {
            // Longer than any real turn.
        } else if user != nil {
            user?.add(fragment, now)
            if let item = user?.item { report(.heard(item: item, part: 0, text: fragment.text, isWhole: false)) }
        } else if let item = lastUser?.item {
            lastUser?.add(fragment, now)
            report(.heard(item: item, part: 0, text: fragment.text, isWhole: false))
            if lastUser?.isReported == true { tellUser(now, isDue: true, again: true) }
        }
        settleDelegations(now)
        settleTurn(now)
    }

    /// Maximum length of a turn's words, in bytes.
    private static let longestTurn = 16_000
    /// How late words may arrive after their turn.
    private static let lateWords = Duration.milliseconds(1200)

    /// Reports the whole text of the last turn.
    mutating func tellUser(_ now: Duration, isDue: Bool = false, again: Bool = false) {
        guard let turn = lastUser, !turn.text.isEmpty, again || !turn.isReported,
            isDue || now - turn.endedAt >= Self.lateWords
        else { return }
        lastUser?.isReported = true
        let text = turn.text.singleSpaced
        report(.heard(item: turn.item, part: 0, text: String(text.prefix(8000)), isWhole: true))
    }

    /// Whether the user is speaking or stopped less than the hangover ago.
    var isUserTalking: Bool {
        voice.isSpeaking || (voice.silence.map { $0 < HeardVoice.hangover } ?? false)
    }

    // MARK: The model

    /// Takes in the samples of a delta.
    ///
    /// - Parameter waiting: samples queued at the player.
    package mutating func sound(
        _ samples: UnsafeBufferPointer<Int16>,
        waiting: Int,
        at now: Duration
    ) -> [Effect] {
        // A delta without samples does not show that the session is alive.
        guard phase == .live, !samples.isEmpty else { return [] }
        lastSound = now
        let loud = track.loudSamples
        for step in track.receive(samples, waiting: waiting, at: now) {
            switch step {
            case .began: beginSpeech(now)
            case .play(let range): if let speech { emit(.play(range, of: speech.part)) }
            case .ended: endSpeech(.completed)
            }
        }
        if let given, now - given.at >= .milliseconds(400) {
            self.given?.loud += track.loudSamples >= loud ? track.loudSamples - loud : track.loudSamples
        }
        return drain()
    }

    /// A pause of the user, in ms, after which the service may start to speak.
    private static let handOver = 240

    private mutating func beginSpeech(_ now: Duration) {
        // By speaking, the service ends the user's turn.
        if let silence = voice.silence, silence >= Self.handOver { endTurn(now) }
        let number = name("")
        let begun = Speech(response: number + "r", item: number + "m", words: [])
        speech = begun
        // Speech that begins while the user speaks answers no request.
        var request = Self.ofItself
        if user == nil, let awaited {
            request = awaited.request
            self.awaited = nil
            given = nil
        } else {
            noteAnswer(begun.response)
        }
        report(.responseBegan(response: begun.response, request: request))
        report(.speaks(response: begun.response, item: begun.item))
        let words = earlyWords
        earlyWords = []
        for word in words { speak(word, by: .max) }
    }

    /// Notes the response that answers the user's last turn, unless another did or the user speaks.
    mutating func noteAnswer(_ response: String) {
        guard user == nil, lastUser?.answer == nil else { return }
        lastUser?.answer = response
    }

    mutating func said(_ fragment: LiveFragment, _ now: Duration) {
        // The rest of cut speech is not said.
        guard !track.isDiscarding else { return }
        track.words()
        guard speech == nil else { return speak(fragment, by: track.playedSamples / 24) }
        earlyWords.append(fragment)
        if earlyWords.count > 16 { earlyWords.removeFirst() }
    }

    /// Words arrive with their sound or after it, on a grid of 200 ms. Each of the two positions is too late for the
    /// beginning of a word, so the earlier one counts.
    ///
    /// - Parameter sound: sound received so far, in ms.
    private mutating func speak(_ fragment: LiveFragment, by sound: Int) {
        guard let speech, speech.words.count < 4000 else { return }
        let first = speech.words.first?.start ?? fragment.start
        self.speech?.places.append(min(fragment.start - first, sound))
        self.speech?.words.append(fragment)
        report(.said(response: speech.response, item: speech.item, part: 0, text: fragment.text, isWhole: false))
    }

    mutating func endSpeech(_ status: ResponseEnd.Status) {
        guard let ended = speech else { return }
        speech = nil
        let text = ended.text.singleSpaced
        if !text.isEmpty {
            report(.said(response: ended.response, item: ended.item, part: 0, text: text, isWhole: true))
        }
        if status == .completed {
            emit(.finish(ended.part))
            report(.audioEnded(response: ended.response, item: ended.item))
        }
        report(.responseEnded(ResponseEnd(response: ended.response, status: status)))
        spoken.append(ended)
        if spoken.count > 8 { spoken.removeFirst() }
    }

    /// Interrupts the model: drops the rest of its speech, and orders it to stop.
    mutating func interrupt(_ now: Duration) {
        let isHeard = track.loudSamples >= Self.leastCut
        track.discard(at: now)
        endSpeech(.cancelled)
        if isHeard { send(.instructions, [Self.stopOrder], delegation: nil, now) }
    }

    /// Loud samples (300 ms) below which the model is not ordered to stop.
    private static let leastCut = 7200

    /// Notes for the model how much was heard; it assumes that it said everything.
    mutating func note(item: String, heard: Int, _ now: Duration) {
        guard let index = spoken.lastIndex(where: { $0.item == item }), !spoken[index].isNoted else { return }
        spoken[index].isNoted = true
        let speech = spoken[index]
        guard !speech.words.isEmpty else { return }
        // A word counts as heard once 100 ms of it have played.
        let known = zip(speech.words, speech.places).filter { $1 + 100 <= heard }.map(\.0.text).joined()
        let text = known.singleSpaced
        let tail = String(text.suffix(900))
        let note = text.isEmpty ? "The user heard nothing of it." : "The user heard only: \"\(tail)\"."
        send(.thinking, [note], delegation: nil, now)
    }
}
