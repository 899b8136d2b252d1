internal import Glibc
package import VoiceBase

/// The channel of a card from which the mono signal is taken.
package enum ChannelSelection: Sendable, Equatable {
    /// The mean of all channels.
    case average
    /// One channel, counted from 0.
    case channel(Int)
}

/// Source and destination of the sound.
package enum AudioSource: Sendable {
    /// ALSA names: "default", a PCM ("hw:CARD=PCH,DEV=0"), a card id, or part of a name that matches exactly one device.
    case alsa(capture: String, playback: String)
    /// Files instead of a card, paced by the system clock.
    case file(FileRoom)
}

/// Settings of the audio thread.
package struct AudioConfiguration: Sendable {
    package var source: AudioSource
    /// Requested microphone channels and echo canceller (card or software).
    package var capture = CaptureWishes()
    /// Devices with a known channel layout.
    package var knownDevices = KnownDevices.builtIn
    /// The only rate in Hz at which to open the microphone or the loudspeaker; nil for the best that the card offers.
    package var captureRate: Int?
    package var playbackRate: Int?
    /// Playback buffer in periods of 10 ms, 3 ... 16; all but one are filled at the start.
    package var bufferPeriods: Int
    package var echoCanceller: EchoCancellerOptions
    package var duplex: DuplexSetting
    /// Microphone gain before the echo canceller, in dB, -20 ... 30.
    package var captureGainDecibels: Double
    /// Whether speech is levelled after the echo canceller.
    package var automaticGain: Bool
    package var earcons: Bool
    /// SCHED_FIFO priority; 0 for normal scheduling.
    package var realtimePriority: Int
    /// Whether to lock the whole process in memory (`mlockall`).
    package var lockMemory: Bool

    package init(_ audio: Configuration.Audio = .init(), echo: Configuration.Echo = .init()) {
        source = .alsa(capture: audio.input, playback: audio.output)
        capture.channel = audio.inputChannel == 0 ? nil : audio.inputChannel - 1
        // An invalid map is reported by the reader of the configuration.
        capture.map = try? ChannelMap(parsing: audio.inputChannels)
        capture.worker = echo.mode.worker
        capture.cancels = echo.cancels
        captureRate = audio.inputRate == 0 ? nil : audio.inputRate
        playbackRate = audio.outputRate == 0 ? nil : audio.outputRate
        bufferPeriods = min(16, max(3, audio.outputBufferMS / 10))
        echoCanceller = EchoCancellerOptions(echo)
        duplex = echo.duplex
        captureGainDecibels = audio.captureGainDB
        automaticGain = audio.agc
        earcons = true
        realtimePriority = audio.realtimePriority
        lockMemory = audio.lockMemory
    }

    /// `captureGainDecibels` as a factor.
    var captureGain: Float { powf(10, Float(min(30, max(-20, captureGainDecibels))) / 20) }
}
