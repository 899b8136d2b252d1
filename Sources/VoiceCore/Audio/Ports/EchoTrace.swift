internal import Synchronization

/// The audio thread's (T1) echo measurements, period by period, for `EchoTest`.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, while `isWanted`; drops what finds no room | `EchoTest` |
/// | `isWanted` | `EchoTest` | T1 |
package final class EchoTrace: Sendable {
    package let ring = SampleRing<EchoPeriod>(capacity: 1024, filling: EchoPeriod())

    private let wanted = Atomic<Bool>(false)

    package init() {}

    package var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }
}

/// Measurements of one period of 10 ms for a test of talk over echo: levels in dBFS, and the gate's decision.
package struct EchoPeriod: BitwiseCopyable, Sendable, Equatable {
    /// The echo as estimated by the linear canceller; -120 for none.
    package var echo: Float = -120
    /// The residual of the linear canceller: the talker and residual echo.
    package var residual: Float = -120
    /// The final output.
    package var output: Float = -120
    /// Whether it went upstream at once, and how many held periods before it were released with it.
    package var isSent = true
    package var released: UInt8 = 0

    package init() {}

    init(_ reading: EchoReading, step: BargeInGate.Step) {
        echo = reading.echo
        residual = reading.residual
        output = reading.output
        isSent = step != .hold
        if case .release(let count) = step { released = UInt8(clamping: count) }
    }
}
