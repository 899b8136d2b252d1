/// libsoxr, loaded at run time.
final class SoxrConverter: RateConverter {
    enum Quality: Sendable {
        case high
        case veryHigh
    }

    private typealias Create =
        @convention(c) (
            Double, Double, UInt32, UnsafeMutableRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
        ) -> OpaquePointer?
    private typealias Process =
        @convention(c) (
            OpaquePointer, UnsafePointer<Float>, Int, UnsafeMutablePointer<Int>, UnsafeMutablePointer<Float>, Int,
            UnsafeMutablePointer<Int>
        ) -> UnsafePointer<CChar>?
    private typealias Delete = @convention(c) (OpaquePointer) -> Void

    private let state: OpaquePointer
    private let convert: Process
    private let delete: Delete

    convenience init(_ conversion: Conversion, quality: Quality) throws(BenchProblem) {
        try self.init(from: conversion.from, to: conversion.to, quality: quality)
    }

    init(from: Int, to: Int, quality: Quality) throws(BenchProblem) {
        let library = try DynamicLibrary("libsoxr.so.0")
        let create = try library.function("soxr_create", as: Create.self)
        convert = try library.function("soxr_process", as: Process.self)
        delete = try library.function("soxr_delete", as: Delete.self)
        // soxr_quality_spec_t of soxr.h: precision in bits, phase in percent, end of the pass band, beginning of the
        // stop band, a pointer, flags; the values that soxr_quality_spec(SOXR_VHQ, 0) would return. A null pointer
        // means HQ.
        let veryHigh = [28.0, 50, 0.9115, 1, 0, 0]
        let made = veryHigh.withUnsafeBytes { specification in
            create(
                Double(from),
                Double(to),
                1,
                nil,
                nil,
                quality == .veryHigh ? specification.baseAddress : nil,
                nil
            )
        }
        guard let made else { throw BenchProblem("libsoxr does not start") }
        state = made
    }

    deinit { delete(state) }

    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int {
        var (taken, made) = (0, 0)
        _ = convert(state, input, count, &taken, output, capacity, &made)
        return made
    }
}
