package import VoiceAudio
internal import VoiceConfiguration

/// The tests of one device, one for each possible echo canceller, and the best of them.
package struct EchoTestSeries: Sendable {
    package struct Run: Sendable {
        package var result: EchoTestResult
        package var verdict: EchoTestVerdict

        var worker: EchoWorker { result.status.worker }
    }

    package private(set) var runs: [Run] = []

    package init() {}

    package mutating func add(_ result: EchoTestResult) {
        runs.append(Run(result: result, verdict: EchoTestVerdict(result)))
    }

    /// Returns the canceller to test next; nil if enough is known.
    ///
    /// A device that removes its own echo needs no other test. If it leaves too much, the software canceller is tried
    /// after it, and on a raw channel if there is one.
    ///
    /// - Parameter isWhole: tests all possible ones, whatever the results.
    package func next(isWhole: Bool = false) -> EchoWorker? {
        guard let first = runs.first, first.result.hasCanceller, let last = runs.last else { return nil }
        guard last.verdict.grade != .disturbed else { return nil }
        let map = first.result.choice?.map
        guard map?.first(.processed) != nil else { return nil }
        if !isWhole, runs.contains(where: { $0.verdict.grade == .ownCanceller }) { return nil }
        let candidates: [EchoWorker] = [.hardware, .both] + (map?.first(.raw) != nil ? [.software] : [])
        return candidates.first { worker in !runs.contains { $0.worker == worker } }
    }

    /// The test with the best outcome: interruptible before not, then the one that leaves less echo; nil without tests.
    package var best: Run? {
        runs.enumerated().max { one, other in
            let (a, b) = (Self.rank(one.element), Self.rank(other.element))
            return a != b ? a < b : one.offset > other.offset
        }?.element
    }

    private static func rank(_ run: Run) -> Double {
        switch run.verdict.grade {
        case .ownCanceller: 1000
        case .noEcho: 900
        // Overall reduction of the echo in dB.
        case .good: 500 + min(99, max(0, run.result.status.wholeERLE ?? 0))
        case .half: 100 + min(99, max(0, run.result.status.wholeERLE ?? 0))
        case .disturbed: 0
        }
    }

    /// What `echo.mode = "auto"` should do on this device from now on; nil if unknown.
    ///
    /// If an unprocessed microphone picks up nothing of the loudspeaker at all, below `EchoTestVerdict.cancelled`, it
    /// has an unknown canceller of its own. If in fact the loudspeaker was off, the software canceller takes over once
    /// it is on.
    package var worker: EchoWorker? {
        guard let best, best.result.hasCanceller else { return nil }
        switch best.verdict.grade {
        case .ownCanceller, .good: return best.worker
        case .noEcho:
            guard let level = best.result.status.echoLevel, level < EchoTestVerdict.cancelled else { return nil }
            return .hardware
        case .half, .disturbed: return nil
        }
    }

    /// `CardIdentity.text` of the tested device.
    package var device: String { runs.last?.result.choice?.identity?.text ?? "" }

    /// `CaptureChoice.listening` of the tested device.
    package var channels: String { runs.last?.result.choice?.listening ?? "" }
}
