@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

/// A loudspeaker, a room and a microphone around a `ReferenceLine`, with clocks that differ and delays that are wrong.
///
/// Frame p of the played audio is heard at microphone frame `start + p * (1 - ppm)`, earlier while the card is fed faster, and appears in the microphone `air`
/// frames later: this is the truth that the line must find. One call of `cycle` is one period of the audio thread.
final class SimulatedEcho {
    static let period = AudioFormat.periodFrames

    let ports = AudioPorts()
    private(set) var echo = EchoStatus()
    var line: ReferenceLine
    var tap = AlignmentTap()
    var stage = AlignmentStage()
    var changes: [DelayTracker.Change] = []
    var last = ReferencePeriod()

    /// Delay beyond the reported delays, in frames.
    var air: Double
    /// Frames played at microphone frame 0 of the simulation, the origin of both clocks.
    private let origin: Int
    private let ppm: Double
    private let buffer: Int
    private let source: (Int) -> Float
    var near: (Int) -> Float = { _ in 0 }
    var gain: Float = 0.5
    /// Frames lost from the played audio's time; positive values mean later from now on. `hidden` is not in the
    /// reported delays.
    private var shift = 0.0
    private var hidden = 0.0
    /// Frames fed to the card for each one that it plays, and the frames that this has added until now and until one period ago.
    var step = 1.0
    private var fed = 0.0
    private var fedBefore = 0.0
    private var followedBefore = 0.0
    private(set) var captured = 0
    private var written = 0
    private var ring: [Float]
    private let mask = 262_143
    private let interpolator = SincInterpolator()
    private var scratch = [Float](repeating: 0, count: AudioFormat.periodFrames + 64)
    private var microphone = [Float](repeating: 0, count: AudioFormat.periodFrames)
    private var reference = [Float](repeating: 0, count: AudioFormat.periodFrames)

    init(
        air: Double = 48,
        ppm: Double = 0,
        buffer: Int = 4800,
        origin: Int = 0,
        source: @escaping (Int) -> Float
    ) {
        self.air = air
        self.ppm = ppm
        self.buffer = buffer
        self.origin = origin
        self.source = source
        line = ReferenceLine(epoch: ports.alignment.nextEpoch, written: origin, captured: 3 * origin)
        ring = .init(repeating: 0, count: mask + 1)
        play(buffer)
    }

    /// The played position that is heard in the room at a microphone frame, the card's feed aside.
    private func heard(at frame: Int) -> Double {
        Double(frame) * (1 + ppm * 1e-6) - shift - hidden
    }

    /// Played frames for each frame of the microphone.
    private var pace: Double { step + ppm * 1e-6 }

    /// The truth: how far the served reference leads the echo now, in frames.
    var lead: Double {
        let served = line.block.offset + followedBefore + Double(line.block.position + line.block.lead)
        let middle = Double(Self.period / 2) * ppm * 1e-6
        return served - Double(origin) - (heard(at: captured - Self.period) + fedBefore - air) - middle
    }

    func delayBy(_ frames: Double, hidden isHidden: Bool) {
        if isHidden { hidden += frames } else { shift += frames }
    }

    private func play(_ count: Int) {
        let new = (written..<written + count).map(source)
        for (index, sample) in new.enumerated() { ring[(written + index) & mask] = sample }
        line.append(new, count: count)
        written += count
    }

    private func capture() {
        let start = heard(at: captured) + fed - air
        let whole = start.rounded(.down)
        let first = Int(whole) - SincInterpolator.before
        for index in scratch.indices { scratch[index] = ring[(first + index) & mask] }
        interpolator.process(
            scratch, start: start - whole, step: pace, into: &microphone, count: Self.period
        )
        for index in microphone.indices { microphone[index] = microphone[index] * gain + near(captured + index) }
        captured += Self.period
        fedBefore = fed
        fed += (step - 1) * Double(Self.period)
    }

    /// - Parameters:
    ///   - lie: frames by which the reported delays are too large.
    ///   - searching: whether the search runs, which it does ten times a second.
    func cycle(lie: Int = 0, searching: Bool = true) {
        capture()
        // The loudspeaker's clock determines when it takes frames: the buffer stays filled.
        let playbackDelay = written - Int((Double(captured) * (1 + ppm * 1e-6) + fed - shift).rounded())
        followedBefore = line.followed
        last = line.next(
            playbackDelay: playbackDelay + lie, captureDelay: 0, step: step,
            correction: tap.correction(from: ports.alignment), into: &reference
        )
        tap.push(periodOf: line, microphone: microphone, reference: reference, to: ports.alignment)
        echo.locate(last, drift: 0, worker: .software)
        // One period for each one read; more or none if the clocks have drifted apart or the delay has changed.
        let usual = buffer - Self.period
        let spare = (Double(usual - playbackDelay) / Double(Self.period)).rounded()
        for _ in 0..<max(0, min(1 + Int(spare), 20)) { play(Self.period) }
        if searching, captured / Self.period % 10 == 0 { changes += stage.step(ports.alignment) }
    }

    func run(seconds: Double, lie: Int = 0) {
        for _ in 0..<Int(seconds * 100) { cycle(lie: lie) }
    }
}

/// White noise that depends only on the position and repeats after 5.5 s.
func placeNoise(_ seed: UInt64, amplitude: Float = 0.1) -> (Int) -> Float {
    var generator = SeededGenerator(seed: seed)
    let table = (0..<262_144).map { _ in (Float(generator.next() >> 40) / 8_388_608 - 1) * amplitude }
    return { table[$0 & 262_143] }
}
