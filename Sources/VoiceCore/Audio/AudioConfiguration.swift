internal import Glibc
internal import VoiceBase
package import VoiceConfiguration

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
    package var limiterCeilingDecibels: Double
    /// On the microphone, before the echo canceller, in dB, -20 ... 30.
    package var captureGainDecibels: Double
    /// Whether speech is brought to one level, after the echo canceller.
    package var automaticGain: Bool
    package var earcons: EarconSet
    /// SCHED_FIFO priority, 0 = usual scheduling.
    package var realtimePriority: Int
    /// Whether to keep the whole program in memory (mlockall).
    package var lockMemory: Bool

    package init(_ audio: Configuration.Audio = .init(), echo: Configuration.Echo = .init()) {
        source = .alsa(capture: audio.input, playback: audio.output)
        capture.channel = audio.inputChannel == 0 ? nil : audio.inputChannel - 1
        // One that is wrong is reported by whoever reads the configuration.
        capture.map = try? ChannelMap(parsing: audio.inputChannels)
        capture.worker = echo.mode.choice
        capture.cancels = echo.enabled
        captureRate = audio.inputRate == 0 ? nil : audio.inputRate
        playbackRate = audio.outputRate == 0 ? nil : audio.outputRate
        bufferPeriods = min(16, max(3, audio.outputBufferMS / 10))
        echoCanceller = EchoCancellerOptions(echo)
        duplex = echo.duplex
        outputGainDecibels = min(20, max(-60, audio.outputGainDB))
        limiterCeilingDecibels = audio.limiterCeilingDB
        captureGainDecibels = audio.captureGainDB
        automaticGain = audio.agc
        earcons = audio.earcons ? .all : .none
        realtimePriority = audio.realtimePriority
        lockMemory = audio.lockMemory
    }
}

/// What the engine itself needs to know.
struct AudioEngineSettings: Sendable {
    var echoCanceller: EchoCancellerOptions
    var duplex: DuplexSetting
    /// Linear.
    var outputGain: Float
    var limiterCeiling: Float
    var captureGain: Float
    var automaticGain: Bool
    var earcons: EarconSet

    init(_ configuration: AudioConfiguration = AudioConfiguration()) {
        echoCanceller = configuration.echoCanceller
        duplex = configuration.duplex
        outputGain = powf(10, Float(configuration.outputGainDecibels) / 20)
        limiterCeiling = powf(10, Float(min(0, max(-20, configuration.limiterCeilingDecibels))) / 20)
        captureGain = powf(10, Float(min(30, max(-20, configuration.captureGainDecibels))) / 20)
        automaticGain = configuration.automaticGain
        earcons = configuration.earcons
    }
}
