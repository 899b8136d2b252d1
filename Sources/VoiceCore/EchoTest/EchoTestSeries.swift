package import VoiceAudio
internal import VoiceConfiguration

/// The tests of one device, one for each of those who may cancel its echo, and who does it best.
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

    /// Who is to be tested next; nil when enough is known.
    ///
    /// A device that takes off its own echo needs no other. Where it leaves too much the own canceller is tried behind it, and on
    /// a bare channel if it has one.
    ///
    /// - Parameter isWhole: tests all that can be, whatever was found.
    package func next(isWhole: Bool = false) -> EchoWorker? {
        guard let first = runs.first, first.result.hasCanceller, let last = runs.last else { return nil }
        guard last.verdict.grade != .disturbed else { return nil }
        let map = first.result.choice?.map
        guard map?.first(.processed) != nil else { return nil }
        if !isWhole, runs.contains(where: { $0.verdict.grade == .ownCanceller }) { return nil }
        let candidates: [EchoWorker] = [.hardware, .both] + (map?.first(.raw) != nil ? [.software] : [])
        return candidates.first { worker in !runs.contains { $0.worker == worker } }
    }

    /// The test with the best outcome: interruptible before not, then the one that leaves less of the echo; nil without tests.
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
        // What is left after everything, in dB below the microphone.
        case .good: 500 + min(99, max(0, run.result.status.wholeERLE ?? 0))
        case .half: 100 + min(99, max(0, run.result.status.wholeERLE ?? 0))
        case .disturbed: 0
        }
    }

    /// What `echo.mode = "auto"` is to do on this device from now on; nil where that was not found out.
    ///
    /// Where a bare microphone hears nothing of the loudspeaker at all, below `EchoTestVerdict.cancelled`, it has a canceller of
    /// its own that nobody knew of. Should it have been the loudspeaker that was off, the own canceller takes over when it is on.
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

    /// Of the device that was tested, as `CardIdentity.text` has it.
    package var device: String { runs.last?.result.choice?.identity?.text ?? "" }

    /// How it was listened to, as `CaptureChoice.listening` has it.
    package var channels: String { runs.last?.result.choice?.listening ?? "" }
}
