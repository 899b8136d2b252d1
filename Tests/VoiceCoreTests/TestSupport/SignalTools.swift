import Glibc

/// A tone of the given amplitude; the phase of the first sample is 0.
func tone(_ frequency: Double, rate: Int, count: Int, amplitude: Double = 0.5) -> [Float] {
    (0..<count).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}

func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-15)) }

func rms(_ samples: some Collection<Float>) -> Double {
    (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1))).squareRoot()
}

/// One bin of a discrete Fourier transform: the component of one frequency in a signal.
struct ToneMeter {
    let cosine: Double
    let sine: Double
    let frequency: Double
    let rate: Int

    /// `samples` must hold a whole number of periods for the figure to be exact.
    init(_ samples: ArraySlice<Float>, frequency: Double, rate: Int) {
        var cosine = 0.0
        var sine = 0.0
        for (index, sample) in samples.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / Double(rate)
            cosine += Double(sample) * cos(angle)
            sine += Double(sample) * sin(angle)
        }
        self.cosine = cosine * 2 / Double(samples.count)
        self.sine = sine * 2 / Double(samples.count)
        self.frequency = frequency
        self.rate = rate
    }

    var amplitude: Double { (cosine * cosine + sine * sine).squareRoot() }

    /// The samples without the tone, relative to the tone: THD+N in dB.
    func residue(in samples: ArraySlice<Float>) -> Double {
        var sum = 0.0
        for (index, sample) in samples.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / Double(rate)
            let rest = Double(sample) - cosine * cos(angle) - sine * sin(angle)
            sum += rest * rest
        }
        let noise = (sum / Double(samples.count)).squareRoot()
        return decibels(noise / (amplitude / 2.0.squareRoot()))
    }
}
