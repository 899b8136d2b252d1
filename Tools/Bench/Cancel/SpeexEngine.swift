import CDSP

/// speexdsp's canceller (MDF, 200 ms at 48 kHz) with its preprocessor as residual echo suppressor; not aligned.
final class SpeexEngine: OfflineEngine {
    private typealias Cancel =
        @convention(c) (
            OpaquePointer, UnsafePointer<Int16>, UnsafePointer<Int16>, UnsafeMutablePointer<Int16>
        ) -> Void
    private typealias Preprocess = @convention(c) (OpaquePointer, UnsafeMutablePointer<Int16>) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void

    private static let frames = 480
    private static let tail = 9600
    // SPEEX_ECHO_SET_SAMPLING_RATE, SPEEX_PREPROCESS_SET_ECHO_STATE (speex_echo.h, speex_preprocess.h)
    private static let setRate: Int32 = 24
    private static let setEchoState: Int32 = 24

    let outputRate = 48_000
    let openings: [Int]? = nil
    private let echo: OpaquePointer
    private let preprocessor: OpaquePointer
    private let cancel: Cancel
    private let preprocess: Preprocess
    private let destroyEcho: Destroy
    private let destroyPreprocessor: Destroy
    private let buffers = UnsafeMutablePointer<Int16>.allocate(capacity: 3 * frames)

    init() throws(BenchProblem) {
        let library = try DynamicLibrary("libspeexdsp.so.1")
        typealias Create = @convention(c) (Int32, Int32) -> OpaquePointer?
        typealias Control = @convention(c) (OpaquePointer, Int32, UnsafeMutableRawPointer?) -> Int32
        let createEcho = try library.function("speex_echo_state_init", as: Create.self)
        let createPreprocessor = try library.function("speex_preprocess_state_init", as: Create.self)
        let controlEcho = try library.function("speex_echo_ctl", as: Control.self)
        let controlPreprocessor = try library.function("speex_preprocess_ctl", as: Control.self)
        cancel = try library.function("speex_echo_cancellation", as: Cancel.self)
        preprocess = try library.function("speex_preprocess_run", as: Preprocess.self)
        destroyEcho = try library.function("speex_echo_state_destroy", as: Destroy.self)
        destroyPreprocessor = try library.function("speex_preprocess_state_destroy", as: Destroy.self)
        guard let echo = createEcho(Int32(Self.frames), Int32(Self.tail)),
            let preprocessor = createPreprocessor(Int32(Self.frames), Int32(outputRate))
        else { throw BenchProblem("speexdsp does not start") }
        self.echo = echo
        self.preprocessor = preprocessor
        var rate = Int32(outputRate)
        _ = controlEcho(echo, Self.setRate, &rate)
        _ = controlPreprocessor(preprocessor, Self.setEchoState, UnsafeMutableRawPointer(echo))
        buffers.initialize(repeating: 0, count: 3 * Self.frames)
    }

    deinit {
        destroyPreprocessor(preprocessor)
        destroyEcho(echo)
        buffers.deallocate()
    }

    func process(
        far: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    ) {
        let (near, loud, clean) = (buffers, buffers + Self.frames, buffers + 2 * Self.frames)
        cdsp_s16_from_float(microphone, near, Self.frames)
        cdsp_s16_from_float(far, loud, Self.frames)
        cancel(echo, near, loud, clean)
        _ = preprocess(preprocessor, clean)
        cdsp_float_from_s16(clean, output, Self.frames)
    }
}
