import CDSP
import VoiceCore

/// What the daemon does between card and wire: reference line, search for the delay, capture path, barge-in gate.
///
/// The one place in which the benchmark knows how these stages are put together; it follows the audio thread's cycle, with
/// the search for the delay, which runs beside it there, made synchronous. The gate says when it opens and holds nothing
/// back, so that the output can be compared with those of engines that have none.
final class ProductEngine: OfflineEngine {
    /// Below -60 dBFS the far end is silent; its echo is reckoned with for 400 ms more.
    private static let faintest: Float = 1e-3
    private static let tail = 40

    let outputRate = AudioFormat.wirePeriodSamples * 100
    var openings: [Int]? { opened }

    private let delay: ReportedDelay
    private let pipes = AudioPipes()
    private var line: ReferenceLine
    private var tap = AlignmentTap()
    private var stage = AlignmentStage()
    private var path: CapturePath
    private var gate = BargeInGate()
    private var opened: [Int] = []
    private var quiet = 1000
    private let reference = UnsafeMutablePointer<Float>.allocate(capacity: AudioFormat.periodFrames)
    private let samples = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
    private var period = 0

    init(delay: ReportedDelay) throws {
        self.delay = delay
        line = ReferenceLine(keep: EchoCanceller.referenceLead, epoch: pipes.alignment.nextEpoch)
        path = try CapturePath(
            options: AudioConfiguration(Configuration().audio, echo: Configuration().echo).echoCanceller
        )
    }

    deinit {
        reference.deallocate()
        samples.deallocate()
    }

    func process(
        far: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    ) {
        if period == delay.jumpPeriod { line.discontinuity() }
        line.append(far, count: AudioFormat.periodFrames)
        let aligned = line.next(
            playbackDelay: delay.start + (period >= delay.jumpPeriod ? delay.jump : 0),
            captureDelay: 0,
            correction: tap.correction(from: pipes),
            into: reference
        )
        tap.push(aligned, of: line, microphone: microphone, reference: reference, to: pipes)
        stage.step(pipes)
        path.follow(aligned)
        path.process(
            microphone: microphone,
            reference: reference,
            streamDelayMilliseconds: aligned.leadMilliseconds,
            into: samples
        )
        judge()
        cdsp_float_from_s16(samples, output, AudioFormat.wirePeriodSamples)
        period += 1
    }

    private func judge() {
        quiet = cdsp_peak(reference, AudioFormat.periodFrames) > Self.faintest ? 0 : quiet + 1
        let step = gate.step(path.reading, permission: .guarded, isPlaying: quiet < Self.tail)
        if case .release(let periods) = step, periods > 0 { opened.append(period) }
    }
}
