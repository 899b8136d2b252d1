internal import VoiceBase

/// State and measurements of echo and duplex in one cycle, for the log, status and metrics. `DuplexControl` keeps it.
package struct EchoStatus: BitwiseCopyable, Sendable, Equatable {
    package var state = DuplexState.learning
    /// Where the echo is cancelled.
    package var worker = EchoWorker.software
    /// Whether the daemon's sound may be at the microphone, and whether the microphone goes upstream.
    package var isPlaying = false
    package var isOpen = true
    /// Whether a talker is heard beside the daemon's sound.
    package var talker = EchoTalker.unknown
    package var figures = EchoFigures()
    /// Peak of the microphone during playback since the start, in dBFS.
    package var echoPeak: Float?
    /// From `write` to the microphone in ms; nil until known.
    package var delay: Double?
    /// Whether the delay is known from the echo itself, not from the card alone.
    package var isAligned = false
    /// How much faster the loudspeaker's clock is than the microphone's, in ppm; nil until known.
    package var drift: Double?
    /// How often the echo was found more than 4 ms away from its assumed position.
    package var jumps: UInt64 = 0
    /// Half seconds of far end that were judged.
    package var blocks: UInt64 = 0
    /// How often the gate opened for a talker during playback.
    package var openings: UInt64 = 0
    /// Periods that went upstream as silence because the gate was shut.
    package var periodsShut: UInt64 = 0
    /// How often `state` changed.
    package var changes: UInt64 = 0
    /// How often the box was moved while the echo was under control.
    package var moves: UInt64 = 0
    /// Whether the box was just moved and the echo is being learned again.
    package var isLearningMove = false
    /// How often the knowledge of the echo became void, the start included.
    package var beginnings: UInt64 = 0
    /// Whether an earlier echo path proved right.
    package var isRecalled = false

    package init() {}

    /// Why the microphone is open or shut, in one word for log and status.
    package var reason: String { isLearningMove ? "moved" : state.reason }

    /// Whether talkers are heard over the daemon's sound, if worse than they might be.
    package var isFull: Bool { state.isFull || isStrained && worker != .hardware }

    /// Whether the loudspeaker is the reason for that.
    package var isStrained: Bool { state == .poor || state == .clipping }

    /// One line for people about the present situation, if there is anything to say.
    package var note: String? { isLearningMove ? Self.movedNote : isStrained ? Self.strainedNote : nil }

    package static let strainedNote =
        "the loudspeaker distorts, or overdrives the microphone: turn it down to 70 %, or move it away from the microphone"

    package static let movedNote = "the box was moved or its volume knob turned, learning the echo again (2 s)"

    /// The measurements in whole dB, ms and ppm, with their names in the log and in `status`; unknown ones are left out.
    package var measured: [(log: String, status: String, value: Int)] {
        let measured: [(String, String, Double?)] = [
            ("erle_db", "erle_db", figures.linearERLE.map(Double.init)),
            ("echo_dbfs", "level_dbfs", figures.echoLevel.map(Double.init)),
            ("noise_dbfs", "noise_dbfs", Double(figures.noiseFloor)),
            ("delay_ms", "delay_ms", delay), ("drift_ppm", "drift_ppm", drift),
        ]
        return measured.compactMap { log, status, value in value.map { (log, status, Int($0.rounded())) } }
    }

    /// Takes the position of the echo and who cancels it.
    /// - Parameter drift: of the newest correction, as a fraction.
    mutating func locate(_ period: ReferencePeriod, drift: Double, worker: EchoWorker) {
        self.worker = worker
        isAligned = period.isConfirmed
        let tenths = period.echoDelay * 10_000 / AudioFormat.deviceRate
        delay = tenths > 0 ? Double(tenths) / 10 : nil
        self.drift = isAligned ? (drift * 1e7).rounded() / 10 : nil
        if period.isJump { jumps &+= 1 }
    }
}
