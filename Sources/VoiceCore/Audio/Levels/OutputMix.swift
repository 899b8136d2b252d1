internal import CDSP

/// The volumes and the limiter between the sources of sound and the card.
///
///     voice --(voice volume)--+
///     media --(media volume)--+--(master, output gain)-- limiter -- card and echo reference
///     earcon -(its volume)----+
///
/// Every gain acts on both channels alike, the limiter too: nothing moves to a side.
/// Owned by the audio thread; the volumes come from `VolumeControls` and change in ramps of 20 ms.
struct OutputMix: ~Copyable {
    /// Frames by which `finish` delays the sound: belongs into every voice position.
    static let delay = Limiter.delay
    /// For so many periods after the last sound the room may still ring: 0.5 s.
    private static let ring = 50

    private let trim: Float
    private let volumes: VolumeControls
    private var voice = GainRamp()
    private var media = GainRamp()
    private var master = GainRamp()
    private var limiter: Limiter
    private var silentPeriods = Self.ring

    /// Whether the loudspeaker plays, or played within the last half second.
    var isAudible: Bool { silentPeriods < Self.ring }

    /// - Parameters:
    ///   - trim: linear gain on everything, beside the volumes.
    ///   - ceiling: of the limiter, linear.
    init(trim: Float, ceiling: Float, volumes: VolumeControls) {
        self.trim = trim
        self.volumes = volumes
        limiter = Limiter(ceiling: ceiling)
    }

    /// Puts the volume of the voice onto a period of nothing but voice, one channel of it.
    mutating func scaleVoice(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        voice.apply(volumes.gain(of: .voice), to: samples, count: count)
    }

    /// Puts the volume of media onto a period of nothing but media.
    mutating func scaleMedia(_ frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        media.apply(volumes.gain(of: .media), to: frames, count: count)
    }

    /// Master volume and limiter, on the sum of everything.
    mutating func finish(_ frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        master.apply(volumes.gain(of: .master) * trim, to: frames, count: count)
        limiter.process(frames, count: count)
        // -60 dBFS: what is below that, no microphone hears.
        silentPeriods = cdsp_peak(frames.samples, 2 * count) > 1e-3 ? 0 : min(Self.ring, silentPeriods + 1)
    }

    /// Drops the sound that the limiter holds back. Media goes on behind it without a click.
    mutating func reset() {
        limiter.reset()
        media.fadeIn()
    }
}
