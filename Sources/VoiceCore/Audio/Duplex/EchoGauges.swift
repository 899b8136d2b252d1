package import Synchronization

/// What the audio thread tells of echo and duplex, as atomics. Written by T1 alone; `EchoStatus` reads them as a whole.
package final class EchoGauges: Sendable {
    /// No measurement yet.
    static let unknown = Int.min

    /// `DuplexState.rawValue`.
    let state = Atomic<Int>(DuplexState.learning.rawValue)
    /// Whether sound of the box may be at the microphone, and whether the microphone goes upstream.
    let isPlaying = Atomic<Bool>(false)
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
    /// Microphone ring position up to which samples were held back on purpose: their lateness tells nothing of the machine.
    package let heldUntil = Atomic<UInt64>(0)
    /// Microphone ring position up to which somebody was heard to speak; 0 for never. T1 writes.
    package let voiceUntil = Atomic<UInt64>(0)

    package init() {}

    static func tenths(_ value: Float?) -> Int {
        guard let value, value.isFinite else { return unknown }
        return Int((max(-999, min(999, value)) * 10).rounded())
    }
}
