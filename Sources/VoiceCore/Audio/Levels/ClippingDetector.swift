/// Tells a microphone that clips from a single knock on it.
///
/// A leaky count of periods with samples at full scale, with a time constant of 3 s: five such periods at once, or more
/// than about two a second for long, and it clips; it does no more when the count has leaked below one half (after
/// about 7 s without).
struct ClippingDetector: Sendable, Equatable {
    /// 16-bit full scale, less one step and rounding.
    static let fullScale: Float = 0.9998

    private static let leak: Float = 1 - 1 / 300
    private static let upper: Float = 5
    private static let lower: Float = 0.5

    private var count: Float = 0
    private(set) var isClipping = false

    /// Takes one period of 10 ms.
    mutating func note(isFullScale: Bool) {
        count = count * Self.leak + (isFullScale ? 1 : 0)
        // A microphone that has clipped for minutes does not take minutes to forget it.
        count = min(count, 2 * Self.upper)
        if count >= Self.upper - 0.1 { isClipping = true }
        if count < Self.lower { isClipping = false }
    }
}
