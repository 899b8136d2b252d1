/// An echo canceller that is fed from files, period by period, so that every run gives the same result.
protocol OfflineEngine: AnyObject {
    /// Of the output, in Hz; a period is a hundredth of it.
    var outputRate: Int { get }
    /// Periods at which the microphone was let through after it had been held back; nil where there is no gate.
    var openings: [Int]? { get }

    /// One period of 480 frames: what is written to the loudspeaker while `microphone` is captured.
    func process(
        far: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    )
}

/// The delay from writing to the card to capture, as the card reports it.
struct ReportedDelay {
    /// In frames at 48 kHz.
    var start = 0
    /// Xruns that the daemon hears of: from a period on the delay is another one by so many frames.
    var jumps: [(period: Int, frames: Int)] = []

    /// What is reported in a period, in frames.
    func frames(in period: Int) -> Int {
        jumps.reduce(start) { $0 + ($1.period <= period ? $1.frames : 0) }
    }

    func isJump(_ period: Int) -> Bool { jumps.contains { $0.period == period } }
}
