package import VoiceAudio
package import VoiceConfiguration

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
    /// The first test uses the current settings. A device that removes its own echo needs no other test. If it leaves too
    /// much, the software canceller is tried after it, and on a raw channel if there is one.
    ///
    /// - Parameter isWhole: tests all possible ones, whatever the results.
    package func next(isWhole: Bool = false) -> EchoWorker? {
        guard let first = runs.first, first.result.hasCanceller, let last = runs.last else { return nil }
        guard last.verdict.grade != .disturbed else { return nil }
        if !isWhole, runs.contains(where: { $0.verdict.grade == .ownCanceller }) { return nil }
        return candidates(first).first { worker in !runs.contains { $0.worker == worker } }
    }

    private func candidates(_ first: Run) -> [EchoWorker] {
        let map = first.result.choice?.map
        // Of a device that is not known to have a canceller, any other mode was chosen by somebody.
        guard map?.first(.processed) != nil else { return [.software] }
        return [.hardware, .both] + (map?.first(.raw) != nil ? [.software] : [])
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
    /// it is on: that holds for "auto" alone, which cannot use the result for a device without an identity.
    package var worker: EchoWorker? {
        guard let best, best.result.hasCanceller else { return nil }
        switch best.verdict.grade {
        case .ownCanceller, .good: return best.worker
        case .noEcho: return hearsNothing && !device.isEmpty ? .hardware : nil
        case .half, .disturbed: return nil
        }
    }

    /// Whether the best test heard no trace of the loudspeaker: a canceller that nobody knows of, or no sound at all.
    private var hearsNothing: Bool {
        guard let best, best.verdict.grade == .noEcho, let level = best.result.status.echoLevel else { return false }
        return level < EchoTestVerdict.cancelled
    }

    /// Returns what follows from the tests for `echo.mode`, in one line each.
    ///
    /// - Parameters:
    ///   - mode: `echo.mode`.
    ///   - isWhole: whether all possible cancellers were asked for.
    ///   - fault: why the result was not saved; nil if it was.
    package func conclusion(mode: Configuration.Echo.Mode, isWhole: Bool, fault: String?) -> [String] {
        guard let best, best.verdict.grade != .disturbed else { return [] }
        var lines: [String] = []
        if isWhole, runs.count == 1 {
            lines.append(
                best.result.hasCanceller
                    ? "There is no other way to try: no channel of this device is known to be processed "
                        + "(audio.input_channels)."
                    : "There is no other way to try: echo.enabled = false."
            )
        }
        if let worker {
            let consequence =
                if mode != .auto && mode != .chosen(worker) {
                    "the configuration says \"\(mode.rawValue)\", which takes precedence"
                } else if device.isEmpty {
                    "set it to keep it: this device cannot be told from others, so \"auto\" cannot use the result"
                } else if fault != nil {
                    "set it to keep it: the result was not saved"
                } else {
                    "\"auto\" uses this from now on, for this user, these devices and these channels"
                }
            let condition = best.verdict.grade == .noEcho ? "If you heard the sound, best here" : "Best here"
            lines.append("\(condition): echo.mode = \"\(worker.rawValue)\"; \(consequence)")
        } else if hearsNothing, best.result.hasCanceller, mode != .chosen(.hardware) {
            lines.append(
                "Only if you heard the sound in the room, set echo.mode = \"hardware\". If you did not, leave it: "
                    + "with a mode that is set, the daemon's canceller would not step in."
            )
        }
        if let fault { lines.append("The result was not saved, so doctor does not show it: \(fault)") }
        return lines
    }

    /// `CardIdentity.text` of the tested device.
    package var device: String { runs.last?.result.choice?.identity?.text ?? "" }

    /// `CaptureChoice.listening` of the tested device.
    package var channels: String { runs.last?.result.choice?.listening ?? "" }
}
