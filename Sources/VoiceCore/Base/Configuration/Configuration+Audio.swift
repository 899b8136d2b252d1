extension Configuration {
    /// Sound cards and the signal path to and from them.
    package struct Audio: ConfigurationSection {
        package static let name = "audio"
        package static let documentation = "Sound cards. `jarvis-voiced devices` lists the names."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Audio {
    package struct Keys: Sendable {
        package let input = Setting(
            "audio.input", "default", "ALSA name of the microphone, for instance \"hw:CARD=Device,DEV=0\"."
        )
        package let output = Setting("audio.output", "default", "ALSA name of the loudspeaker.")
        package let inputChannel = Setting(
            "audio.input_channel",
            0,
            0...32,
            "Microphone channel, counted from 1. 0: by audio.input_channels or the table of known devices; "
                + "otherwise the mean of two channels, or the first of more."
        )
        package let inputChannels = Setting(
            "audio.input_channels",
            "",
            as: .text(mayBeEmpty: true),
            "What each microphone channel carries, separated by commas: processed (after the device's own "
                + "echo canceller), raw (a bare microphone), reference (what the loudspeaker plays), silent. "
                + "Empty: as in devices.toml."
        )
        package let inputRate = Setting(
            "audio.input_rate", 0, oneOf: [0] + SampleRates.known,
            "Sample rate of the microphone, in Hz. 0: the best one."
        )
        package let outputRate = Setting(
            "audio.output_rate", 0, oneOf: [0] + SampleRates.known,
            "Sample rate of the loudspeaker, in Hz. 0: the best one."
        )
        package let outputBufferMS = Setting(
            "audio.output_buffer_ms",
            40,
            30...160,
            multipleOf: 10,
            "Milliseconds of audio in the loudspeaker's buffer: more for a busy machine, less for lower "
                + "latency."
        )
        package let masterVolume = Setting(
            "audio.master_volume",
            100,
            0...100,
            isLive: true,
            "Main volume in percent (50 is -18 dB). This and the next four can be changed at run time and "
                + "are remembered; an edit here overrides that."
        )
        package let voiceVolume = Setting(
            "audio.voice_volume", 100, 0...100, isLive: true, "Volume of speech in percent."
        )
        /// Media is mastered louder than speech: at 70 % (-9.3 dB) both sound equally loud.
        package let mediaVolume = Setting(
            "audio.media_volume", 70, 0...100, isLive: true, "Volume of music, radio and podcasts in percent."
        )
        package let inputsVolume = Setting(
            "audio.inputs_volume", 70, 0...100, isLive: true, "Volume of the programs of media.inputs in percent."
        )
        package let earconVolume = Setting(
            "audio.earcon_volume", 100, 0...100, isLive: true,
            "Volume of the earcons (short sounds, for instance when something failed) in percent. 0: none."
        )
        package let mixer = Setting(
            "audio.mixer",
            "",
            as: .text(mayBeEmpty: true),
            "Element of the card's own mixer that sets the master volume: \"Speaker\" or \"hw:CARD/Speaker\". "
                + "Empty: set in software."
        )
        package let captureGainDB = Setting(
            "audio.capture_gain_db",
            0.0,
            -20...30,
            isLive: true,
            "Gain on the microphone, in decibels. Speech should peak between -30 and -6 dBFS in "
                + "`jarvis-voiced meter`."
        )
        package let agc = Setting(
            "audio.agc", false, "Automatic gain control: slowly evens out quiet and loud talkers, by up to 12 dB."
        )
        package let realtimePriority = Setting(
            "audio.realtime_priority", 20, 0...89, "SCHED_FIFO priority of the audio thread. 0: no real-time priority."
        )
        package let lockMemory = Setting(
            "audio.lock_memory", true,
            "Locks the program in memory, so that audio does not break up when the machine swaps."
        )
    }
}
