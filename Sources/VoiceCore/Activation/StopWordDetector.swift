/// Calls from one engine, stop words from another, for engines that know the words of their models only.
///
/// The second runs while a stop would mean something, and at no other time. Without it the first goes on.
package final class StopWordDetector: WakeWordDetector {
    private let calls: any WakeWordDetector
    private var stops: (any WakeWordDetector)?
    private var isListening = false
    package private(set) var stopWordsUnheard: WakeWordError?

    /// - Parameter stops: makes the engine for stop words.
    package init(
        calls: any WakeWordDetector,
        stops: () throws(WakeWordError) -> any WakeWordDetector
    ) {
        self.calls = calls
        do throws(WakeWordError) {
            self.stops = try stops()
        } catch {
            stopWordsUnheard = error
        }
    }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        let found = try calls.process(samples)
        guard isListening, let stops else { return found }
        return found + (try stops.process(samples))
    }

    package func reset() {
        calls.reset()
        stops?.reset()
    }

    package func listen(for what: LocalListening) {
        calls.listen(for: what)
        guard isListening != (what == .stop) else { return }
        isListening.toggle()
        stops?.reset()
    }
}

extension WakeWords {
    /// Those that stop, and those that call.
    package var stops: WakeWords { WakeWords(words: words.filter(\.isStop)) }
    var calls: WakeWords { WakeWords(words: words.filter { !$0.isStop }) }

    init(words: [Word]) { self.words = words }
}
