internal import CSpeexDSP
internal import VoiceBase

/// speexdsp's noise suppressor on the wire signal: 240 samples of 16 bits at 24 kHz a period, in place, one period late.
///
/// It estimates the noise in critical bands and attenuates each by the log-spectral amplitude rule of Y. Ephraim and D. Malah
/// (IEEE Transactions on Acoustics, Speech and Signal Processing 33, 1985). The WebRTC library has a suppressor as well, which
/// costs a talker more: docs/results/echo.md.
///
/// Owned by the audio thread; allocates in `init` only.
struct NoiseSuppressor: ~Copyable {
    private let state: OpaquePointer
    /// The samples of the last period, with their noise.
    private let previous: UnsafeMutablePointer<Int16>

    /// - Parameter most: the most that is taken off noise, in dB, above 0.
    init(most: Int) throws(EchoCancellerError) {
        let samples = AudioFormat.wirePeriodSamples
        guard let state = speex_preprocess_state_init(Int32(samples), Int32(AudioFormat.wireRate)) else {
            throw EchoCancellerError(description: "noise suppressor: speexdsp does not start (out of memory)")
        }
        self.state = state
        previous = .allocate(capacity: samples)
        previous.initialize(repeating: 0, count: samples)
        var level = -Int32(clamping: most)
        speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, &level)
    }

    deinit {
        speex_preprocess_state_destroy(state)
        previous.deallocate()
    }

    /// Suppresses the noise in `AudioFormat.wirePeriodSamples` samples.
    ///
    /// - Parameter isResting: only follows the noise, at a third of the cost, and delays the samples as they are. Suppression
    ///   continues with the next period without a seam.
    mutating func process(_ samples: UnsafeMutablePointer<Int16>, isResting: Bool) {
        let count = AudioFormat.wirePeriodSamples
        guard isResting else {
            previous.update(from: samples, count: count)
            speex_preprocess_run(state, samples)
            return
        }
        speex_preprocess_estimate_update(state, samples)
        for index in 0..<count { swap(&samples[index], &previous[index]) }
    }
}

extension EchoCancellerOptions.NoiseSuppression {
    /// The most that is taken off noise, in dB; nil for no suppression.
    var decibels: Int? {
        switch self {
        case .off: nil
        case .low: 9
        case .moderate: 15
        case .high: 20
        case .veryHigh: 30
        }
    }
}
