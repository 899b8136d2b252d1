internal import Synchronization
internal import VoiceBase
internal import VoiceConfiguration

/// Echo and duplex measurements that the audio thread (T1) publishes once a period, in two parts: those of `DuplexControl`,
/// and the position of the echo. Only T1 writes; anyone may read, and `EchoStatus` reads all of them.
package final class EchoGauges: Sendable {
    /// Value before the first measurement.
    static let unknown = Int.min

    /// `DuplexState.rawValue`.
    let state = Atomic<Int>(DuplexState.learning.rawValue)
    /// Who cancels the echo: index in `EchoWorker.allCases`.
    let worker = Atomic<Int>(1)
    /// Whether the daemon's sound may be at the microphone, and whether the microphone goes upstream.
    let playing = Atomic<Bool>(false)
    let isOpen = Atomic<Bool>(true)
    /// `EchoTalker.rawValue`.
    let heard = Atomic<Int>(EchoTalker.unknown.rawValue)
    /// Tenths of a dB or of a dBFS, `unknown` until measured.
    let linearERLE = Atomic<Int>(unknown)
    let wholeERLE = Atomic<Int>(unknown)
    let echoLevel = Atomic<Int>(unknown)
    let residualLevel = Atomic<Int>(unknown)
    let noiseFloor = Atomic<Int>(unknown)
    /// The loudest sample of the microphone during playback, in tenths of dBFS.
    let echoPeak = Atomic<Int>(unknown)
    /// Thousandths.
    let clippedShare = Atomic<Int>(0)
    /// Blocks of half a second of far end that were judged.
    let blocks = Atomic<UInt64>(0)
    /// How often the gate opened for a talker during playback.
    let openings = Atomic<UInt64>(0)
    /// Periods that went upstream as silence because the gate was shut.
    let periodsShut = Atomic<UInt64>(0)
    let changes = Atomic<UInt64>(0)
    /// How often the box was moved while the echo was under control, and whether the echo is being learned again.
    let moves = Atomic<UInt64>(0)
    let isLearningMove = Atomic<Bool>(false)
    /// From writing a frame to its echo at the microphone, in tenths of a millisecond.
    let delayTenths = Atomic<Int>(0)
    /// Whether the delay is known from the echo itself, not from the card's delays alone.
    let isAligned = Atomic<Bool>(false)
    /// How often the echo was found more than 4 ms away from its assumed position.
    let jumps = Atomic<UInt64>(0)
    /// How much faster the loudspeaker's clock is than the microphone's, in tenths of ppm.
    let driftTenths = Atomic<Int>(0)

    package init() {}

    /// Whether the daemon's sound may be at the microphone.
    package var isPlaying: Bool { playing.load(ordering: .relaxed) }

    /// Whether a talker is heard beside the daemon's sound.
    package var talker: EchoTalker { EchoTalker(rawValue: heard.load(ordering: .relaxed)) ?? .unknown }

    /// Counters since the program started, across restarts of the audio thread.
    struct Counts {
        var blocks: UInt64 = 0
        var openings: UInt64 = 0
        var periodsShut: UInt64 = 0
        var moves: UInt64 = 0
    }

    var counts: Counts {
        Counts(
            blocks: blocks.load(ordering: .relaxed),
            openings: openings.load(ordering: .relaxed),
            periodsShut: periodsShut.load(ordering: .relaxed),
            moves: moves.load(ordering: .relaxed)
        )
    }

    /// Publishes the results of gate, quality and policy.
    /// - Parameter peak: of the microphone during playback, full scale 1; 0 if nothing has played yet.
    func publish(
        _ state: DuplexState,
        _ quality: EchoQuality,
        counts: Counts,
        isPlaying: Bool,
        isOpen: Bool,
        talker: EchoTalker,
        isLearningMove: Bool,
        peak: Float
    ) {
        linearERLE.store(Self.tenths(quality.linearERLE), ordering: .relaxed)
        wholeERLE.store(Self.tenths(quality.wholeERLE), ordering: .relaxed)
        echoLevel.store(Self.tenths(quality.echoLevel), ordering: .relaxed)
        residualLevel.store(Self.tenths(quality.residualLevel), ordering: .relaxed)
        noiseFloor.store(Self.tenths(quality.noiseFloor), ordering: .relaxed)
        clippedShare.store(Int(quality.clippedShare * 1000), ordering: .relaxed)
        if peak > 0 { echoPeak.store(LevelMeter.tenths(peak), ordering: .relaxed) }
        openings.store(counts.openings, ordering: .relaxed)
        periodsShut.store(counts.periodsShut, ordering: .relaxed)
        moves.store(counts.moves, ordering: .relaxed)
        playing.store(isPlaying, ordering: .relaxed)
        self.isOpen.store(isOpen, ordering: .relaxed)
        heard.store(talker.rawValue, ordering: .relaxed)
        self.isLearningMove.store(isLearningMove, ordering: .relaxed)
        blocks.store(counts.blocks, ordering: .releasing)
        guard self.state.load(ordering: .relaxed) != state.rawValue else { return }
        changes.wrappingAdd(1, ordering: .relaxed)
        self.state.store(state.rawValue, ordering: .releasing)
    }

    /// Publishes the position of the echo and who cancels it.
    /// - Parameter drift: of the newest correction, as a fraction.
    func publish(_ period: ReferencePeriod, drift: Double, worker: EchoWorker) {
        delayTenths.store(period.echoDelay * 10_000 / AudioFormat.deviceRate, ordering: .relaxed)
        driftTenths.store(Int((drift * 1e7).rounded()), ordering: .relaxed)
        isAligned.store(period.isConfirmed, ordering: .releasing)
        if period.isJump { jumps.wrappingAdd(1, ordering: .relaxed) }
        let place =
            switch worker {
            case .hardware: 0
            case .software: 1
            case .both: 2
            }
        self.worker.store(place, ordering: .relaxed)
    }

    static func tenths(_ value: Float?) -> Int {
        guard let value, value.isFinite else { return unknown }
        return Int((max(-999, min(999, value)) * 10).rounded())
    }
}
