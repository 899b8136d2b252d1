internal import VoiceAudio

/// The features of sound at its own pace, or played faster or slower.
///
/// Played at another pace, a voice has another pitch and other formants: to a model it is another talker, whom it may know
/// better than the one who speaks. Belongs to one thread.
final class PacedFrontend {
    /// The paces at which a word is looked for: rates in Hz to which the sound is converted, to be heard as 16 kHz. Its own, and
    /// a twentieth faster and slower.
    static let rates = [16_000, 15_200, 16_800]

    private let frontend: MicroFrontend
    /// Nil at the sound's own pace.
    private var resampler: RationalResampler?
    private var played = [Float](repeating: 0, count: RationalResampler.block)
    private var given = [Float](repeating: 0, count: RationalResampler.block / 2)
    /// Samples that do not fill a step yet.
    private var rest: [Int16] = []

    /// - Parameter rate: one of `rates`.
    /// - Returns: nil if there is no memory.
    init?(rate: Int) {
        guard let frontend = MicroFrontend() else { return nil }
        self.frontend = frontend
        resampler = rate == Self.rates[0] ? nil : RationalResampler(from: Self.rates[0], to: rate)
    }

    /// Forgets the sound and the noise estimate.
    func reset() {
        frontend.reset()
        resampler?.reset()
        rest.removeAll(keepingCapacity: true)
    }

    /// - Parameters:
    ///   - samples: any number, at 16 kHz.
    ///   - use: is given each set of features, see `MicroFrontend.features`.
    func consume(
        _ samples: UnsafeBufferPointer<Int16>,
        _ use: (UnsafeBufferPointer<UInt16>) throws(WakeWordError) -> Void
    ) throws(WakeWordError) {
        append(samples)
        var start = 0
        while rest.count - start >= MicroFrontend.step {
            let features = rest.withUnsafeBufferPointer { rest in
                frontend.features(UnsafeBufferPointer(rebasing: rest[start..<start + MicroFrontend.step]))
            }
            if let features { try use(features) }
            start += MicroFrontend.step
        }
        rest.removeFirst(start)
    }

    private func append(_ samples: UnsafeBufferPointer<Int16>) {
        guard resampler != nil else {
            rest += samples
            return
        }
        var done = 0
        while done < samples.count {
            let count = min(given.count, samples.count - done)
            for index in 0..<count { given[index] = Float(samples[done + index]) }
            let made = resampler?.process(given, count: count, into: &played) ?? 0
            rest += played.prefix(made).map { Int16(clamping: Int($0.rounded())) }
            done += count
        }
    }
}
