import VoiceAudio

/// A converter from one sample rate to another, fed in blocks.
protocol RateConverter: AnyObject {
    /// Converts `count` samples and returns the number of output samples, at most `capacity`.
    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int
}

/// A conversion between two rates, in Hz.
enum Conversion: CaseIterable {
    case down
    case up
    case threeFourths

    var from: Int {
        switch self {
        case .down: 48_000
        case .up: 24_000
        case .threeFourths: 32_000
        }
    }
    var to: Int { self == .up ? 48_000 : 24_000 }
    var name: String { "\(from / 1000) -> \(to / 1000) kHz" }

    /// Creates the daemon's own converter.
    func makeOwn() -> any RateConverter {
        switch self {
        case .down: OwnDecimator()
        case .up: OwnInterpolator()
        case .threeFourths: OwnThreeFourths()
        }
    }
}

private final class OwnDecimator: RateConverter {
    private var converter = HalfbandDecimator()

    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int {
        converter.process(input, count: count, into: output)
        return count / 2
    }
}

private final class OwnInterpolator: RateConverter {
    private var converter = HalfbandInterpolator()

    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int {
        converter.process(input, count: count, into: output)
        return count * 2
    }
}

private final class OwnThreeFourths: RateConverter {
    private var converter = ThreeFourthsDecimator()

    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int {
        converter.process(input, count: count, into: output)
        return count / 4 * 3
    }
}
