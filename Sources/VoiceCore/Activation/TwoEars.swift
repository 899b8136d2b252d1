internal import VoiceBase

/// Several engines side by side: one for wake words, others for stop words.
///
/// Each is independent: if one lacks something or fails, the others still hear. A failed engine is recreated after a
/// pause that grows to two minutes, or to ten if its model held up the trial; until then its stand-in listens for its
/// stop words, if it has one. An engine that left out a word for a passing reason is recreated after the same pauses, and
/// hears its other words meanwhile. Engines for stop words run only while a stop would have an effect.
///
/// Only the first engines are created on the thread that this belongs to. Others are created beside it: a server's name
/// may take many seconds to resolve, and a model's trial five.
package final class TwoEars: WakeWordDetector {
    package typealias Make = @Sendable () throws(WakeWordError) -> sending any WakeWordDetector

    /// Creates an engine, on any thread. A separate type, because the compiler (6.3) fails on such closures in an array.
    package struct Maker: Sendable {
        /// The stop words of this engine.
        fileprivate let stops: [String]
        fileprivate let make: Make
        fileprivate let standIn: Make?

        /// - Parameters:
        ///   - stops: the stop words of this engine.
        ///   - standIn: creates what listens for them while the engine cannot.
        package init(stops: [String] = [], standIn: Make? = nil, _ make: @escaping Make) {
            self.stops = stops
            self.standIn = standIn
            self.make = make
        }
    }

    /// Starts work on another thread; false if there is none.
    package typealias Starter = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

    private struct Ear {
        let isForStops: Bool
        let maker: Maker
        var detector: (any WakeWordDetector)?
        /// Listens for the stop words while `detector` is nil.
        var standIn: (any WakeWordDetector)?
        var problem: WakeWordError?
        /// The engine that is being created, one at a time.
        var opening: Handover<Opened>?
        var retryAt = Duration.zero
        var pause = RetryPause()

        var active: (any WakeWordDetector)? { detector ?? standIn }

        /// Whether another attempt may hear more.
        var wantsMore: Bool { detector.map { $0.passingGaps > 0 } ?? true }

        /// Whether every reason to try again is a model that holds up its trial.
        private var isHeldUp: Bool {
            guard let detector else { return problem?.cause == .heldUp }
            let causes = detector.gaps.map(\.why.cause)
            return causes.contains(.heldUp) && !causes.contains(.passing)
        }

        var gaps: [WordGap] {
            let ofDetector = active?.gaps ?? []
            guard let problem, !maker.stops.isEmpty else { return ofDetector }
            // What the stand-in lacks is named by itself.
            let left = ofDetector.flatMap(\.words)
            let words = maker.stops.filter { !left.contains($0) }
            let own = WordGap(words: words, areStops: true, why: problem, hasStandIn: standIn != nil)
            return (words.isEmpty ? [] : [own]) + ofDetector
        }

        mutating func wait(from now: Duration) { retryAt = now + pause.take(isHeldUp: isHeldUp) }

        /// The stand-in failed while it listened. Nothing hears the words, so the next attempt is not ten minutes away.
        mutating func standInFailed(_ why: WakeWordError, at now: Duration) {
            standIn = nil
            problem = problem?.and(why)
            retryAt = min(retryAt, now + RetryPause.longest)
        }
    }

    private var ears: [Ear]
    private let now: () -> Duration
    private let start: Starter
    private var isListening = false

    /// - Parameters:
    ///   - calls: creates the engine for wake words; nil for none.
    ///   - stops: create the engines for stop words.
    ///   - start: runs what recreates them. Work that outlives this object has no effect.
    package init(
        calls: Maker?,
        stops: [Maker],
        now: @escaping () -> Duration = { Monotonic.now() },
        start: @escaping Starter = { OwnThread.start("jv-wake-open", $0) }
    ) {
        self.now = now
        self.start = start
        ears = stops.map { Ear(isForStops: true, maker: $0) }
        if let calls { ears.insert(Ear(isForStops: false, maker: calls), at: 0) }
        for index in ears.indices { take(Opened(ears[index].maker, wantsStandIn: true), index) }
    }

    package var callsUnheard: WakeWordError? { ears.first { !$0.isForStops }?.problem }
    package var gaps: [WordGap] { ears.flatMap(\.gaps) }
    package var scores: [WakeScore] { ears.flatMap { $0.active?.scores ?? [] } }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        var found: [WakeCandidate] = []
        for index in ears.indices {
            let isUsed = isListening || !ears[index].isForStops
            if isUsed, ears[index].wantsMore, ears[index].opening == nil, now() >= ears[index].retryAt { open(index) }
            if let opened = ears[index].opening?.take() {
                ears[index].opening = nil
                take(opened, index)
            }
            guard isUsed else { continue }
            if let detector = ears[index].detector {
                do throws(WakeWordError) { found += try detector.process(samples) } catch { fail(index, error) }
            } else if isListening, let standIn = ears[index].standIn {
                do throws(WakeWordError) { found += try standIn.process(samples) } catch {
                    ears[index].standInFailed(error, at: now())
                }
            }
        }
        return found
    }

    package func reset() {
        for ear in ears { ear.active?.reset() }
    }

    package func note(isPlaying: Bool, lately: Bool) {
        for ear in ears { ear.active?.note(isPlaying: isPlaying, lately: lately) }
    }

    package func listen(for what: LocalListening) {
        for ear in ears { ear.active?.listen(for: what) }
        guard isListening != (what == .stop) else { return }
        isListening.toggle()
        for ear in ears where ear.isForStops { ear.active?.reset() }
    }

    /// Begins to create an engine, or only its stand-in.
    private func open(_ index: Int, onlyStandIn: Bool = false) {
        let opening = Handover<Opened>()
        let (maker, wantsStandIn) = (ears[index].maker, ears[index].active == nil)
        let isStarted = start {
            opening.give(Opened(maker, wantsStandIn: wantsStandIn, onlyStandIn: onlyStandIn))
        }
        if isStarted { ears[index].opening = opening } else if !onlyStandIn { ears[index].wait(from: now()) }
    }

    /// Takes over what was created, unless it misses a word that is heard now, or hears no more.
    private func take(_ opened: Opened, _ index: Int) {
        if let standIn = opened.standIn { ears[index].standIn = standIn }
        if let detector = opened.detector {
            if let old = ears[index].detector, !detector.missed.isStrictSubset(of: old.missed) {
                return ears[index].wait(from: now())
            }
            ears[index].detector = detector
            ears[index].standIn = nil
            ears[index].problem = nil
            guard ears[index].wantsMore else {
                ears[index].pause.reset()
                return
            }
        } else if ears[index].detector == nil, let problem = opened.problem ?? ears[index].problem {
            ears[index].problem = opened.standInProblem.map(problem.and) ?? problem
        }
        if !opened.isOnlyStandIn { ears[index].wait(from: now()) }
        // The engine failed while its replacement was being created, which failed as well.
        if ears[index].active == nil, ears[index].maker.standIn != nil, !opened.wantedStandIn {
            open(index, onlyStandIn: true)
        }
    }

    /// An engine failed while it listened.
    private func fail(_ index: Int, _ problem: WakeWordError) {
        ears[index].detector = nil
        ears[index].problem = problem
        ears[index].wait(from: now())
        if ears[index].maker.standIn != nil, ears[index].opening == nil { open(index, onlyStandIn: true) }
    }
}

