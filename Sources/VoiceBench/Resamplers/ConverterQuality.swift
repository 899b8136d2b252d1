internal import Glibc

/// How a rate converter changes tones, and its latency; measured from outside, so that all converters are measured
/// alike.
struct ConverterQuality {
    /// Largest deviation from gain 1 in the pass band, in dB.
    private(set) var ripple = 0.0
    /// Level of unwanted components below the tone, in dB: aliases of tones above the pass band's mirror or, if the
    /// rate goes up, images of tones in the pass band. Infinite if no tone is that high.
    private(set) var stopband = Double.infinity
    /// Total harmonic distortion and noise of a tone at 1 kHz and of one high in the pass band, in dB.
    private(set) var distortionLow = 0.0
    private(set) var distortionHigh = 0.0
    /// Group delay plus the largest delay from blocks of 10 ms, in ms.
    private(set) var latency = 0.0

    private static let amplitude = 0.9

    private let from: Int
    private let to: Int
    private let make: () throws -> any RateConverter

    /// - Parameters:
    ///   - band: the tones to measure.
    ///   - make: creates a converter.
    init(from: Int, to: Int, band: ConverterBand, make: @escaping () throws -> any RateConverter) throws {
        self.from = from
        self.to = to
        self.make = make
        for frequency in band.passed {
            let output = try steady(frequency)
            let tone = Tone(output, frequency, rate: to)
            ripple = max(ripple, abs(20 * log10(tone.amplitude / Self.amplitude)))
            if to > from {
                let images = (2 * tone.residue(of: output)).squareRoot()
                stopband = min(stopband, -20 * log10(max(images, 1e-12) / Self.amplitude))
            }
        }
        if to < from {
            for frequency in band.stopped(below: from / 2) {
                let output = try steady(frequency)
                let power = output.reduce(0) { $0 + Double($1) * Double($1) } / Double(output.count)
                stopband = min(stopband, -20 * log10(max((2 * power).squareRoot(), 1e-12) / Self.amplitude))
            }
        }
        distortionLow = try distortion(1000)
        distortionHigh = try distortion(band.high)
        latency = try worstLatency()
    }

    /// Returns the whole output, and how far the output was behind the input at worst, in seconds.
    private func convert(_ input: [Float]) throws -> (output: [Float], heldBack: Double) {
        let converter = try make()
        let block = from / 100
        var output = [Float](repeating: 0, count: input.count * to / from + 1000)
        var made = 0
        var heldBack = 0.0
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let source = input.baseAddress, let target = output.baseAddress else { return }
                for start in stride(from: 0, to: input.count, by: block) {
                    // If 10 ms are not a whole number of samples, the last block is shorter.
                    let count = min(block, input.count - start)
                    made += converter.process(
                        source + start,
                        count: count,
                        into: target + made,
                        capacity: output.count - made
                    )
                    let fed = Double(start + count) / Double(from)
                    heldBack = max(heldBack, fed - Double(made) / Double(to))
                }
            }
        }
        return (Array(output.prefix(made)), heldBack)
    }

    /// The last fifth of a second of a converted tone, long after its start.
    private func steady(_ frequency: Double) throws -> ArraySlice<Float> {
        let rate = Double(from)
        let input = (0..<from * 2 / 5).map {
            Float(Self.amplitude * sin(2 * .pi * frequency * Double($0) / rate))
        }
        return try convert(input).output.suffix(to / 5)
    }

    private func distortion(_ frequency: Double) throws -> Double {
        let output = try steady(frequency)
        let tone = Tone(output, frequency, rate: to)
        return 10 * log10(max(tone.residue(of: output), 1e-24) / (tone.amplitude * tone.amplitude / 2))
    }

    /// The group delay is measured as the centre of energy of an impulse.
    private func worstLatency() throws -> Double {
        var impulse = [Float](repeating: 0, count: from / 5)
        let at = from / 10
        impulse[at] = 1
        let (output, heldBack) = try convert(impulse)
        let energy = output.reduce(0) { $0 + Double($1) * Double($1) }
        let moment = output.enumerated().reduce(0) { $0 + Double($1.offset) * Double($1.element) * Double($1.element) }
        let group = moment / energy / Double(to) - Double(at) / Double(from)
        return (group + heldBack) * 1000
    }
}

/// The tones that a converter must pass and stop; all have whole periods in a fifth of a second.
struct ConverterBand {
    /// The highest tone that must pass unchanged, and the lowest that must not pass, in Hz.
    var edge: Double
    var stop: Double
    /// The distance between tones, in Hz.
    var step: Double
    /// The higher of the tones whose distortion is measured, in Hz.
    var high: Double

    /// The band of the converters between the card's 48 kHz and the wire.
    static let wire = ConverterBand(edge: 10_800, stop: 13_200, step: 200, high: 10_000)

    /// The band up to 0.45 and from 0.55 of the lower of two rates.
    static func card(lower: Int) -> ConverterBand {
        func whole(_ frequency: Double) -> Double { (frequency / 5).rounded(.down) * 5 }
        let lower = Double(lower)
        return ConverterBand(
            edge: whole(0.45 * lower),
            stop: whole(0.55 * lower) + 5,
            step: whole(0.45 * lower / 24),
            high: whole(0.4 * lower)
        )
    }

    var passed: [Double] { Array(stride(from: step, through: edge, by: step)) }

    func stopped(below end: Int) -> [Double] { Array(stride(from: stop, to: Double(end), by: step)) }
}

/// The component of one frequency in a whole number of its periods.
private struct Tone {
    private let cosine: Double
    private let sine: Double
    private let angle: Double

    init(_ samples: ArraySlice<Float>, _ frequency: Double, rate: Int) {
        angle = 2 * .pi * frequency / Double(rate)
        var sums = (cosine: 0.0, sine: 0.0)
        for (index, sample) in samples.enumerated() {
            sums.cosine += Double(sample) * cos(angle * Double(index))
            sums.sine += Double(sample) * sin(angle * Double(index))
        }
        cosine = sums.cosine * 2 / Double(samples.count)
        sine = sums.sine * 2 / Double(samples.count)
    }

    var amplitude: Double { (cosine * cosine + sine * sine).squareRoot() }

    /// Mean square of the samples without the tone.
    func residue(of samples: ArraySlice<Float>) -> Double {
        var sum = 0.0
        for (index, sample) in samples.enumerated() {
            let rest =
                Double(sample) - cosine * cos(angle * Double(index)) - sine * sin(angle * Double(index))
            sum += rest * rest
        }
        return sum / Double(samples.count)
    }
}
