internal import CDSP

/// Everything about level between the microphone and the wire: meter, clipping, gain before the canceller and, if wanted,
/// the slow gain control after it.
///
/// The canceller learns the path from the loudspeaker to the microphone, and a gain is part of that path: the one before
/// it stands still unless a person changes it. What follows speech comes after it.
struct CaptureLevels: ~Copyable {
    private let configuredGain: Float
    private let isAutomatic: Bool
    private let volumes: VolumeControls
    private var ramp = GainRamp()
    private var hold = PeakHold()
    private var detector = ClippingDetector()
    private var leveller = SpeechLeveller()

    /// Whether the last period held samples at full scale.
    private(set) var isClipped = false
    /// What the last period came to.
    private(set) var reading: CaptureReading

    /// - Parameter reading: whose counters go on here.
    init(gain: Float, isAutomatic: Bool, volumes: VolumeControls, resuming reading: CaptureReading = .init()) {
        configuredGain = gain
        self.isAutomatic = isAutomatic
        self.volumes = volumes
        self.reading = reading
    }

    /// Measures the raw microphone and applies the capture gain in place.
    mutating func take(_ frames: UnsafeMutablePointer<Float>, count: Int, isPlaying: Bool) {
        let measured = LevelMeter.measure(frames, count: count)
        hold.note(measured.peak)
        (reading.peak, reading.level, reading.heldPeak) = (measured.peak, measured.level, hold.value)

        isClipped = cdsp_peak(frames, count) >= ClippingDetector.fullScale
        let gain = volumes.captureGain(configured: configuredGain)
        ramp.apply(gain, to: frames, count: count)
        if gain > 1, cdsp_peak(frames, count) > 1 {
            isClipped = true
            for index in 0..<count { frames[index] = max(-1, min(1, frames[index])) }
        }
        detector.note(isFullScale: isClipped)
        if isClipped {
            reading.clippedPeriods += 1
            if isPlaying { reading.clippedWhilePlaying += 1 }
        }
        reading.isClipping = detector.isClipping
    }

    /// Brings speech to one level, in place, if that is switched on.
    mutating func level(_ samples: UnsafeMutablePointer<Int16>, count: Int, isPlaying: Bool) {
        guard isAutomatic else { return }
        leveller.process(samples, count: count, isPlaying: isPlaying)
    }
}