/// What came of an attempt to create an engine.
private struct Opened {
    var detector: (any WakeWordDetector)?
    var standIn: (any WakeWordDetector)?
    var problem: WakeWordError?
    var standInProblem: WakeWordError?
    let isOnlyStandIn: Bool
    let wantedStandIn: Bool

    /// - Parameter wantsStandIn: whether a stand-in is created if the engine cannot be.
    init(_ maker: TwoEars.Maker, wantsStandIn: Bool, onlyStandIn: Bool = false) {
        isOnlyStandIn = onlyStandIn
        wantedStandIn = wantsStandIn
        if !onlyStandIn {
            do throws(WakeWordError) { detector = try maker.make() } catch { problem = error }
        }
        guard detector == nil, wantsStandIn, let make = maker.standIn else { return }
        do throws(WakeWordError) { standIn = try make() } catch { standInProblem = error }
    }
}

extension WakeWordDetector {
    /// The words that are not recognised.
    fileprivate var missed: Set<String> { Set(gaps.flatMap(\.words)) }
    /// The number of words that another attempt may recognise.
    fileprivate var passingGaps: Int {
        gaps.filter(\.why.cause.isPassing).reduce(0) { $0 + $1.words.count }
    }
}

extension WakeWords {
    /// The stop words, and the wake words.
    package var stops: WakeWords { WakeWords(words: words.filter(\.isStop)) }
    package var calls: WakeWords { WakeWords(words: words.filter { !$0.isStop }) }

    package init(words: [Word]) { self.words = words }
}
