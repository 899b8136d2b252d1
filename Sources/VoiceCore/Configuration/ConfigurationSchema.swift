internal import VoiceBase

/// All keys of the configuration, each once, in the order of the sample file.
package enum ConfigurationSchema {
    /// Sections in the order of the sample file, each with the sentence above it.
    package static let sections: [(name: String, documentation: String)] = [
        ("audio", "Sound cards. `jarvis-voiced devices` lists the names."),
        ("echo", "Echo cancellation: keeps the daemon from hearing itself, so that it can be interrupted."),
        ("realtime", "The service that hears and speaks (OpenAI Realtime API or a compatible server)."),
        ("jarvis", "The agent that answers (term-llm serve)."),
        ("activation", "When a conversation begins and ends, and what is recognised on this machine."),
        (
            "budget",
            "How much may be spent. At 80 % a soft sound and a line in the log; at 100 % the conversation is closed after "
                + "the answer and stays so until the hour or day is over."
        ),
        ("media", "Music, radio and podcasts, played through the same loudspeaker."),
        ("log", "What is written to the journal."),
    ]

    package static let keys: [ConfigurationKey] =
        audio + echo + realtime + rotation + jarvis + activation + budget + media + log

    package static func key(_ path: String) -> ConfigurationKey? { byPath[path] }

    private static let byPath = Dictionary(keys.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    /// The key that was probably meant, or nil when none is near.
    package static func nearest(to path: String) -> String? {
        let name = path.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? path
        let near = EditDistance.nearest(to: path, in: keys.map(\.path), within: 3)
        return near ?? keys.first { $0.name == name }?.path
    }

    private static let audio: [ConfigurationKey] = [
        .text(
            "audio.input",
            \.audio.input,
            "ALSA name of the microphone, for instance \"hw:CARD=Device,DEV=0\"."
        ),
        .text("audio.output", \.audio.output, "ALSA name of the loudspeaker."),
        .integer(
            "audio.input_channel",
            \.audio.inputChannel,
            0...32,
            "Channel of the microphone to use, counted from 1; 0 chooses by audio.input_channels or the table of known devices, "
                + "else takes the mean of two channels and the first of more."
        ),
        .text(
            "audio.input_channels",
            \.audio.inputChannels,
            mayBeEmpty: true,
            "What each channel of the microphone carries, with commas between them: processed (the voice after the device's own "
                + "echo canceller), raw (a bare microphone), reference (what the loudspeaker plays), silent. "
                + "`jarvis-voiced devices --probe` prints the line. Empty: by the table of known devices (devices.toml)."
        ),
        .oneOf(
            "audio.input_rate",
            \.audio.inputRate,
            [0] + SampleRates.known,
            "Rate at which the microphone is opened, in Hz; 0 takes the best that it has. It is converted to 48 kHz here."
        ),
        .oneOf(
            "audio.output_rate",
            \.audio.outputRate,
            [0] + SampleRates.known,
            "The same for the loudspeaker."
        ),
        .integer(
            "audio.output_buffer_ms",
            \.audio.outputBufferMS,
            30...160,
            multipleOf: 10,
            "Sound kept in the loudspeaker's buffer, in milliseconds. More survives a busy machine, less is faster."
        ),
        .integer(
            "audio.start_buffer_ms",
            \.audio.startBufferMS,
            0...2000,
            multipleOf: 10,
            "Speech gathered before the first word is played, in milliseconds. More survives an uneven network."
        ),
        .number(
            "audio.output_gain_db",
            \.audio.outputGainDB,
            -60...20,
            "Gain on everything played, in decibels, beside the volumes: for a card that is too quiet or too loud."
        ),
        .integer(
            "audio.master_volume",
            \.audio.masterVolume,
            0...100,
            "Volume of everything in percent (50 is -18 dB). Changes made while it runs are remembered, also for the "
                + "next three; a value edited here counts again."
        ),
        .integer("audio.voice_volume", \.audio.voiceVolume, 0...100, "Volume of speech in percent."),
        .integer("audio.media_volume", \.audio.mediaVolume, 0...100, "Volume of music and radio in percent."),
        .integer("audio.earcon_volume", \.audio.earconVolume, 0...100, "Volume of the short soft sounds in percent."),
        .number(
            "audio.limiter_ceiling_db",
            \.audio.limiterCeilingDB,
            -20...0,
            "No sample is played above this, in dBFS. Lower protects a small loudspeaker from distortion."
        ),
        .text(
            "audio.mixer",
            \.audio.mixer,
            mayBeEmpty: true,
            "Element of the card's own mixer that sets the master volume, \"Speaker\" or \"hw:CARD/Speaker\". "
                + "Empty: the volume is set in software."
        ),
        .number(
            "audio.capture_gain_db",
            \.audio.captureGainDB,
            -20...30,
            "Gain on the microphone, in decibels. `jarvis-voiced meter` shows the level: speech should peak between "
                + "-30 and -6."
        ),
        .text(
            "audio.capture_mixer",
            \.audio.captureMixer,
            mayBeEmpty: true,
            "Element of the card's own mixer that is set to audio.capture_volume at the start. Empty: left as it is."
        ),
        .integer("audio.capture_volume", \.audio.captureVolume, 0...100, "Level for audio.capture_mixer in percent."),
        .flag(
            "audio.agc",
            \.audio.agc,
            "Slowly brings quiet and loud speakers to one level, by 12 dB at most, after the echo canceller."
        ),
        .integer(
            "audio.realtime_priority",
            \.audio.realtimePriority,
            0...89,
            "SCHED_FIFO priority of the audio thread; 0 runs it like any other."
        ),
        .flag(
            "audio.lock_memory",
            \.audio.lockMemory,
            "Keeps the program in memory, so that sound does not break up when the machine swaps."
        ),
        .flag("audio.earcons", \.audio.earcons, "Short soft sounds: Jarvis is at work, something has failed."),
        .text(
            "audio.earcons_off",
            \.audio.earconsOff,
            mayBeEmpty: true,
            "Sounds to leave out, with commas between them: woken, listening, thinking, goodbye, error, muted."
        ),
        .file(
            "audio.earcon_folder",
            \.audio.earconFolder,
            "Folder with sounds to play instead, woken.wav and so on: WAV, mono, 48 kHz, 16 bit, a second at most. "
                + "Empty: the built-in ones."
        ),
    ]

    private static let echo: [ConfigurationKey] = [
        .flag(
            "echo.enabled",
            \.echo.enabled,
            "Echo canceller. false comes before echo.mode: nothing is cancelled here. For headphones; for a microphone that "
                + "cancels its own echo rather set echo.mode."
        ),
        .choice(
            "echo.mode",
            \.echo.mode,
            "Who cancels the echo: the device itself (hardware: ours is bypassed, the gate reads what is left), ours (software), "
                + "ours behind the device's (both), or what echo-test measured, else what is known of the device (auto)."
        ),
        .choice(
            "echo.duplex",
            \.echo.duplex,
            "Whether it can be interrupted: as well as what is left of the echo allows (auto), always and without a gate (full: "
                + "headphones), or never (half: the microphone is off while it speaks)."
        ),
        .choice("echo.suppression", \.echo.suppression, "How hard the echo that is left over is pressed down."),
        .choice("echo.noise_suppression", \.echo.noiseSuppression, "How hard steady noise is pressed down."),
        .flag("echo.high_pass", \.echo.highPass, "Removes rumble below the voice."),
        .flag(
            "echo.gain_control",
            \.echo.gainControl,
            "The library's own gain control. It disturbs the echo canceller: prefer audio.agc."
        ),
    ]

    private static let realtime: [ConfigurationKey] = [
        .url(
            "realtime.url",
            \.realtime.url,
            schemes: ["wss", "ws"],
            "Address of the service. Plain ws:// is for a server on this machine or in this network."
        ),
        .flag(
            "realtime.allow_plain_http",
            \.realtime.allowPlainHTTP,
            "Speaks ws:// with any address. Without it only with those of the own network; anybody on the way can read the "
                + "key and listen."
        ),
        .choice(
            "realtime.dialect",
            \.realtime.dialect,
            "What kind of service it is. \"auto\" knows OpenAI, Azure and xAI by their hosts and takes others for OpenAI."
        ),
        .text(
            "realtime.model",
            \.realtime.model,
            "Model that hears and speaks. \"gpt-realtime-2.1-mini\" costs a quarter to a third."
        ),
        .choice(
            "realtime.reasoning_effort",
            \.realtime.reasoningEffort,
            "How much the model thinks before it speaks. auto: as little as it can, since Jarvis does the thinking; off: "
                + "not sent, for models and servers that do not know it."
        ),
        .text("realtime.voice", \.realtime.voice, "Voice of the answers."),
        .file(
            "realtime.api_key_file",
            \.realtime.apiKeyFile,
            "File that holds the API key. Empty: the systemd credential \"openai-api-key\", else $OPENAI_API_KEY."
        ),
        .file(
            "realtime.ca_file",
            \.realtime.caFile,
            "Certificates to trust instead of the system's, in PEM. Empty: the system's."
        ),
        .choice(
            "realtime.turn_detection",
            \.realtime.turnDetection,
            "How the end of a turn is found: by what was said (semantic_vad) or by silence (server_vad)."
        ),
        .choice("realtime.eagerness", \.realtime.eagerness, "semantic_vad: how soon a turn is taken to be over."),
        .integer(
            "realtime.silence_ms",
            \.realtime.silenceMS,
            200...5000,
            "server_vad: silence that ends a turn, in milliseconds."
        ),
        .number(
            "realtime.threshold",
            \.realtime.threshold,
            0...1,
            "server_vad: how sure it must be that it hears a voice."
        ),
        .choice(
            "realtime.noise_reduction",
            \.realtime.noiseReduction,
            "Noise reduction of the service, by the place of the microphone."
        ),
        .integer(
            "realtime.chunk_ms",
            \.realtime.chunkMS,
            10...100,
            multipleOf: 10,
            "Length of the pieces of sound that are sent, in milliseconds."
        ),
        .file(
            "realtime.instructions_file",
            \.realtime.instructionsFile,
            "Text that tells the model how to behave. Empty: the built-in persona."
        ),
        .text(
            "realtime.language",
            \.realtime.language,
            mayBeEmpty: true,
            "Language to expect and to speak, for instance \"en\" or \"de\". Empty: that of the speaker."
        ),
        .flag(
            "realtime.transcription",
            \.realtime.transcription,
            "Asks the service for the text of what was said. Costs extra."
        ),
        .text("realtime.transcription_model", \.realtime.transcriptionModel, "Model that writes these texts."),
        .integer(
            "realtime.max_output_tokens",
            \.realtime.maxOutputTokens,
            1...4096,
            "Upper bound for one spoken answer."
        ),
        .number("realtime.speed", \.realtime.speed, 0.25...1.5, "Speed of the voice; 1.0 is its own."),
        .integer(
            "realtime.connect_timeout_s",
            \.realtime.connectTimeoutS,
            1...120,
            "Seconds to wait for the connection, and as long again for the service's first event."
        ),
        .integer(
            "realtime.dead_peer_s",
            \.realtime.deadPeerS,
            3...120,
            "Seconds without a sign of life after which a connection is dead. More for a server that stops to think."
        ),
    ]

    private static let log: [ConfigurationKey] = [
        .choice("log.level", \.log.level, "The least important lines that are still written."),
        .flag(
            "log.transcripts",
            \.log.transcripts,
            "Writes what was said and answered to the journal. Off, nothing of a conversation is kept."
        ),
    ]
}
