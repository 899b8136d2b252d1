internal import Synchronization

/// What the audio thread (T1) made of the echo, period by period, for `EchoTest`.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, while it is wanted; what finds no room is left out | `EchoTest` |
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

/// What one period of 10 ms tells somebody who measures talk over echo: levels in dBFS, and what became of the period.
package struct EchoPeriod: BitwiseCopyable, Sendable, Equatable {
    /// The echo as the linear canceller estimates it; -120 for none.
    package var echo: Float = -120
    /// What the linear canceller leaves: the talker, and a rest of the echo.
    package var residual: Float = -120
    /// What is left of that at the end.
    package var output: Float = -120
    /// Whether it went upstream at once, and how many of the periods before went with it that had been held back.
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
