extension ConfigurationSchema {
    /// When a conversation begins and ends.
    static let activation: [ConfigurationKey] = [
        .choice(
            "activation.mode",
            \.activation.mode,
            "What opens a conversation: nothing, it is always open (always), a word recognised on this machine (wake), or "
                + "SIGUSR2, a button or a command (push). In wake and push mode no sound leaves the machine before."
        ),
        .integer(
            "activation.pre_roll_ms",
            \.activation.preRollMS,
            0...5000,
            "Sound from before the activation that is sent first, in milliseconds, so that no first word is lost."
        ),
        .integer(
            "activation.follow_up_s",
            \.activation.followUpS,
            1...120,
            "Seconds for which it listens after being called, and after an answer, before it closes the conversation."
        ),
        .integer(
            "activation.turn_limit_s",
            \.activation.turnLimitS,
            5...600,
            "A user's turn of so many seconds is a television: the conversation is closed."
        ),
        .flag("activation.one_shot", \.activation.oneShot, "Closes the conversation after the first answer."),
        .flag(
            "activation.warm_standby",
            \.activation.warmStandby,
            "wake and push: keeps a session of the voice service open between conversations, so that the next begins at "
                + "once. No sound is sent in it, but it is an open session; muting closes it."
        ),
        .choice(
            "activation.engine",
            \.activation.engine,
            "What recognises words on this machine: microWakeWord models (tflite; \"jarvis-voiced wake install\" gets them), "
                + "pocketsphinx (packages libpocketsphinx3 and pocketsphinx-en-us), a Wyoming server such as "
                + "wyoming-openwakeword, or sherpa-onnx (its library and a model of one's own). auto: tflite where its files "
                + "are there, else off."
        ),
        .text(
            "activation.wake_words",
            \.activation.wakeWords,
            "Words that open a conversation, with commas between them; each may have a threshold of its own: "
                + "\"jarvis, hello computer:-25\". tflite and a Wyoming server take the names of their models; the "
                + "threshold of a tflite word is a probability: \"hey jarvis:0.9\"."
        ),
        .text(
            "activation.stop_words",
            \.activation.stopWords,
            mayBeEmpty: true,
            "Words that silence it, recognised on this machine while a conversation is open or media plays: by the engine "
                + "where it has a model of them, else by pocketsphinx, if it is installed."
        ),
        .number(
            "activation.threshold",
            \.activation.threshold,
            -60...0,
            "pocketsphinx: how sure it must be, as a power of ten. Nearer to 0 misses more, further away hears more that "
                + "was not said."
        ),
        .number(
            "activation.playing_margin",
            \.activation.playingMargin,
            0...30,
            "pocketsphinx: so much more is asked of a word while the box itself sounds."
        ),
        .integer(
            "activation.refractory_ms",
            \.activation.refractoryMS,
            0...10_000,
            "Milliseconds for which a recognised word is not recognised again."
        ),
        .file(
            "activation.sphinx_model",
            \.activation.sphinxModel,
            "Folder with the model and the dictionary of pocketsphinx."
        ),
        .text(
            "activation.sherpa_library",
            \.activation.sherpaLibrary,
            "sherpa-onnx: its C library, version 1.12.12 to 2.0: a path, or a name that the system looks for."
        ),
        .file(
            "activation.sherpa_model",
            \.activation.sherpaModel,
            "sherpa-onnx: folder of a streaming keyword model (encoder, decoder, joiner, tokens.txt) and keywords.txt, in "
                + "which every wake word has to be."
        ),
        .file(
            "activation.wake_models",
            \.activation.wakeModels,
            "tflite: folder of the models (NAME.json with NAME.tflite) and of libtensorflowlite_c.so. Empty: where "
                + "\"jarvis-voiced wake install\" puts them, \"wake\" in the state folder."
        ),
        .text("activation.wyoming_address", \.activation.wyomingAddress, "Host and port of the Wyoming server."),
        .text(
            "activation.quiet_hours",
            \.activation.quietHours,
            mayBeEmpty: true,
            "Hours without chimes and announcements and with a lower volume, local time, for instance \"22:00-07:00\". Empty: none."
        ),
        .integer(
            "activation.quiet_volume",
            \.activation.quietVolume,
            0...100,
            "Highest volume in quiet hours, in percent."
        ),
        .flag(
            "activation.voice_gate",
            \.activation.voiceGate,
            "always: sends sound only while somebody speaks, as far as this machine can tell."
        ),
        .file(
            "activation.state_command",
            \.activation.stateCommand,
            "Program that is run when the state changes, with JARVIS_PHASE, JARVIS_STATE, JARVIS_MODE and JARVIS_MUTED in "
                + "its environment. Empty: none."
        ),
        .text(
            "activation.led",
            \.activation.led,
            mayBeEmpty: true,
            "Light under /sys/class/leds that shows the phase: off when idle, full while it listens, dim while it answers."
        ),
        .file(
            "activation.buttons",
            \.activation.buttons,
            "Input device with keys, for instance /dev/input/by-id/...-event-kbd: mute key, play key (call), stop key. "
                + "Empty: none."
        ),
    ]
}
