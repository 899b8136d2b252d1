/// The resampler of speexdsp, loaded at run time.
final class SpeexConverter: RateConverter {
    private typealias Create =
        @convention(c) (
            UInt32, UInt32, UInt32, Int32, UnsafeMutablePointer<Int32>?
        ) -> OpaquePointer?
    private typealias Process =
        @convention(c) (
            OpaquePointer, UInt32, UnsafePointer<Float>, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<Float>,
            UnsafeMutablePointer<UInt32>
        ) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void

    private let state: OpaquePointer
    private let convert: Process
    private let destroy: Destroy

    /// - Parameter quality: 0 ... 10.
    convenience init(_ conversion: Conversion, quality: Int32) throws(BenchProblem) {
        try self.init(from: conversion.from, to: conversion.to, quality: quality)
    }

    init(from: Int, to: Int, quality: Int32) throws(BenchProblem) {
        let library = try DynamicLibrary("libspeexdsp.so.1")
        let create = try library.function("speex_resampler_init", as: Create.self)
        convert = try library.function("speex_resampler_process_float", as: Process.self)
        destroy = try library.function("speex_resampler_destroy", as: Destroy.self)
        guard let made = create(1, UInt32(from), UInt32(to), quality, nil) else {
            throw BenchProblem("speexdsp does not start")
        }
        state = made
    }

    deinit { destroy(state) }

    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int {
        var taken = UInt32(count)
        var made = UInt32(capacity)
        _ = convert(state, 0, input, &taken, output, &made)
        return Int(made)
    }
}
