internal import CLinux
internal import Glibc
package import Logging
internal import Synchronization
package import VoiceAudio
internal import VoiceBase

/// Listens for wake and stop words on its own thread, and reports them.
///
///     audio thread --WakeWordTap--> 16 kHz --> WakeWordRecogniser --> report
///                                              (WakeWordDetector --> WakeRule)
///
/// A detector that fails is recreated after a pause; audio from that time is dropped.
package final class WakeWordListener: Sendable {
    /// 40 ms at 24 kHz.
    private static let block = 960
    private let retryPause: Duration
    private let tap: WakeWordTap
    private let gauges: EngineGauges
    private let rings: @Sendable () -> Bool
    private let rule: WakeRule
    private let logger: Logger
    private let make: @Sendable (ModelTrial) throws(WakeWordError) -> any WakeWordDetector
    private let watch: (@Sendable ([WakeScore]) -> Void)?
    private let report: @Sendable (WakeReport) -> Void
    private let wanted = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    /// An eventfd: `listen` and `stop` wake the thread.
    private let orders = clinux_eventfd()
    private let lacking = Mutex(Lack())

    /// The words that are not recognised at the moment.
    package struct Lack: Equatable, Sendable {
        /// Why no wake word is recognised; nil if at least one is, or if none is configured.
        package var calls: WakeWordError?
        package var gaps: [WordGap] = []

        /// Whether a word that was lacking is recognised again.
        func hasFewerWords(than other: Lack) -> Bool {
            !Set(other.gaps.flatMap(\.words)).isSubset(of: gaps.flatMap(\.words))
        }
    }

    package var lack: Lack { lacking.withLock { $0 } }

    /// - Parameters:
    ///   - gauges: whether the box plays sound.
    ///   - rings: whether the sound is a ringing, which contains no words.
    ///   - retryPause: from a failure to the next attempt.
    ///   - make: creates the detector, on the listener's thread.
    ///   - watch: called on that thread with the scores after each 40 ms; nil if the scores are not shown.
    ///   - report: called on that thread with every call, stop, refusal and near miss.
    package init(
        tap: WakeWordTap,
        gauges: EngineGauges,
        rings: @escaping @Sendable () -> Bool = { false },
        rule: WakeRule,
        logger: Logger,
        retryPause: Duration = WakeEngines.retryPause,
        make: @escaping @Sendable (ModelTrial) throws(WakeWordError) -> any WakeWordDetector,
        watch: (@Sendable ([WakeScore]) -> Void)? = nil,
        report: @escaping @Sendable (WakeReport) -> Void
    ) {
        self.tap = tap
        self.gauges = gauges
        self.rings = rings
        self.rule = rule
        self.logger = logger
        self.retryPause = retryPause
        self.make = make
        self.watch = watch
        self.report = report
    }

    deinit { if orders >= 0 { close(orders) } }

    /// Sets the words to listen for; takes effect within a block.
    package func listen(_ what: LocalListening) {
        wanted.store(Self.all.firstIndex(of: what) ?? 0, ordering: .releasing)
        clinux_eventfd_signal(orders)
    }

    private static let all: [LocalListening] = [.nothing, .wake, .stop]

    private var listening: LocalListening { Self.all[wanted.load(ordering: .acquiring)] }

    /// Runs until stopped.
    package func run() async {
        await OwnThread.run("jv-wake-word") { self.work() }
    }

    package func stop() {
        isStopped.store(true, ordering: .releasing)
        clinux_eventfd_signal(orders)
    }

    /// The end of the program does not wait for a model that hangs.
    private var trial: ModelTrial { .child { self.isStopped.load(ordering: .acquiring) } }

    // MARK: The thread

    private func work() {
        var reported: WakeWordError?
        var lack = Lack()
        while !isStopped.load(ordering: .acquiring) {
            do throws(WakeWordError) {
                let detector = try make(trial)
                if detector.callsUnheard == nil { logWords(of: detector) }
                reported = nil
                lack.calls = nil
                lacking.withLock { $0.calls = nil }
                try follow(WakeWordRecogniser(detector, rule: rule), &lack)
            } catch {
                tap.isWanted = false
                if isStopped.load(ordering: .acquiring) { break }
                if reported != error { logger.error("\(Self.unheard(error))") }
                reported = error
                lacking.withLock { $0.calls = error }
                nap(retryPause)
            }
        }
        tap.isWanted = false
    }

    /// The log line when no wake word is recognised: the reason, and what still starts a conversation.
    static func unheard(_ why: WakeWordError) -> String {
        "words are not recognised (the call key and \"ctl listen\" still work): \(private: why)"
    }

    private func logWords(of detector: any WakeWordDetector) {
        let left = detector.gaps.flatMap(\.words)
        let words = WakeWords(words: rule.words.words.filter { !left.contains($0.text) })
        if !words.words.isEmpty { logger.info("listening for words", metadata: ["words": "\(words.list)"]) }
    }

    /// Logs what a detector lacks, once per change.
    private func reportGaps(_ detector: any WakeWordDetector, _ reported: inout Lack) {
        let lack = Lack(calls: detector.callsUnheard, gaps: detector.gaps)
        guard lack != reported else { return }
        lacking.withLock { $0 = lack }
        if let calls = lack.calls, calls != reported.calls { logger.error("\(Self.unheard(calls))") }
        if lack.calls == nil, reported.calls != nil || lack.hasFewerWords(than: reported) { logWords(of: detector) }
        for gap in lack.gaps where !reported.gaps.contains(gap) {
            let prefix = gap.areStops ? "stop words unavailable (the stop key and \"ctl stop\" still work): " : ""
            logger.warning("\(prefix)\(private: gap)")
        }
        reported = lack
    }

    private func follow(_ recogniser: WakeWordRecogniser, _ reported: inout Lack) throws(WakeWordError) {
        let detector = recogniser.detector
        var decimator = TwoThirdsDecimator()
        let input = UnsafeMutableBufferPointer<Int16>.allocate(capacity: Self.block)
        let output = UnsafeMutableBufferPointer<Int16>.allocate(capacity: Self.block / 3 * 2)
        defer {
            input.deallocate()
            output.deallocate()
        }
        guard let from = input.baseAddress, let to = output.baseAddress else { return }
        var isHearing = false
        while !isStopped.load(ordering: .acquiring) {
            let listening = listening
            reportGaps(detector, &reported)
            detector.listen(for: listening)
            if (listening != .nothing) != isHearing {
                isHearing = listening != .nothing
                tap.ring.skip(to: tap.ring.writePosition)
                recogniser.reset()
                tap.isWanted = isHearing
            }
            guard isHearing, tap.ring.availableToRead >= Self.block else {
                waitForOrder(atMost: isHearing ? untilBlock : Self.longestWait)
                continue
            }
            _ = tap.ring.read(into: from, count: Self.block)
            decimator.process(from, count: Self.block, into: to)
            let block = UnsafeBufferPointer(output)
            let echo = gauges.echo
            let reports = try recogniser.process(
                block, listening: listening, isPlaying: echo.isPlaying, talker: rings() ? .heard : echo.talker,
                at: Monotonic.now()
            )
            reports.forEach(report)
            watch?(detector.scores)
        }
    }

    /// How long the thread sleeps while there is nothing to listen for. `listen` and `stop` wake it, unless the process had no
    /// file descriptor left for `orders`.
    private static let longestWait = Duration.seconds(5)

    private var untilBlock: Duration {
        Self.untilBlock(tap.ring.availableToRead, due: Duration(nanoseconds: tap.due), now: Monotonic.now())
    }

    /// How long until the ring holds a block, with so many samples of it there: the audio thread adds 10 ms at a time, or more
    /// when `due`.
    static func untilBlock(_ available: Int, due: Duration = .zero, now: Duration = .zero) -> Duration {
        if due > now { return due - now + .milliseconds(1) }
        let period = AudioFormat.wirePeriodSamples
        return .milliseconds(10 * max(1, (block - available + period - 1) / period))
    }

    /// Sleeps until the next `listen` or `stop`.
    private func waitForOrder(atMost length: Duration) {
        _ = clinux_wait_readable(orders, Int32(clamping: max(0, length.wholeMilliseconds)))
        _ = clinux_eventfd_take(orders)
    }

    /// Sleeps unless stopped.
    private func nap(_ length: Duration) {
        let end = Monotonic.now() + length
        while Monotonic.now() < end, !isStopped.load(ordering: .acquiring) {
            waitForOrder(atMost: end - Monotonic.now())
        }
    }
}

extension WakeWords {
    /// The words, for a log line.
    package var list: String { words.map(\.text).joined(separator: ", ") }
}
