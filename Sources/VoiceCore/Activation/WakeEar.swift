/// The verdict about what was heard, with the values behind it.
package struct WakeReport: Equatable, Sendable {
    package var verdict: WakeRule.Verdict
    /// Confidence in the engine's own unit; nil if it reports none.
    package var score: Double?
    /// Level and voice of a wake word; nil for other verdicts.
    package var evidence: WordEvidence?
}

/// An engine, the rule for its finds and the second look at calls: audio in, verdicts out. Belongs to one thread.
package final class WakeEar {
    package let detector: any WakeWordDetector
    private var rule: WakeRule
    private let look: SecondLook?
    private var models: SecondModels?
    /// Why the second model is no longer asked; nil if it works or there is none.
    package private(set) var secondModelFailed: WakeWordError?
    private var sound = RecentSound()
    /// Looks for speech after a call; nil if there was none lately.
    private var after: SpeechAfterCall?
    /// A call that the second model has not confirmed yet.
    private var pending: (report: WakeReport, word: String, until: Duration, next: Duration, score: Double)?

    /// - Parameters:
    ///   - look: the check before a call counts; nil for none.
    ///   - models: models for that check; nil for none.
    package init(_ detector: any WakeWordDetector, rule: WakeRule, look: SecondLook?, models: SecondModels? = nil) {
        self.detector = detector
        self.rule = rule
        self.look = look
        self.models = models
    }

    /// Forgets the audio processed so far.
    package func reset() {
        detector.reset()
        sound.forget()
        after = nil
        pending = nil
    }

    /// Processes cleaned audio, mono, 16 kHz.
    ///
    /// - Throws: if the engine fails; it must then be recreated.
    package func take(
        _ samples: UnsafeBufferPointer<Int16>,
        listening: LocalListening,
        isPlaying: Bool,
        at now: Duration
    ) throws(WakeWordError) -> [WakeReport] {
        detector.note(isPlaying: isPlaying)
        sound.take(samples)
        var reports: [WakeReport] = []
        if let speaksOn = after?.take(samples) {
            after = nil
            if speaksOn { reports.append(WakeReport(verdict: .speaksOn)) }
        }
        for candidate in try detector.process(samples) {
            // A refused call must not start the refractory time.
            var judged = rule
            let verdict = judged.judge(candidate, listening: listening, isPlaying: isPlaying, at: now)
            var report = WakeReport(verdict: verdict, score: candidate.score)
            if case .call = verdict { report.evidence = sound.evidence }
            if case .call(let word) = verdict, let look {
                if let reason = look.refusal(report.evidence) {
                    report.verdict = .refused(word, reason)
                } else if let score = opinion(of: word), score < SecondLook.score {
                    let until = now + SecondLook.patience
                    if pending == nil { pending = (report, word, until, now + .milliseconds(80), score) }
                    continue
                }
            }
            if case .refused = report.verdict {} else { rule = judged }
            if report.verdict != .nothing { reports.append(report) }
            if case .call = report.verdict { after = SpeechAfterCall(report.evidence) }
        }
        if let report = askAgain(listening: listening, isPlaying: isPlaying, at: now) {
            if case .call = report.verdict { after = SpeechAfterCall(report.evidence) }
            reports.append(report)
        }
        return reports
    }

    /// Returns the second model's score for the word; nil without a model. A model that fails is not asked again.
    private func opinion(of word: String) -> Double? {
        do throws(WakeWordError) { return try models?.score(word, of: sound) } catch {
            secondModelFailed = error
            models = nil
            return nil
        }
    }

    private func askAgain(listening: LocalListening, isPlaying: Bool, at now: Duration) -> WakeReport? {
        guard var waiting = pending, now >= waiting.next else { return nil }
        waiting.next = now + .milliseconds(80)
        // If the model failed meanwhile, the engine's decision stands.
        waiting.score = max(waiting.score, opinion(of: waiting.word) ?? 1)
        if waiting.score >= SecondLook.score {
            pending = nil
            // Only now does the rule count the call.
            waiting.report.verdict = rule.judge(
                WakeCandidate(waiting.word, .certain),
                listening: listening,
                isPlaying: isPlaying,
                at: now
            )
            return waiting.report.verdict == .nothing ? nil : waiting.report
        }
        guard now < waiting.until else {
            pending = nil
            waiting.report.verdict = .refused(waiting.word, .otherModel(waiting.score))
            return waiting.report
        }
        pending = waiting
        return nil
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
