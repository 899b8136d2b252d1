internal import CLinux
package import Logging
internal import Synchronization
package import VoiceAudio
internal import VoiceBase

/// Listens for words on a thread of its own, and tells what it heard.
///
///     audio thread --WakeWordTap--> 16 kHz --> WakeWordDetector --> WakeRule --> report
///
/// A detector that fails is made anew after a pause; what could not be taken meanwhile is forgotten.
package final class WakeWordListener: Sendable {
    /// 40 ms at 24 kHz.
    private static let block = 960
    private static let retryPause = Duration.seconds(15)

    private let tap: WakeWordTap
    private let echo: EchoGauges
    private let rule: WakeRule
    private let logger: Logger
    private let make: @Sendable () throws(WakeWordError) -> any WakeWordDetector
    private let report: @Sendable (WakeRule.Verdict) -> Void
    private let wanted = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)

    /// - Parameters:
    ///   - echo: tells whether the box itself sounds.
    ///   - make: makes the detector, on the thread that it will live on.
    ///   - report: called with every call, stop and near miss, on that thread.
    package init(
        tap: WakeWordTap,
        echo: EchoGauges,
        rule: WakeRule,
        logger: Logger,
        make: @escaping @Sendable () throws(WakeWordError) -> any WakeWordDetector,
        report: @escaping @Sendable (WakeRule.Verdict) -> Void
    ) {
        self.tap = tap
        self.echo = echo
        self.rule = rule
        self.logger = logger
        self.make = make
        self.report = report
    }

    /// Changes what is listened for, soon.
    package func listen(_ what: LocalListening) {
        wanted.store(Self.all.firstIndex(of: what) ?? 0, ordering: .releasing)
    }

    private static let all: [LocalListening] = [.nothing, .wake, .stop]

    private var listening: LocalListening { Self.all[wanted.load(ordering: .acquiring)] }

    /// Runs until stopped.
    package func run() async {
        await OwnThread.run("jv-wake-word") { self.work() }
    }

    package func stop() {
        isStopped.store(true, ordering: .releasing)
    }

    // MARK: The thread

    private func work() {
        var reported: WakeWordError?
        while !isStopped.load(ordering: .acquiring) {
            do throws(WakeWordError) {
                let detector = try make()
                logger.info("listening for words", metadata: ["words": "\(rule.words.list)"])
                reported = nil
                if let problem = detector.stopWordsUnheard {
                    logger.warning("stop words unavailable (the stop key and \"ctl stop\" still work): \(problem)")
                }
                try follow(detector)
            } catch {
                tap.isWanted = false
                if reported != error { logger.error("words are not recognised: \(error)") }
                reported = error
                nap(Self.retryPause)
            }
        }
        tap.isWanted = false
    }

    private func follow(_ detector: any WakeWordDetector) throws(WakeWordError) {
        var rule = rule
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
            detector.listen(for: listening)
            if (listening != .nothing) != isHearing {
                isHearing = listening != .nothing
                tap.ring.skip(to: tap.ring.writePosition)
                detector.reset()
                tap.isWanted = isHearing
            }
            guard isHearing, tap.ring.availableToRead >= Self.block else {
                nap(.milliseconds(20))
                continue
            }
            _ = tap.ring.read(into: from, count: Self.block)
            decimator.process(from, count: Self.block, into: to)
            for candidate in try detector.process(UnsafeBufferPointer(output)) {
                let isPlaying = echo.isPlaying
                let verdict = rule.judge(candidate, listening: listening, isPlaying: isPlaying, at: Monotonic.now())
                if verdict != .nothing { report(verdict) }
            }
        }
    }

    /// Sleeps in steps short enough to be told to stop.
    private func nap(_ length: Duration) {
        let end = Monotonic.now() + length
        while Monotonic.now() < end, !isStopped.load(ordering: .acquiring) {
            let step = min(end - Monotonic.now(), .milliseconds(100))
            clinux_sleep_until_ns(clinux_monotonic_ns() + UInt64(max(0, step.wholeMilliseconds)) * 1_000_000 + 1)
        }
    }
}

extension WakeWords {
    /// The words, for a log line.
    package var list: String { words.map(\.text).joined(separator: ", ") }
}
