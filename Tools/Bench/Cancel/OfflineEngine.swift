/// An echo canceller fed from files, period by period, so that every run gives the same result.
protocol OfflineEngine: AnyObject {
    /// Sample rate of the output, in Hz; a period has a hundredth of that in samples.
    var outputRate: Int { get }
    /// Periods at which the microphone was let through after it had been held back; nil for an engine without a gate.
    var openings: [Int]? { get }

    /// Processes one period of 480 frames: `far` is written to the loudspeaker while `microphone` is captured.
    func process(
        far: UnsafePointer<Float>, microphone: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>
    )
}

/// The delay from a write to the card to its capture, as reported by the card.
struct ReportedDelay {
    /// The initial delay, in frames at 48 kHz.
    var start = 0
    /// Xruns that the daemon notices: from `period` on, the delay changes by `frames`.
    var jumps: [(period: Int, frames: Int)] = []

    /// The delay reported in a period, in frames.
    func frames(in period: Int) -> Int {
        jumps.reduce(start) { $0 + ($1.period <= period ? $1.frames : 0) }
    }

    func isJump(_ period: Int) -> Bool { jumps.contains { $0.period == period } }
}
