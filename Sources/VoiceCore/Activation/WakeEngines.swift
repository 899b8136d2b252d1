internal import VoiceBase

/// The engines that recognise words on this machine: one for wake words, others for stop words. Each is independent of the others.
///
/// An engine that fails, or that left out a word because the machine was busy, is created again every 30 s; the log has a line
/// when its words are lost and another when they are back. Engines for stop words run only while a stop would have an
/// effect.
///
/// Only the first engines are created on the thread that owns this object. Later ones are created beside it: a server's name
/// may take many seconds to resolve, and a model's trial five.
package final class WakeEngines: WakeWordDetector {
    package typealias Make = @Sendable () throws(WakeWordError) -> sending any WakeWordDetector

    /// Creates an engine, on any thread. A separate type, because the compiler (6.3) fails on such closures in an array.
    package struct Maker: Sendable {
        /// The stop words of this engine; empty for the engine of the wake words.
        fileprivate let stops: [String]
        fileprivate let make: Make

        package init(stops: [String] = [], _ make: @escaping Make) {
            self.stops = stops
            self.make = make
        }
    }

    /// Starts work on another thread; returns false if there is none.
    package typealias Starter = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

    package static let retryPause = Duration.seconds(30)

    private struct Slot {
        let isForStops: Bool
        let maker: Maker
        var detector: (any WakeWordDetector)?
        var problem: WakeWordError?
        /// The engine that is being created, one at a time.
        var opening: Handover<Opened>?
        var retryAt = Duration.zero

        /// Whether another attempt may recognise more.
        var wantsMore: Bool { detector.map { $0.gaps.contains { $0.why.cause.isTransient } } ?? true }

        var gaps: [WordGap] {
            if let detector { return detector.gaps }
            guard let problem, !maker.stops.isEmpty else { return [] }
            return [WordGap(words: maker.stops, areStops: true, why: problem)]
        }
    }

    private var slots: [Slot]
    private let now: () -> Duration
    private let start: Starter
    private var isListeningForStops = false

    /// - Parameters:
    ///   - calls: creates the engine for wake words; nil for none.
    ///   - stops: create the engines for stop words.
    ///   - start: runs the work that creates an engine again. Work that outlives this object has no effect.
    package init(
        calls: Maker?,
        stops: [Maker],
        now: @escaping () -> Duration = { Monotonic.now() },
        start: @escaping Starter = { OwnThread.start("jv-wake-open", $0) }
    ) {
        self.now = now
        self.start = start
        slots = stops.map { Slot(isForStops: true, maker: $0) }
        if let calls { slots.insert(Slot(isForStops: false, maker: calls), at: 0) }
        for index in slots.indices { receive(Opened(slots[index].maker), index) }
    }

    package var callsUnheard: WakeWordError? { slots.first { !$0.isForStops }?.problem }
    package var gaps: [WordGap] { slots.flatMap(\.gaps) }
    package var scores: [WakeScore] { slots.flatMap { $0.detector?.scores ?? [] } }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        var found: [WakeCandidate] = []
        for index in slots.indices where isListeningForStops || !slots[index].isForStops {
            if slots[index].wantsMore, slots[index].opening == nil, now() >= slots[index].retryAt { open(index) }
            if let opened = slots[index].opening?.receive() {
                slots[index].opening = nil
                receive(opened, index)
            }
            guard let detector = slots[index].detector else { continue }
            do throws(WakeWordError) { found += try detector.process(samples) } catch {
                slots[index].detector = nil
                slots[index].problem = error
                slots[index].retryAt = now() + Self.retryPause
            }
        }
        return found
    }

    package func reset() {
        for slot in slots { slot.detector?.reset() }
    }

    package func note(hasPlayed: Bool, isTalkerHeard: Bool) {
        for slot in slots { slot.detector?.note(hasPlayed: hasPlayed, isTalkerHeard: isTalkerHeard) }
    }

    package func listen(for what: LocalListening) {
        for slot in slots { slot.detector?.listen(for: what) }
        guard isListeningForStops != (what == .stop) else { return }
        isListeningForStops.toggle()
        for slot in slots where slot.isForStops { slot.detector?.reset() }
    }

    private func open(_ index: Int) {
        let opening = Handover<Opened>()
        let maker = slots[index].maker
        if start({ opening.give(Opened(maker)) }) {
            slots[index].opening = opening
        } else {
            slots[index].retryAt = now() + Self.retryPause
        }
    }

    private func receive(_ opened: Opened, _ index: Int) {
        slots[index].retryAt = now() + Self.retryPause
        // A new engine that recognises the same words would only lose what the present one has heard.
        if let old = slots[index].detector, opened.detector.map({ $0.missed.isStrictSubset(of: old.missed) }) != true {
            return
        }
        slots[index].detector = opened.detector
        slots[index].problem = opened.problem
    }
}

/// The result of an attempt to create an engine.
private struct Opened {
    var detector: (any WakeWordDetector)?
    var problem: WakeWordError?

    init(_ maker: WakeEngines.Maker) {
        do throws(WakeWordError) { detector = try maker.make() } catch { problem = error }
    }
}

extension WakeWordDetector {
    /// The words that are not recognised.
    fileprivate var missed: Set<String> { Set(gaps.flatMap(\.words)) }
}

extension WakeWords {
    /// The stop words, and the wake words.
    package var stops: WakeWords { WakeWords(words: words.filter(\.isStop)) }
    package var calls: WakeWords { WakeWords(words: words.filter { !$0.isStop }) }

    package init(words: [Word]) { self.words = words }
}
