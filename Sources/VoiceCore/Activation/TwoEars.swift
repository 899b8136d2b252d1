internal import VoiceBase

/// Several engines side by side: one for wake words, others for stop words.
///
/// Each is independent: if one lacks something or fails, the others still hear. A failed engine is recreated after a
/// pause that grows to two minutes; until then its stand-in listens for its stop words, if it has one. Engines for stop
/// words run only while a stop would have an effect.
package final class TwoEars: WakeWordDetector {
    /// Creates an engine. A separate type, because the compiler (6.3) fails on such closures in an array.
    package struct Maker {
        /// The stop words of this engine.
        fileprivate let stops: [String]
        fileprivate let make: () throws(WakeWordError) -> any WakeWordDetector
        fileprivate let standIn: (() throws(WakeWordError) -> any WakeWordDetector)?

        /// - Parameters:
        ///   - stops: the stop words of this engine.
        ///   - standIn: creates what listens for them while the engine cannot.
        package init(
            stops: [String] = [],
            standIn: (() throws(WakeWordError) -> any WakeWordDetector)? = nil,
            _ make: @escaping () throws(WakeWordError) -> any WakeWordDetector
        ) {
            self.stops = stops
            self.standIn = standIn
            self.make = make
        }
    }

    private struct Ear {
        let isForStops: Bool
        let maker: Maker
        var detector: (any WakeWordDetector)?
        /// Listens for the stop words while `detector` is nil.
        var standIn: (any WakeWordDetector)?
        var problem: WakeWordError?
        var retryAt = Duration.zero
        var pause = TwoEars.firstPause

        var active: (any WakeWordDetector)? { detector ?? standIn }

        var gaps: [WordGap] {
            let ofDetector = active?.gaps ?? []
            guard let problem, !maker.stops.isEmpty else { return ofDetector }
            // What the stand-in lacks is named by itself.
            let left = ofDetector.flatMap(\.words)
            let words = maker.stops.filter { !left.contains($0) }
            let own = WordGap(words: words, areStops: true, why: problem, hasStandIn: standIn != nil)
            return (words.isEmpty ? [] : [own]) + ofDetector
        }
    }

    private static let firstPause = Duration.seconds(15)
    private static let longestPause = Duration.seconds(120)

    private var ears: [Ear]
    private let now: () -> Duration
    private var isListening = false

    /// - Parameters:
    ///   - calls: creates the engine for wake words; nil for none.
    ///   - stops: create the engines for stop words.
    package init(calls: Maker?, stops: [Maker], now: @escaping () -> Duration = { Monotonic.now() }) {
        self.now = now
        ears = stops.map { Ear(isForStops: true, maker: $0) }
        if let calls { ears.insert(Ear(isForStops: false, maker: calls), at: 0) }
        for index in ears.indices { open(index) }
    }

    package var callsUnheard: WakeWordError? { ears.first { !$0.isForStops }?.problem }
    package var gaps: [WordGap] { ears.flatMap(\.gaps) }
    package var scores: [WakeScore] { ears.flatMap { $0.active?.scores ?? [] } }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        var found: [WakeCandidate] = []
        for index in ears.indices where isListening || !ears[index].isForStops {
            if ears[index].detector == nil, now() >= ears[index].retryAt { open(index) }
            if let detector = ears[index].detector {
                do throws(WakeWordError) { found += try detector.process(samples) } catch { close(index, error) }
            } else if isListening, let standIn = ears[index].standIn {
                do throws(WakeWordError) { found += try standIn.process(samples) } catch { ears[index].standIn = nil }
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

    private func open(_ index: Int) {
        do throws(WakeWordError) {
            ears[index].detector = try ears[index].maker.make()
            ears[index].standIn = nil
            ears[index].problem = nil
            ears[index].pause = Self.firstPause
        } catch {
            close(index, error)
        }
    }

    private func close(_ index: Int, _ problem: WakeWordError) {
        ears[index].detector = nil
        ears[index].problem = problem
        ears[index].retryAt = now() + ears[index].pause
        ears[index].pause = min(Self.longestPause, ears[index].pause * 2)
        guard ears[index].standIn == nil, let make = ears[index].maker.standIn else { return }
        do throws(WakeWordError) { ears[index].standIn = try make() } catch {
            ears[index].problem = WakeWordError("\(problem); \(error)")
        }
    }
}

extension WakeWords {
    /// The stop words, and the wake words.
    package var stops: WakeWords { WakeWords(words: words.filter(\.isStop)) }
    package var calls: WakeWords { WakeWords(words: words.filter { !$0.isStop }) }

    package init(words: [Word]) { self.words = words }
}
