import CAEC
import VoiceBase

/// The WebRTC library alone, configured as by PipeWire: extended filter, delay agnostic, high suppression of echo and
/// noise, no gain control, a reported delay of 0 whatever the delay is. Runs at 32 kHz, where PipeWire uses 48 kHz.
final class LibraryEngine: OfflineEngine {
    let outputRate = Int(CAEC_OUTPUT_FRAMES) * 100
    let openings: [Int]? = nil
    private let handle: OpaquePointer

    init() throws(BenchProblem) {
        var options = caec_options()
        options.echo_cancellation = true
        options.suppression = CAEC_SUPPRESSION_HIGH
        options.extended_filter = true
        options.delay_agnostic = true
        options.noise_suppression = CAEC_NOISE_HIGH
        options.high_pass = true
        guard let handle = caec_create(&options, nil, 0) else { throw BenchProblem("the library does not start") }
        self.handle = handle
    }

    deinit { caec_destroy(handle) }

    func process(
        far: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    ) {
        _ = caec_process(handle, far, microphone, 0, output, nil)
    }
}
