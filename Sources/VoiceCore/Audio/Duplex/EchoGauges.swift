package import Synchronization

/// What the audio thread tells of echo and duplex, as atomics. Written by T1 alone but for `levelChanges` and `isTraced`; `EchoStatus` reads them as a whole.
package final class EchoGauges: Sendable {
    /// No measurement yet.
    static let unknown = Int.min

    /// `DuplexState.rawValue`.
    let state = Atomic<Int>(DuplexState.learning.rawValue)
    /// Who cancels the echo: the place in `EchoWorker.allCases`.
    let worker = Atomic<Int>(1)
    /// Whether sound of the box may be at the microphone, and whether the microphone goes upstream.
    package let isPlaying = Atomic<Bool>(false)
    let isOpen = Atomic<Bool>(true)
    /// Tenths of a dB or of a dBFS, `unknown` until measured.
    let linearERLE = Atomic<Int>(unknown)
    let wholeERLE = Atomic<Int>(unknown)
    let echoLevel = Atomic<Int>(unknown)
    let residualLevel = Atomic<Int>(unknown)
    let noiseFloor = Atomic<Int>(unknown)
    /// The loudest sample of the microphone while the box played, in tenths of dBFS.
    let echoPeak = Atomic<Int>(unknown)
    /// Thousandths.
    let clippedShare = Atomic<Int>(0)
    /// Blocks of half a second of far end that were judged.
    let blocks = Atomic<UInt64>(0)
    /// Times the gate opened for a talker while the box played.
    let openings = Atomic<UInt64>(0)
    /// Periods that went upstream as silence because the gate was shut.
    let periodsShut = Atomic<UInt64>(0)
    let changes = Atomic<UInt64>(0)
    /// Times the box was moved while the echo was under control, and whether it is being learned again.
    let moves = Atomic<UInt64>(0)
    let isLearningMove = Atomic<Bool>(false)
    /// Times a level behind the reference was changed: by the card's own mixer. Written by whoever changes it, read by T1.
    package let levelChanges = Atomic<UInt64>(0)
    /// Whether each period is to be told to `AudioPipes.echoPeriods`. Written by who reads them.
    package let isTraced = Atomic<Bool>(false)
    /// Microphone ring position up to which samples were held back on purpose: their lateness tells nothing of the machine.
    package let heldUntil = Atomic<UInt64>(0)
    /// Microphone ring position up to which somebody was heard to speak; 0 for never. T1 writes.
    package let voiceUntil = Atomic<UInt64>(0)

    package init() {}

    func tell(_ value: EchoWorker) {
        let place =
            switch value {
            case .hardware: 0
            case .software: 1
            case .both: 2
            }
        worker.store(place, ordering: .relaxed)
    }

    static func tenths(_ value: Float?) -> Int {
        guard let value, value.isFinite else { return unknown }
        return Int((max(-999, min(999, value)) * 10).rounded())
    }
}
