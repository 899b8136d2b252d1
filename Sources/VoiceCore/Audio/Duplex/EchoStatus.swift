internal import Synchronization
internal import VoiceConfiguration

/// Snapshot of echo and duplex, for the log, status and metrics.
package struct EchoStatus: Sendable, Equatable {
    package var state = DuplexState.learning
    package var worker = EchoWorker.software
    package var isPlaying = false
    package var isOpen = true
    /// dB; nil until measured.
    package var linearERLE: Double?
    package var wholeERLE: Double?
    /// dBFS (mean power); nil until measured.
    package var echoLevel: Double?
    package var residualLevel: Double?
    package var noiseFloor: Double?
    /// Peak of the microphone during playback since the start, in dBFS.
    package var echoPeak: Double?
    /// Share of far-end periods with clipped samples, 0 ... 1.
    package var clippedShare = 0.0
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
    package var openings: UInt64 = 0
    package var periodsShut: UInt64 = 0
    package var changes: UInt64 = 0
    /// How often the box was moved while the echo was under control.
    package var moves: UInt64 = 0
    /// Whether the box was just moved and the echo is being learned again.
    package var isLearningMove = false

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

    package init(_ gauges: EchoGauges) {
        func value(_ atomic: borrowing Atomic<Int>) -> Double? {
            let tenths = atomic.load(ordering: .relaxed)
            return tenths == EchoGauges.unknown ? nil : Double(tenths) / 10
        }
        state = DuplexState(rawValue: gauges.state.load(ordering: .acquiring)) ?? .learning
        worker = EchoWorker.allCases[min(2, max(0, gauges.worker.load(ordering: .relaxed)))]
        isPlaying = gauges.isPlaying
        isOpen = gauges.isOpen.load(ordering: .relaxed)
        linearERLE = value(gauges.linearERLE)
        wholeERLE = value(gauges.wholeERLE)
        echoLevel = value(gauges.echoLevel)
        residualLevel = value(gauges.residualLevel)
        noiseFloor = value(gauges.noiseFloor)
        echoPeak = value(gauges.echoPeak)
        clippedShare = Double(gauges.clippedShare.load(ordering: .relaxed)) / 1000
        isAligned = gauges.isAligned.load(ordering: .relaxed)
        let tenths = gauges.delayTenths.load(ordering: .relaxed)
        if tenths > 0 { delay = Double(tenths) / 10 }
        if isAligned { drift = Double(gauges.driftTenths.load(ordering: .relaxed)) / 10 }
        jumps = gauges.jumps.load(ordering: .relaxed)
        blocks = gauges.blocks.load(ordering: .relaxed)
        openings = gauges.openings.load(ordering: .relaxed)
        periodsShut = gauges.periodsShut.load(ordering: .relaxed)
        changes = gauges.changes.load(ordering: .relaxed)
        moves = gauges.moves.load(ordering: .relaxed)
        isLearningMove = gauges.isLearningMove.load(ordering: .relaxed)
    }
}
