/// What was heard, and by which figures.
package struct WakeReport: Equatable, Sendable {
    package var verdict: WakeRule.Verdict
    /// How sure the engine was, by its own measure; nil where it does not tell.
    package var score: Double?
    /// Level and voice of a word that calls; nil of others.
    package var evidence: WordEvidence?
}

/// An engine, the rule for what it finds and the second look at what would call: sound in, verdicts out. Belongs to one thread.
package final class WakeEar {
    package let detector: any WakeWordDetector
    private var rule: WakeRule
    private let look: SecondLook?
    private var models: SecondModels?
    /// Why the second model is asked no more; nil where it is, or none was.
    package private(set) var secondModelFailed: WakeWordError?
    private var sound = RecentSound()
    /// A call that the second model has not heard yet.
    private var pending: (report: WakeReport, word: String, until: Duration, next: Duration, score: Double)?

    /// - Parameters:
    ///   - look: nil for none.
    ///   - models: asked by the second look; nil for none.
    package init(_ detector: any WakeWordDetector, rule: WakeRule, look: SecondLook?, models: SecondModels? = nil) {
        self.detector = detector
        self.rule = rule
        self.look = look
        self.models = models
    }

    /// Forgets the past.
    package func reset() {
        detector.reset()
        sound.forget()
        pending = nil
    }

    /// Takes cleaned sound, mono, 16 kHz.
    ///
    /// - Throws: that the engine fails; it has to be made anew.
    package func take(
        _ samples: UnsafeBufferPointer<Int16>,
        listening: LocalListening,
        isPlaying: Bool,
        at now: Duration
    ) throws(WakeWordError) -> [WakeReport] {
        detector.note(isPlaying: isPlaying)
        if look != nil { sound.take(samples) }
        var reports: [WakeReport] = []
        for candidate in try detector.process(samples) {
            // A call that is refused makes nobody deaf to the next.
            var judged = rule
            let verdict = judged.judge(candidate, listening: listening, isPlaying: isPlaying, at: now)
            var report = WakeReport(verdict: verdict, score: candidate.score)
            if case .call(let word) = verdict, let look {
                let evidence = sound.evidence
                report.evidence = evidence
                if let reason = look.refusal(evidence) {
                    report.verdict = .refused(word, reason)
                } else if let score = opinion(of: word), score < SecondLook.score {
                    let until = now + SecondLook.patience
                    if pending == nil { pending = (report, word, until, now + .milliseconds(80), score) }
                    continue
                }
            }
            if case .refused = report.verdict {} else { rule = judged }
            if report.verdict != .nothing { reports.append(report) }
        }
        if let report = askAgain(listening: listening, isPlaying: isPlaying, at: now) { reports.append(report) }
        return reports
    }

    /// What the second model thinks of the word; nil without one. One that fails is asked no more.
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
        // Without the model the first has decided.
        waiting.score = max(waiting.score, opinion(of: waiting.word) ?? 1)
        if waiting.score >= SecondLook.score {
            pending = nil
            // The rule hears of it now.
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

/// How often a word that nearly counted is told of: once in ten seconds a word. Pure.
package struct NearMissPace: Equatable, Sendable {
    package static let pause = Duration.seconds(10)
    private var last: [String: Duration] = [:]
    /// How many were not told since.
    private var unreported: [String: Int] = [:]

    package init() {}

    /// How many there were since the last that was told, this one included; nil where this one is not to be told.
    package mutating func take(_ word: String, at now: Duration) -> Int? {
        if let last = last[word], now - last < Self.pause {
            unreported[word, default: 0] += 1
            return nil
        }
        // A server names words as it likes: no more of them are kept than anybody listens for.
        if last.count > 100 { self = Self() }
        last[word] = now
        return (unreported.removeValue(forKey: word) ?? 0) + 1
    }
}
