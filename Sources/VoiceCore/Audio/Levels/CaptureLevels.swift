internal import CDSP
internal import Glibc

/// Level handling between the microphone and the wire: meter, clipping, gain before the canceller and, if configured, slow
/// gain control after it.
///
/// The canceller learns the path from loudspeaker to microphone, and any gain before it is part of that path. That gain
/// therefore stays constant unless a person changes it; the gain that follows speech comes after the canceller.
struct CaptureLevels: ~Copyable {
    private let configuredGain: Float
    private let isAutomatic: Bool
    private let volumes: VolumeControls
    private var ramp = GainRamp()
    private var hold = PeakHold()
    private var detector = ClippingDetector()
    private var leveller = SpeechLeveller()

    /// Whether the last period clipped, at the microphone or through the capture gain.
    private(set) var isClipped = false
    /// Measurements of the last period and the counters so far.
    private(set) var reading: CaptureReading

    /// - Parameter reading: the reading whose counters continue here.
    init(gain: Float, isAutomatic: Bool, volumes: VolumeControls, resuming reading: CaptureReading = .init()) {
        configuredGain = gain
        self.isAutomatic = isAutomatic
        self.volumes = volumes
        self.reading = reading
    }

    /// Measures the raw microphone and applies the capture gain in place.
    mutating func measure(_ frames: UnsafeMutablePointer<Float>, count: Int, isPlaying: Bool) {
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

    /// Levels speech in place if automatic gain is on.
    mutating func level(_ samples: UnsafeMutablePointer<Int16>, count: Int, isPlaying: Bool) {
        guard isAutomatic else { return }
        leveller.process(samples, count: count, isPlaying: isPlaying)
    }
}

/// Level of the raw microphone in the newest period, and how often it clipped. Levels in tenths of dBFS: -960 (digital
/// silence) ... 0.
package struct CaptureReading: BitwiseCopyable, Sendable, Equatable {
    package var peak = LevelMeter.floor
    /// Mean power.
    package var level = LevelMeter.floor
    /// Peak with a hold for display: stays 1.5 s, then falls by 20 dB a second.
    package var heldPeak = LevelMeter.floor
    /// Whether the microphone clips repeatedly.
    package var isClipping = false
    /// Clipped periods since the program started; the next property counts those while the loudspeaker played.
    package var clippedPeriods: UInt64 = 0
    package var clippedWhilePlaying: UInt64 = 0
}

/// A peak hold for display: stays 1.5 s, then falls by 20 dB a second.
struct PeakHold: Sendable, Equatable {
    private static let stay = 150
    /// Tenths of a decibel per period of 10 ms.
    private static let fall = 2

    /// Tenths of dBFS.
    private(set) var value = LevelMeter.floor
    private var age = 0

    /// Takes the peak of one period, in tenths of dBFS.
    mutating func note(_ peak: Int) {
        age += 1
        if age > Self.stay { value = max(LevelMeter.floor, value - Self.fall) }
        if peak >= value { (value, age) = (peak, 0) }
    }
}

/// Distinguishes a microphone that clips from a single knock on it.
///
/// Uses a leaky count of periods with samples at full scale, with a time constant of 3 s. Clipping starts with five such
/// periods in a row, or with more than about two a second over a long time. It ends once the count has leaked below one half,
/// after about 7 s without any.
struct ClippingDetector: Sendable, Equatable {
    /// 16-bit full scale, less one step and rounding.
    static let fullScale: Float = 0.9998

    private static let leak: Float = 1 - 1 / 300
    private static let upper: Float = 5
    private static let lower: Float = 0.5

    private var count: Float = 0
    private(set) var isClipping = false

    /// Takes one period of 10 ms.
    mutating func note(isFullScale: Bool) {
        count = count * Self.leak + (isFullScale ? 1 : 0)
        // Bounds the time to forget after minutes of clipping.
        count = min(count, 2 * Self.upper)
        if count >= Self.upper - 0.1 { isClipping = true }
        if count < Self.lower { isClipping = false }
    }
}

/// Peak and level of a block of samples in tenths of dBFS.
enum LevelMeter {
    /// Digital silence and anything below.
    static let floor = -960

    static func measure(_ samples: UnsafePointer<Float>, count: Int) -> (peak: Int, level: Int) {
        (tenths(cdsp_peak(samples, count)), tenths(cdsp_rms(samples, count)))
    }

    /// dBFS of an amplitude, at least -120, as in `EchoReading`.
    static func decibels(_ amplitude: Float) -> Float {
        20 * log10f(max(amplitude, 1e-6))
    }

    static func tenths(_ amplitude: Float) -> Int {
        guard amplitude > 1.6e-5 else { return floor }
        return Int(max(Float(floor), min(0, 200 * log10f(amplitude))).rounded())
    }
}
