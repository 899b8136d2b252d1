internal import VoiceBase
internal import VoiceConfiguration

/// Which channel of a card the mono signal is taken from.
package enum ChannelSelection: Sendable, Equatable {
    /// The mean of all channels.
    case average
    /// One channel, counted from 0.
    case channel(Int)
}

/// Where sound comes from and goes to.
package enum AudioSource: Sendable {
    /// ALSA names: "default", a PCM ("hw:CARD=PCH,DEV=0"), a card id, or a part of a name that fits one device only.
    case alsa(capture: String, playback: String)
    /// Files in place of a card, at the speed of a clock.
    case file(FileRoom)
}

/// Settings of the audio thread.
package struct AudioConfiguration: Sendable {
    package var source: AudioSource
    /// What is wanted of the microphone's channels and of who cancels the echo.
    package var capture = CaptureWishes()
    /// The devices whose channels are known.
    package var knownDevices = KnownDevices.builtIn
    /// The only rate at which to open the microphone, in Hz, and the loudspeaker; nil: the best that the card has.
    package var captureRate: Int?
    package var playbackRate: Int?
    /// Playback buffer in periods of 10 ms, 3 ... 16; one less is filled at the start.
    package var bufferPeriods: Int
    package var echoCanceller: EchoCancellerOptions
    package var duplex: DuplexSetting
    /// Applied to everything played, in dB, -60 ... 20.
    package var outputGainDecibels: Double
    /// No sample is played above it, in dBFS, -20 ... 0.
    package var limiterCeilingDecibels = -1.0
    /// On the microphone, before the echo canceller, in dB, -20 ... 30.
    package var captureGainDecibels = 0.0
    /// Whether speech is brought to one level, after the echo canceller.
    package var automaticGain = false
    package var earcons: EarconSet
    /// SCHED_FIFO priority, 0 = usual scheduling.
    package var realtimePriority: Int
    /// Whether to keep the whole program in memory (mlockall).
    package var lockMemory: Bool

    package init(
        source: AudioSource = .alsa(capture: "default", playback: "default"),
        bufferPeriods: Int = 4,
        echoCanceller: EchoCancellerOptions = EchoCancellerOptions(),
        duplex: DuplexSetting = .auto,
        outputGainDecibels: Double = 0,
        earcons: Bool = true,
        realtimePriority: Int = 40,
        lockMemory: Bool = false
    ) {
        self.source = source
        self.bufferPeriods = min(16, max(3, bufferPeriods))
        self.echoCanceller = echoCanceller
        self.duplex = duplex
        self.outputGainDecibels = min(20, max(-60, outputGainDecibels))
        self.earcons = earcons ? .all : .none
        self.realtimePriority = realtimePriority
        self.lockMemory = lockMemory
    }
}

/// What the engine itself needs to know.
struct AudioEngineSettings: Sendable {
    var echoCanceller = EchoCancellerOptions()
    var duplex = DuplexSetting.auto
    /// Linear.
    var outputGain: Float = 1
    var limiterCeiling: Float = 0.891_25
    var captureGain: Float = 1
    var automaticGain = false
    var earcons = EarconSet.all
}
