internal import VoiceBase

/// Several engines side by side: one for wake words, others for stop words.
///
/// Each is independent: if one lacks something or fails, the others still hear. A failed engine is recreated after a
/// pause that grows to two minutes. Engines for stop words run only while a stop would have an effect.
package final class TwoEars: WakeWordDetector {
    /// Creates an engine. A separate type, because the compiler (6.3) fails on such closures in an array.
    package struct Maker {
        fileprivate let make: () throws(WakeWordError) -> any WakeWordDetector

        package init(_ make: @escaping () throws(WakeWordError) -> any WakeWordDetector) { self.make = make }
    }

    private struct Ear {
        let isForStops: Bool
        let maker: Maker
        var detector: (any WakeWordDetector)?
        var problem: WakeWordError?
        var retryAt = Duration.zero
        var pause = TwoEars.firstPause
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
    package var stopWordsUnheard: WakeWordError? {
        ears.lazy.compactMap { ($0.isForStops ? $0.problem : nil) ?? $0.detector?.stopWordsUnheard }.first
    }
    package var scores: [WakeScore] { ears.flatMap { $0.detector?.scores ?? [] } }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        var found: [WakeCandidate] = []
        for index in ears.indices where isListening || !ears[index].isForStops {
            if ears[index].detector == nil, now() >= ears[index].retryAt { open(index) }
            guard let detector = ears[index].detector else { continue }
            do throws(WakeWordError) { found += try detector.process(samples) } catch { close(index, error) }
        }
        return found
    }

    package func reset() {
        for ear in ears { ear.detector?.reset() }
    }

    package func note(isPlaying: Bool) {
        for ear in ears { ear.detector?.note(isPlaying: isPlaying) }
    }

    package func listen(for what: LocalListening) {
        for ear in ears { ear.detector?.listen(for: what) }
        guard isListening != (what == .stop) else { return }
        isListening.toggle()
        for ear in ears where ear.isForStops { ear.detector?.reset() }
    }

    private func open(_ index: Int) {
        do throws(WakeWordError) {
            ears[index].detector = try ears[index].maker.make()
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
    }
}

extension WakeWords {
    /// The stop words, and the wake words.
    package var stops: WakeWords { WakeWords(words: words.filter(\.isStop)) }
    var calls: WakeWords { WakeWords(words: words.filter { !$0.isStop }) }

    init(words: [Word]) { self.words = words }
}
