internal import Glibc

/// What a rate converter does to tones, and how late it is; measured from outside, so that all are measured alike.
struct ConverterQuality {
    /// Largest deviation from gain 1 up to 10.8 kHz, in dB.
    private(set) var ripple = 0.0
    /// How far what does not belong there is below the tone, in dB: what folds back of tones of 13.2 kHz and more, or,
    /// when the rate goes up, the images of tones up to 10.8 kHz.
    private(set) var stopband = Double.infinity
    /// Total harmonic distortion and noise of a tone at 1 and at 10 kHz, in dB.
    private(set) var distortion1k = 0.0
    private(set) var distortion10k = 0.0
    /// Group delay and what is held back at worst in blocks of 10 ms, in ms.
    private(set) var latency = 0.0

    private static let amplitude = 0.9
    private static let step = 200.0
    private static let edge = 10_800.0
    private static let stop = 13_200.0

    private let conversion: Conversion
    private let make: () throws -> any RateConverter

    /// - Parameter make: a fresh converter.
    init(_ conversion: Conversion, make: @escaping () throws -> any RateConverter) throws {
        self.conversion = conversion
        self.make = make
        for frequency in stride(from: Self.step, through: Self.edge, by: Self.step) {
            let output = try steady(frequency)
            let tone = Tone(output, frequency, rate: conversion.to)
            ripple = max(ripple, abs(20 * log10(tone.amplitude / Self.amplitude)))
            if conversion == .up {
                let image = Tone(output, 24_000 - frequency, rate: conversion.to).amplitude
                stopband = min(stopband, -20 * log10(max(image, 1e-12) / Self.amplitude))
            }
        }
        if conversion != .up {
            for frequency in stride(from: Self.stop, to: Double(conversion.from / 2), by: Self.step) {
                let power = try steady(frequency).reduce(0) { $0 + Double($1) * Double($1) }
                let left = (power / Double(conversion.to / 10) * 2).squareRoot()
                stopband = min(stopband, -20 * log10(max(left, 1e-12) / Self.amplitude))
            }
        }
        distortion1k = try distortion(1000)
        distortion10k = try distortion(10_000)
        latency = try worstLatency()
    }

    /// All that comes out, and by how many seconds the output was behind the input at worst.
    private func convert(_ input: [Float]) throws -> (output: [Float], heldBack: Double) {
        let converter = try make()
        let block = conversion.from / 100
        var output = [Float](repeating: 0, count: input.count * conversion.to / conversion.from + 1000)
        var made = 0
        var heldBack = 0.0
        input.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let from = input.baseAddress, let to = output.baseAddress else { return }
                for start in stride(from: 0, to: input.count, by: block) {
                    made += converter.process(
                        from + start,
                        count: block,
                        into: to + made,
                        capacity: output.count - made
                    )
                    let behind = Double(start + block) / Double(conversion.from) - Double(made) / Double(conversion.to)
                    heldBack = max(heldBack, behind)
                }
            }
        }
        return (Array(output.prefix(made)), heldBack)
    }

    /// A tenth of a second of what a tone turns into, long after its start.
    private func steady(_ frequency: Double) throws -> ArraySlice<Float> {
        let rate = Double(conversion.from)
        let input = (0..<conversion.from * 3 / 10).map {
            Float(Self.amplitude * sin(2 * .pi * frequency * Double($0) / rate))
        }
        return try convert(input).output.suffix(conversion.to / 10)
    }

    private func distortion(_ frequency: Double) throws -> Double {
        let output = try steady(frequency)
        let tone = Tone(output, frequency, rate: conversion.to)
        return 10 * log10(max(tone.residue(of: output), 1e-24) / (tone.amplitude * tone.amplitude / 2))
    }

    /// The delay is that of the energy's centre of an impulse.
    private func worstLatency() throws -> Double {
        var impulse = [Float](repeating: 0, count: conversion.from / 5)
        let at = conversion.from / 10
        impulse[at] = 1
        let (output, heldBack) = try convert(impulse)
        let energy = output.reduce(0) { $0 + Double($1) * Double($1) }
        let moment = output.enumerated().reduce(0) { $0 + Double($1.offset) * Double($1.element) * Double($1.element) }
        let group = moment / energy / Double(conversion.to) - Double(at) / Double(conversion.from)
        return (group + heldBack) * 1000
    }
}

/// What there is of one frequency in a whole number of its periods.
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

    /// Mean square of what is left of the samples without the tone.
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
