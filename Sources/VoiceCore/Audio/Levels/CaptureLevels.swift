internal import CDSP
internal import Synchronization

/// Everything about level between the microphone and the wire: meter, clipping, gain before the canceller and, if wanted,
/// the slow gain control after it.
///
/// The canceller learns the path from the loudspeaker to the microphone, and a gain is part of that path: the one before
/// it stands still unless a person changes it. What follows speech comes after it.
struct CaptureLevels: ~Copyable {
    private let configuredGain: Float
    private let isAutomatic: Bool
    private var ramp = GainRamp()
    private var hold = PeakHold()
    private var detector = ClippingDetector()
    private var leveller = SpeechLeveller()

    /// Whether the last period held samples at full scale.
    private(set) var isClipped = false

    init(gain: Float, isAutomatic: Bool) {
        configuredGain = gain
        self.isAutomatic = isAutomatic
    }

    /// Measures the raw microphone, publishes that, and applies the capture gain in place.
    mutating func take(_ frames: UnsafeMutablePointer<Float>, count: Int, isPlaying: Bool, pipes: AudioPipes) {
        let measured = LevelMeter.measure(frames, count: count)
        hold.note(measured.peak)
        pipes.microphonePeak.store(measured.peak, ordering: .relaxed)
        pipes.microphoneLevel.store(measured.level, ordering: .relaxed)
        pipes.microphonePeakHold.store(hold.value, ordering: .relaxed)

        isClipped = cdsp_peak(frames, count) >= ClippingDetector.fullScale
        let gain = pipes.volumes.captureGain(configured: configuredGain)
        ramp.apply(gain, to: frames, count: count)
        if gain > 1, cdsp_peak(frames, count) > 1 {
            isClipped = true
            for index in 0..<count { frames[index] = max(-1, min(1, frames[index])) }
        }
        detector.note(isFullScale: isClipped)
        if isClipped {
            pipes.clippedPeriods.wrappingAdd(1, ordering: .relaxed)
            if isPlaying { pipes.clippedWhilePlaying.wrappingAdd(1, ordering: .relaxed) }
        }
        pipes.microphoneClips.store(detector.isClipping, ordering: .relaxed)
    }

    /// Brings speech to one level, in place, if that is switched on.
    mutating func level(_ samples: UnsafeMutablePointer<Int16>, count: Int, isPlaying: Bool, pipes: AudioPipes) {
        guard isAutomatic else { return }
        leveller.process(samples, count: count, isPlaying: isPlaying)
        pipes.automaticGain.store(Int((leveller.gain * 10).rounded()), ordering: .relaxed)
    }
}
