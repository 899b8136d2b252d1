internal import CAEC

/// Finds the delay of an echo behind its reference; see `delay_estimator.h` for the method.
///
/// Belongs to one thread at a time. Allocates in `init` only; a search takes about 0.1 ms.
package struct DelayEstimator: ~Copyable {
    /// The longest stretches of microphone and reference that are searched, in samples at 8 kHz.
    package static let window = Int(DELAY_ESTIMATOR_WINDOW)
    package static let reference = Int(DELAY_ESTIMATOR_REFERENCE)
    /// The shortest stretch worth a search: 0.4 s.
    package static let shortest = Int(DELAY_ESTIMATOR_SHORTEST)

    /// If a second peak is half as high, choosing between them is a guess: a tone, a repeated sound, two echoes.
    private static let rival = 0.5

    private let handle: OpaquePointer?
    /// The lag of the last search in frames at 48 kHz, even if another one is nearly as likely; nil if none stands out.
    package private(set) var candidate: Double?

    /// Without memory, searches never find anything.
    package init() {
        handle = delay_estimator_create()
    }

    deinit { delay_estimator_destroy(handle) }

    /// Returns by how many frames at 48 kHz the microphone lags the reference, -4800 ... 24 000, or nil: silence, too little
    /// sound, no echo, or more than one possible lag.
    ///
    /// Both hold samples at 8 kHz and end at the same instant.
    package mutating func lag(
        microphone: UnsafePointer<Float>,
        count: Int,
        reference: UnsafePointer<Float>,
        referenceCount: Int
    ) -> Double? {
        candidate = nil
        guard let handle, count > 0, referenceCount > 0 else { return nil }
        var estimate = delay_estimate()
        guard delay_estimator_run(handle, microphone, count, reference, referenceCount, &estimate) else { return nil }
        candidate = estimate.lag * Double(AlignmentBlock.decimation)
        return estimate.rival <= Self.rival ? candidate : nil
    }

    /// Returns the correlation of the last search at a lag (in frames at 48 kHz), as a fraction of its peak, 0 ... 1.
    package func height(at lag: Double) -> Double {
        guard let handle, lag.isFinite else { return 0 }
        return delay_estimator_height(handle, lag / Double(AlignmentBlock.decimation))
    }
}
