/// Quality and cost of the rate converters, compared with other libraries if these are installed.
enum ConverterBenchmark {
    static let benchmark = Benchmark(
        name: "converters",
        title: "Rate converters (beside: libsoxr HQ, VHQ; speexdsp 3, 5, 10)",
        run: run
    )

    private struct Result {
        let name: String
        let quality: ConverterQuality
        let time: Samples
    }

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        var figures: [Figure] = []
        for conversion in Conversion.allCases {
            var results: [Result] = []
            var problems: Set<String> = []
            for (name, make) in candidates(conversion) {
                do {
                    results.append(
                        Result(
                            name: name,
                            quality: try ConverterQuality(
                                from: conversion.from,
                                to: conversion.to,
                                band: .wire,
                                make: make
                            ),
                            time: time(conversion, try make(), rounds: isQuick ? 30 : 200)
                        )
                    )
                } catch {
                    problems.insert("\(error)")
                }
            }
            figures += Self.figures(conversion, results)
            figures += problems.sorted().map { Figure(conversion.name, note: "not compared: \($0)") }
        }
        return figures
    }

    private static func candidates(_ conversion: Conversion) -> [(String, () throws -> any RateConverter)] {
        [
            ("own", { conversion.makeOwn() }),
            ("HQ", { try SoxrConverter(conversion, quality: .high) }),
            ("VHQ", { try SoxrConverter(conversion, quality: .veryHigh) }),
            ("3", { try SpeexConverter(conversion, quality: 3) }),
            ("5", { try SpeexConverter(conversion, quality: 5) }),
            ("10", { try SpeexConverter(conversion, quality: 10) }),
        ]
    }

    private static func time(_ conversion: Conversion, _ converter: any RateConverter, rounds: Int) -> Samples {
        let block = conversion.from / 100
        let input = (0..<block).map { Float(($0 * 7919) % 4001) / 10_000 - 0.2 }
        // libsoxr returns 40 ms at once.
        var output = [Float](repeating: 0, count: 8192)
        return TightLoop.microseconds(rounds: rounds, repeats: 40) {
            output.withUnsafeMutableBufferPointer { output in
                guard let base = output.baseAddress else { return }
                _ = converter.process(input, count: block, into: base, capacity: output.count)
            }
        }
    }

    private static func figures(_ conversion: Conversion, _ results: [Result]) -> [Figure] {
        guard let own = results.first, own.name == "own" else { return [] }
        func figure(
            _ name: String,
            _ target: String,
            _ isMet: Bool,
            _ value: (Result) -> Double
        ) -> Figure {
            let others = results.dropFirst().map { "\($0.name) \(value($0).text)" }.joined(separator: ", ")
            return Figure(
                "\(conversion.name) \(name)",
                value: value(own).text,
                target: target,
                isMet: isMet,
                note: others
            )
        }
        let quality = own.quality
        let unwanted = conversion == .up ? "images of up to 10.8 kHz, dB" : "stop band from 13.2 kHz, dB"
        var cost = figure("time, us", "<= 2", own.time.median <= 2) { $0.time.median }
        cost.p99 = own.time.p99.text
        if let soxr = results.first(where: { $0.name == "HQ" }) {
            cost.note += "; own / HQ \((own.time.median / soxr.time.median).text)"
        }
        return [
            figure("ripple to 10.8 kHz, mdB", "<= 1", quality.ripple <= 0.001) { $0.quality.ripple * 1000 },
            figure(unwanted, ">= 100", quality.stopband >= 100) { $0.quality.stopband },
            figure("THD+N at 1 kHz, dB", "<= -105", quality.distortionLow <= -105) { $0.quality.distortionLow },
            figure("THD+N at 10 kHz, dB", "<= -105", quality.distortionHigh <= -105) { $0.quality.distortionHigh },
            figure("latency, ms", "<= 1.5", quality.latency <= 1.5) { $0.quality.latency },
            cost,
        ]
    }
}
