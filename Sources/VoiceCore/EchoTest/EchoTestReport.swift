internal import VoiceAudio

/// The result of a test of the echo canceller as text, a line per measurement.
package enum EchoTestReport {
    package static func lines(_ result: EchoTestResult, verdict: EchoTestVerdict) -> [String] {
        let status = result.status
        var rows: [(String, String)] = [
            ("noise at the microphone", level(result.noiseFloor)),
            ("echo at the microphone", "\(level(status.echoLevel)), peak \(level(status.echoPeak))"),
            ("clipped", "\(tenths(status.clippedShare * 100)) % of the periods with echo"),
            ("delay", status.delay.map { "\(tenths($0)) ms" } ?? "not found"),
            ("drift of the clocks", status.drift.map { "\(tenths($0)) ppm" } ?? "needs longer"),
        ]
        if let choice = result.choice { rows.insert(("microphone", choice.text), at: 0) }
        if result.hasCanceller, status.worker != .hardware {
            rows.append(
                (
                    "echo taken off",
                    "\(decibels(status.linearERLE)) by the linear canceller, \(decibels(status.wholeERLE)) in all"
                )
            )
            rows.append(("left over", level(status.residualLevel)))
        }
        rows.append(("interruptions of the sound", "\(result.captureXruns) capture, \(result.playbackXruns) playback"))
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width + 2 - $0.0.count) + $0.1 } + ["", verdict.summary]
            + verdict.advice
    }

    private static func level(_ value: Double?) -> String { value.map { "\(Int($0.rounded())) dBFS" } ?? "none" }
    private static func decibels(_ value: Double?) -> String { value.map { "\(Int($0.rounded())) dB" } ?? "none" }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
