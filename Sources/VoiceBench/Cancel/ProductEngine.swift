import CDSP
import VoiceCore

/// What the daemon does between card and wire: reference line, then capture path.
///
/// The one place in which the benchmark knows how these stages are put together; it follows the audio thread's cycle, with
/// everything that runs beside it made synchronous.
final class ProductEngine: OfflineEngine {
    let outputRate = AudioFormat.wirePeriodSamples * 100
    private(set) var openings: [Int]?

    private let delay: ReportedDelay
    private var line = ReferenceLine(keep: EchoCanceller.referenceLead)
    private var path: CapturePath
    private let reference = UnsafeMutablePointer<Float>.allocate(capacity: AudioFormat.periodFrames)
    private let samples = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
    private var period = 0

    init(delay: ReportedDelay) throws {
        self.delay = delay
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
        let milliseconds = line.next(
            playbackDelay: delay.start + (period >= delay.jumpPeriod ? delay.jump : 0),
            captureDelay: 0,
            into: reference
        )
        path.process(
            microphone: microphone,
            reference: reference,
            streamDelayMilliseconds: milliseconds,
            into: samples
        )
        cdsp_float_from_s16(samples, output, AudioFormat.wirePeriodSamples)
        period += 1
    }
}
