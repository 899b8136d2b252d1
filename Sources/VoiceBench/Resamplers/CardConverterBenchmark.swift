import VoiceAudio
import VoiceBase

/// Quality of the converters between a card's own rate and 48 kHz, each way, compared with other libraries if these are
/// installed. `ResamplerBenchmark` measures their cost.
enum CardConverterBenchmark {
    static let benchmark = Benchmark(
        name: "cards",
        title: "Converters of sound cards, up to 0.45 of the lower rate (beside: libsoxr HQ; speexdsp 5, 10)",
        run: run
    )

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let rates = isQuick ? [16_000, 44_100] : SampleRates.known.filter { $0 != AudioFormat.deviceRate }.sorted()
        return try rates.flatMap { rate in
            try measure(from: rate, to: AudioFormat.deviceRate) + measure(from: AudioFormat.deviceRate, to: rate)
        }
    }

    private static func measure(from: Int, to: Int) throws -> [Figure] {
        let band = ConverterBand.card(lower: min(from, to))
        let own = try ConverterQuality(from: from, to: to, band: band) { CardConverter(from: from, to: to) }
        var others: [(name: String, quality: ConverterQuality)] = []
        var problems: Set<String> = []
        let libraries: [(String, () throws -> any RateConverter)] = [
            ("HQ", { try SoxrConverter(from: from, to: to, quality: .high) }),
            ("5", { try SpeexConverter(from: from, to: to, quality: 5) }),
            ("10", { try SpeexConverter(from: from, to: to, quality: 10) }),
        ]
        for (name, make) in libraries {
            do {
                others.append((name, try ConverterQuality(from: from, to: to, band: band, make: make)))
            } catch {
                problems.insert("\(error)")
            }
        }
        func figure(_ name: String, target: String, isMet: Bool?, _ value: (ConverterQuality) -> Double) -> Figure {
            Figure(
                "\(from) -> \(to) Hz \(name)",
                value: value(own).text,
                target: target,
                isMet: isMet,
                note: others.map { "\($0.name) \(value($0.quality).text)" }.joined(separator: ", ")
            )
        }
        var figures = [
            figure("ripple, mdB", target: "<= 1", isMet: own.ripple <= 0.001) { $0.ripple * 1000 },
            figure("THD+N at 1 kHz, dB", target: "<= -100", isMet: own.distortionLow <= -100) { $0.distortionLow },
            figure("latency, ms", target: "", isMet: nil) { $0.latency },
        ]
        // From 48 to 44.1 kHz no tone reaches the stop band.
        if own.stopband.isFinite {
            let name = to > from ? "images, dB" : "stop band, dB"
            figures.insert(figure(name, target: ">= 100", isMet: own.stopband >= 100) { $0.stopband }, at: 1)
        }
        return figures + problems.sorted().map { Figure("\(from) -> \(to) Hz", note: "not compared: \($0)") }
    }
}

private final class CardConverter: RateConverter {
    private var converter: RationalResampler

    init(from: Int, to: Int) { converter = RationalResampler(from: from, to: to) }

    func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> Int {
        converter.process(input, count: count, into: output, limit: capacity)
    }
}
