internal import CDSP

/// The volumes and the limiter between the sound sources and the card.
///
///     voice --(voice volume)--+
///     media --(its volume)----+--(master)---------- limiter -- card and echo reference
///     earcon -(its volume)----+
///
/// Every gain, the limiter's included, acts on both channels alike, so the stereo image does not move. Owned by the audio
/// thread; the volumes come from `VolumeControls` and change in ramps of 20 ms.
struct OutputMix: ~Copyable {
    /// Frames by which `finish` delays the sound; every voice position has to include it.
    static let delay = Limiter.delay
    /// Highest sample of the output, linear: -1 dBFS.
    private static let ceiling: Float = 0.891_25
    /// Periods after the last sound during which the room may still reverberate: 0.5 s.
    private static let ring = 50

    private let volumes: VolumeControls
    private var voice = GainRamp()
    private var media = GainRamp()
    private var master = GainRamp()
    private var limiter: Limiter
    private var silentPeriods = Self.ring

    /// Whether the loudspeaker plays, or played within the last half second.
    var isAudible: Bool { silentPeriods < Self.ring }

    init(volumes: VolumeControls) {
        self.volumes = volumes
        limiter = Limiter(ceiling: Self.ceiling)
    }

    /// Applies the voice volume to a mono period that holds only voice.
    mutating func scaleVoice(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        voice.apply(volumes.gain(of: .voice), to: samples, count: count)
    }

    /// Applies the volume of media to a period that holds only media; that of other programs if one of them plays.
    mutating func scaleMedia(_ frames: UnsafeMutablePointer<StereoFrame>, count: Int, isInput: Bool = false) {
        media.apply(volumes.gain(of: isInput ? .inputs : .media), to: frames, count: count)
    }

    /// Applies master volume and limiter to the sum of everything.
    mutating func finish(_ frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        master.apply(volumes.gain(of: .master), to: frames, count: count)
        limiter.process(frames, count: count)
        // -60 dBFS: no microphone picks up anything below.
        silentPeriods = cdsp_peak(frames.samples, 2 * count) > 1e-3 ? 0 : min(Self.ring, silentPeriods + 1)
    }

    /// Drops the sound that the limiter holds back. Media resumes after it without a click.
    mutating func reset() {
        limiter.reset()
        media.fadeIn()
    }
}
