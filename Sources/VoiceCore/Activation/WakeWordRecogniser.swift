internal import VoiceBase

/// The verdict about what was heard, with the values behind it.
package struct WakeReport: Equatable, Sendable {
    package var verdict: WakeRule.Verdict
    /// Confidence in the engine's own unit; nil if it reports none.
    package var score: Double?
    /// Level and voice of a wake word; nil for other verdicts.
    package var evidence: WordEvidence?
    /// How long ago a wake word was found, in ms: calls may be read first.
    package var late = 0
    /// Whether the box played sound when that word was found.
    package var isOverSound = false

    fileprivate var isCall: Bool {
        if case .call = verdict { true } else { false }
    }

    fileprivate var isStop: Bool {
        if case .stop = verdict { true } else { false }
    }
}

/// An engine, the rule for its finds and the second look at calls: audio in, verdicts out. Belongs to one thread.
package final class WakeWordRecogniser {
    package let detector: any WakeWordDetector
    private var rule: WakeRule
    private let look: SecondLook?
    private var models: SecondModels?
    /// Why the second model is no longer asked; nil if it works or there is none.
    package private(set) var secondModelFailed: WakeWordError?
    private var sound = RecentSound()
    /// Looks for speech after a call; nil if there was none lately.
    private var after: SpeechAfterCall?
    /// Calls that the second model has not confirmed yet, at most one per word.
    private var pending: [WaitingCall] = []
    /// Reads calls before they count; nil if nobody does.
    private let reading: CallReading?
    /// The call that is being read.
    private var readCall: ReadCall?
    /// Why the latest call was not read; nil if it was.
    package private(set) var unread: WakeWordError?
    private var ownVoice = OwnVoice()
    /// When the box played sound last, and since when without a longer pause.
    private var played: Duration?
    private var playedSince = Duration.zero
    /// A stop word that may turn out to be part of a sentence.
    private var stop: WaitingStop?
    /// When the latest call was found.
    private var called: Duration?
    /// The latest stop word that was refused, and when.
    private var refusedStop: (word: String, at: Duration)?

    /// How long a stop word counts as said over the box's sound after its end: the word itself often ends it.
    static let hold = Duration.seconds(2)

    private struct WaitingCall {
        var report: WakeReport
        let word: String
        let until: Duration
        var next: Duration
        var score: Double
    }

    private struct WaitingStop {
        var report: WakeReport
        let word: String
        var judge: LoneStop
    }

    /// - Parameters:
    ///   - look: the check before a call counts; nil for none.
    ///   - models: models for that check; nil for none.
    ///   - reading: reads calls before they count; nil if nobody does.
    package init(
        _ detector: any WakeWordDetector,
        rule: WakeRule,
        look: SecondLook?,
        models: SecondModels? = nil,
        reading: CallReading? = nil
    ) {
        self.detector = detector
        self.rule = rule
        self.look = look
        self.models = models
        self.reading = reading
    }

    /// Asks these models from now on.
    package func use(_ models: SecondModels) { self.models = models }

    /// Forgets the audio processed so far.
    package func reset() {
        detector.reset()
        sound.forget()
        after = nil
        pending = []
        readCall = nil
        reading?.reader.abandon()
        stop = nil
        refusedStop = nil
        called = nil
        ownVoice = OwnVoice()
        played = nil
    }

    /// Processes cleaned audio, mono, 16 kHz.
    ///
    /// - Parameter isAlone: whether only the box itself is heard, as far as is known: see `EchoGauges.isAlone`.
    /// - Throws: if the engine fails; it must then be recreated.
    package func take(
        _ samples: UnsafeBufferPointer<Int16>,
        listening: LocalListening,
        isPlaying: Bool,
        isAlone: Bool = false,
        at now: Duration
    ) throws(WakeWordError) -> [WakeReport] {
        let hasPlayed = isPlaying || (played.map { now - $0 <= Self.hold } ?? false)
        detector.note(isPlaying: isPlaying, lately: hasPlayed)
        ownVoice.note(isAlone, at: now)
        if isPlaying {
            if played.map({ now - $0 > Self.hold }) ?? true { playedSince = now }
            played = now
        }
        sound.take(samples)
        var reports: [WakeReport] = []
        if let speaksOn = after?.take(samples) {
            after = nil
            if let readCall, !readCall.speaksOn {
                self.readCall?.speaksOn = speaksOn
                // The sound that confirms the call would come later as well.
                if !speaksOn { after = SpeechAfterCall(readCall.report.evidence) }
            } else if speaksOn {
                reports.append(WakeReport(verdict: .speaksOn))
            }
        }
        for candidate in try detector.process(samples) {
            // A refused call must not start the refractory time.
            var judged = rule
            let isScoredStop = candidate.score != nil && rule.words[candidate.word]?.isStop == true
            let verdict = judged.judge(
                candidate,
                listening: listening,
                isPlaying: isScoredStop ? hasPlayed : isPlaying,
                at: now
            )
            var report = WakeReport(verdict: verdict, score: candidate.score)
            if case .call = verdict { report.evidence = sound.evidence }
            if case .call(let word) = verdict, candidate.wantsPause,
                let reason = CallPause.refusal(sound.pauseBeforeWord)
            {
                report.verdict = .refused(word, reason)
            } else if case .call(let word) = verdict, let look {
                if let score = opinion(of: word) {
                    if score < SecondLook.score {
                        wait(
                            WaitingCall(
                                report: report,
                                word: word,
                                until: now + SecondLook.patience,
                                next: now + .milliseconds(80),
                                score: score
                            )
                        )
                        continue
                    }
                } else if let reason = look.refusal(report.evidence) {
                    report.verdict = .refused(word, reason)
                }
            }
            if case .call(let word) = report.verdict, reading != nil {
                read(report, word, isPlaying: isPlaying, at: now)
                continue
            }
            // An engine that scores any word takes a part of a sentence for it; a model of the word hardly ever does.
            if case .stop(let word) = verdict, case .score(let score) = candidate.finding {
                let isWeak = score < rule.words[word]?.threshold ?? score
                if stop?.word == word {
                    stop?.judge.foundAgain(at: now, isWeak: isWeak)
                } else {
                    stop = WaitingStop(
                        report: report,
                        word: word,
                        judge: LoneStop(word, at: now, isRepeated: isRepeated(word, at: now), isWeak: isWeak)
                    )
                }
                continue
            }
            if case .stop(let word) = verdict, ownVoice.said(sound.remark(), at: now) {
                report.verdict = .refused(word, .ownVoice)
            }
            if case .refused = report.verdict {} else { rule = judged }
            if report.verdict != .nothing { reports.append(report) }
            if case .call = report.verdict { after = SpeechAfterCall(report.evidence) }
        }
        for report in askAgain(listening: listening, isPlaying: isPlaying, at: now) {
            if case .call = report.verdict { after = SpeechAfterCall(report.evidence) }
            reports.append(report)
        }
        if reports.contains(where: \.isCall) { called = now }
        // It would open what "stop" has just ended.
        if reports.contains(where: \.isStop) { dropCall() }
        reports += decideReading(listening: listening, isPlaying: isPlaying, at: now)
        let decided = decideStop(listening: listening, isPlaying: isPlaying, hasPlayed, at: now)
        if let decided {
            if decided.isStop { dropCall() }
            reports.append(decided)
        }
        return reports
    }

    /// Has a call read, unless one is being read. For what follows it, it is a call already.
    private func read(_ report: WakeReport, _ word: String, isPlaying: Bool, at now: Duration) {
        guard readCall == nil else { return }
        readCall = ReadCall(report, word, at: now)
        readCall?.report.isOverSound = isPlaying
        after = SpeechAfterCall(report.evidence)
        called = now
    }

    /// The call that is being read, if any, counts no more.
    private func dropCall() {
        guard readCall != nil else { return }
        (readCall, after) = (nil, nil)
        reading?.reader.abandon()
    }

    /// The call that has been read, and whether the user speaks on; empty while that is open.
    private func decideReading(listening: LocalListening, isPlaying: Bool, at now: Duration) -> [WakeReport] {
        guard var call = readCall, let reading else { return [] }
        let step = call.step(reading.reader.result, reading.similar, at: now)
        readCall = call
        switch step {
        case .wait: return []
        case .read:
            let length = (ReadCall.before + ReadCall.after) * RecentSound.samplesInMillisecond
            reading.reader.read(Array(sound.newest(length)))
            return []
        case .refused(let other):
            (readCall, unread, after) = (nil, nil, nil)
            call.report.verdict = .refused(call.word, .similar(other))
            return [call.report]
        case .lapsed:
            dropCall()
            return []
        case .counts: unread = nil
        case .countsUnread(let problem):
            unread = problem
            reading.reader.abandon()
        }
        readCall = nil
        call.report.late = (now - call.found).wholeMilliseconds
        // For the next call, it counts since it was found.
        let report = confirmed(call.report, call.word, listening: listening, isPlaying: isPlaying, at: call.found)
        guard let report else { return [] }
        return call.speaksOn ? [report, WakeReport(verdict: .speaksOn)] : [report]
    }

    private func wait(_ call: WaitingCall) {
        if !pending.contains(where: { $0.word == call.word }) { pending.append(call) }
    }

    private func isRepeated(_ word: String, at now: Duration) -> Bool {
        refusedStop.map { $0.word == word && now - $0.at <= LoneStop.again } ?? false
    }

    /// Whether the waiting stop word was said by itself; nil while that is open.
    private func decideStop(
        listening: LocalListening,
        isPlaying: Bool,
        _ hasPlayed: Bool,
        at now: Duration
    ) -> WakeReport? {
        guard var waiting = stop else { return nil }
        let remark = sound.remark(within: hasPlayed ? (now - playedSince).wholeMilliseconds : .max)
        guard let isAlone = waiting.judge.isAlone(remark, at: now) else { return nil }
        stop = nil
        // "Hey Jarvis." has quiet around it as well, and is one of the two.
        let since = Duration.milliseconds((remark?.length ?? 0) + (remark?.quiet ?? 0))
        let isCall = called.map { now - $0 <= since } ?? false
        guard isAlone, !isCall else {
            refusedStop = isCall ? nil : (waiting.word, now)
            waiting.report.verdict = .refused(waiting.word, .inSentence)
            return waiting.report
        }
        guard !ownVoice.said(remark, at: now) else {
            waiting.report.verdict = .refused(waiting.word, .ownVoice)
            return waiting.report
        }
        if let remark, LoneStop.isEcho(remark, isPlaying: hasPlayed) {
            waiting.report.verdict = .refused(waiting.word, .echo)
            return waiting.report
        }
        if let remark, waiting.judge.isWeak, !LoneStop.standsOut(remark) {
            waiting.report.verdict = rule.miss(waiting.word, waiting.report.score ?? 0)
            return waiting.report.verdict == .nothing ? nil : waiting.report
        }
        return confirmed(waiting.report, waiting.word, listening: listening, isPlaying: isPlaying, at: now)
    }

    /// Only now does the rule count the word; nil if it no longer means anything.
    private func confirmed(
        _ report: WakeReport,
        _ word: String,
        listening: LocalListening,
        isPlaying: Bool,
        at now: Duration
    ) -> WakeReport? {
        var report = report
        let certain = WakeCandidate(word, .certain)
        report.verdict = rule.judge(certain, listening: listening, isPlaying: isPlaying, at: now)
        return report.verdict == .nothing ? nil : report
    }

    /// Returns the second model's score for the word; nil without a model. A model that fails is not asked again.
    private func opinion(of word: String) -> Double? {
        do throws(WakeWordError) { return try models?.score(word, of: sound) } catch {
            secondModelFailed = error
            models = nil
            return nil
        }
    }

    private func askAgain(listening: LocalListening, isPlaying: Bool, at now: Duration) -> [WakeReport] {
        var reports: [WakeReport] = []
        var waiting = pending
        pending = []
        for index in waiting.indices {
            if now >= waiting[index].next {
                waiting[index].next = now + .milliseconds(80)
                // If the model failed meanwhile, the engine's decision stands.
                waiting[index].score = max(waiting[index].score, opinion(of: waiting[index].word) ?? 1)
            }
            var call = waiting[index]
            if call.score >= SecondLook.score, reading != nil {
                read(call.report, call.word, isPlaying: isPlaying, at: now)
            } else if call.score >= SecondLook.score {
                let report = confirmed(call.report, call.word, listening: listening, isPlaying: isPlaying, at: now)
                if let report { reports.append(report) }
            } else if now >= call.until {
                call.report.verdict = .refused(call.word, .otherModel(call.score))
                reports.append(call.report)
            } else {
                pending.append(call)
            }
        }
        return reports
    }
}

/// Limits the log lines about near misses: one per word in ten seconds. Pure.
package struct NearMissPace: Equatable, Sendable {
    package static let pause = Duration.seconds(10)
    private var last: [String: Duration] = [:]
    /// Near misses not logged since.
    private var unreported: [String: Int] = [:]

    package init() {}

    /// Returns the number of near misses since the last one logged, including this one; nil if this one is not to be
    /// logged.
    package mutating func take(_ word: String, at now: Duration) -> Int? {
        if let last = last[word], now - last < Self.pause {
            unreported[word, default: 0] += 1
            return nil
        }
        // Bounds the memory: a server may report any number of names.
        if last.count > 100 { self = Self() }
        last[word] = now
        return (unreported.removeValue(forKey: word) ?? 0) + 1
    }
}
