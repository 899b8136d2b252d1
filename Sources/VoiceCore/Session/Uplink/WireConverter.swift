internal import VoiceAudio
internal import VoiceBase

/// Converts 16-bit sound between the internal 24 kHz and the rate of a service, with the resampler of the sound cards. Its
/// delay is 36 samples of the lower rate. Lives on the network thread.
package final class WireConverter {
    /// Samples converted in one call: at most a period of the highest rate.
    private static let piece = 480

    private var resampler: RationalResampler
    private let input = UnsafeMutablePointer<Float>.allocate(capacity: RationalResampler.block)
    private let output = UnsafeMutablePointer<Float>.allocate(capacity: RationalResampler.block)
    /// Grows to the largest block converted.
    private var samples: [Int16] = []

    /// - Parameters:
    ///   - from: rate of the input in Hz, 8000 ... 48 000.
    ///   - to: rate of the output in Hz, at most three times that of the input.
    package init(from: Int, to: Int) {
        resampler = RationalResampler(from: from, to: to)
        input.initialize(repeating: 0, count: RationalResampler.block)
        output.initialize(repeating: 0, count: RationalResampler.block)
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }

    /// Passes the output to `body`; it is valid during that call only.
    package func convert<Result>(
        _ whole: UnsafeBufferPointer<Int16>,
        _ body: (UnsafeBufferPointer<Int16>) -> Result
    ) -> Result {
        samples.removeAll(keepingCapacity: true)
        var start = 0
        while start < whole.count {
            let count = min(Self.piece, whole.count - start)
            for index in 0..<count { input[index] = Float(whole[start + index]) }
            let made = resampler.process(input, count: count, into: output)
            for index in 0..<made { samples.append(Int16(max(-32_768, min(32_767, output[index].rounded())))) }
            start += count
        }
        return samples.withUnsafeBufferPointer(body)
    }

    /// Forgets the past, as if silence had gone before.
    package func reset() { resampler.reset() }
}

/// Converts the sound of a service to the internal rate from any of the known rates, up to 48 kHz.
///
/// A converter is built once for each rate, so a service that changes its rate with each message costs no more than another.
/// Lives on the network thread.
package final class AnyRateConverter {
    private var converters: [Int: WireConverter] = [:]
    private var latest = AudioFormat.wireRate

    package init() {}

    package static func knows(_ rate: Int) -> Bool {
        rate <= AudioFormat.deviceRate && SampleRates.known.contains(rate)
    }

    /// Passes the output to `body`; it is valid during that call only. Sound beyond the longest message is cut off.
    /// - Returns: nil for a rate that is not known.
    package func convert<Result>(
        _ whole: UnsafeBufferPointer<Int16>,
        from rate: Int,
        _ body: (UnsafeBufferPointer<Int16>) -> Result
    ) -> Result? {
        guard Self.knows(rate) else { return nil }
        let sound = UnsafeBufferPointer(rebasing: whole.prefix(rate * AudioFormat.longestMessage))
        guard rate != AudioFormat.wireRate else { return body(sound) }
        let converter = converters[rate] ?? WireConverter(from: rate, to: AudioFormat.wireRate)
        converters[rate] = converter
        if latest != rate { converter.reset() }
        latest = rate
        return converter.convert(sound, body)
    }

    /// Forgets the past, as if silence had gone before.
    package func reset() { converters[latest]?.reset() }
}
