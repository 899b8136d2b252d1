extension Configuration {
    /// When a conversation begins and ends.
    package struct Activation: ConfigurationSection {
        package static let name = "activation"
        package static let documentation =
            "When a conversation begins and ends, and what is recognised on this machine."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Activation {
    package struct Keys: Sendable {
        package let mode = Setting(
            "activation.mode",
            Mode.always,
            "What opens a conversation: nothing, it is always open (always), a word recognised on this machine (wake), or "
                + "SIGUSR2, a button or a command (push). In wake and push mode no sound leaves the machine before."
        )
        package let preRollMS = Setting(
            "activation.pre_roll_ms",
            1500,
            0...5000,
            "Sound from before the activation that is sent first, in milliseconds, so that no first word is lost."
        )
        package let followUpS = Setting(
            "activation.follow_up_s",
            8,
            1...120,
            "Seconds for which it listens after being called, and after an answer, before it closes the conversation."
        )
        package let turnLimitS = Setting(
            "activation.turn_limit_s",
            60,
            5...600,
            "A user's turn of so many seconds is a television: the conversation is closed."
        )
        package let oneShot = Setting("activation.one_shot", false, "Closes the conversation after the first answer.")
        package let warmStandby = Setting(
            "activation.warm_standby",
            false,
            "wake and push: keeps a session of the voice service open between conversations, so that the next begins at "
                + "once. No sound is sent in it, but it is an open session; muting closes it."
        )
        package let greeting = Setting(
            "activation.greeting",
            "",
            as: .text(mayBeEmpty: true),
            "What is said when a conversation opens and nobody has asked anything yet: a sentence, or \"agent\" for what the "
                + "agent says to that. Empty: nothing."
        )
        package let engine = Setting(
            "activation.engine",
            Engine.auto,
            "What recognises words on this machine: microWakeWord models (tflite; \"jarvis-voiced wake install\" gets them), "
                + "pocketsphinx (packages libpocketsphinx3 and pocketsphinx-en-us), a Wyoming server such as "
                + "wyoming-openwakeword, or sherpa-onnx (its library and a model of one's own). auto: tflite where its files "
                + "are there, else off."
        )
        package let wakeWords = Setting(
            "activation.wake_words",
            "hey jarvis",
            "Words that open a conversation, with commas between them; each may have a threshold of its own: "
                + "\"jarvis, hello computer:-25\". tflite and a Wyoming server take the names of their models; the "
                + "threshold of a tflite word is a probability: \"hey jarvis:0.9\"."
        )
        package let stopWords = Setting(
            "activation.stop_words",
            "stop, never mind",
            as: .text(mayBeEmpty: true),
            "Words that silence it, recognised on this machine while a conversation is open or media plays: by the engine "
                + "where it has a model of them, else by pocketsphinx, if it is installed."
        )
        package let stopModel = Setting(
            "activation.stop_model",
            "",
            as: .file,
            "A microWakeWord model of a stop word, NAME.json with NAME.tflite beside it: NAME is found by it, with every "
                + "engine, and the other stop words as before. Needs the library of \"jarvis-voiced wake install\". Empty: none."
        )
        package let secondLook = Setting(
            "activation.second_look",
            false,
            "tflite, pocketsphinx and sherpa-onnx: a word opens a conversation only if there were 300 ms of voice in it, 6 dB "
                + "above the noise of the room, and openWakeWord's model of it agrees where there is one in the folder "
                + "\"openwakeword\" beside the models."
        )
        package let threshold = Setting(
            "activation.threshold",
            -20.0,
            -60...0,
            "pocketsphinx: how sure it must be, as a power of ten. Nearer to 0 misses more, further away hears more that "
                + "was not said."
        )
        package let playingMargin = Setting(
            "activation.playing_margin",
            3.0,
            0...30,
            "pocketsphinx: so much more is asked of a word while the box itself sounds."
        )
        package let refractoryMS = Setting(
            "activation.refractory_ms",
            2000,
            0...10_000,
            "Milliseconds for which a recognised word is not recognised again."
        )
        package let sphinxModel = Setting(
            "activation.sphinx_model",
            "/usr/share/pocketsphinx/model/en-us",
            as: .file,
            "Folder with the model and the dictionary of pocketsphinx."
        )
        package let sherpaLibrary = Setting(
            "activation.sherpa_library",
            "libsherpa-onnx-c-api.so",
            "sherpa-onnx: its C library, version 1.12.12 to 2.0: a path, or a name that the system looks for."
        )
        package let sherpaModel = Setting(
            "activation.sherpa_model",
            "",
            as: .file,
            "sherpa-onnx: folder of a streaming keyword model (encoder, decoder, joiner, tokens.txt) and keywords.txt, in "
                + "which every wake word has to be."
        )
        package let wakeModels = Setting(
            "activation.wake_models",
            "",
            as: .file,
            "tflite: folder of the models (NAME.json with NAME.tflite) and of libtensorflowlite_c.so. Empty: where "
                + "\"jarvis-voiced wake install\" puts them, \"wake\" in the state folder."
        )
        package let wyomingAddress = Setting(
            "activation.wyoming_address",
            "127.0.0.1:10400",
            "Host and port of the Wyoming server."
        )
        package let quietHours = Setting(
            "activation.quiet_hours",
            "",
            as: .text(mayBeEmpty: true),
            "Hours without chimes and announcements and with a lower volume, local time, for instance \"22:00-07:00\". Empty: none."
        )
        package let quietVolume = Setting(
            "activation.quiet_volume",
            40,
            0...100,
            "Highest volume in quiet hours, in percent."
        )
        package let voiceGate = Setting(
            "activation.voice_gate",
            false,
            "always: sends sound only while somebody speaks, as far as this machine can tell."
        )
        package let stateCommand = Setting(
            "activation.state_command",
            "",
            as: .file,
            "Program that is run when the state changes, with JARVIS_PHASE, JARVIS_STATE, JARVIS_MODE and JARVIS_MUTED in "
                + "its environment. Empty: none."
        )
        package let led = Setting(
            "activation.led",
            "",
            as: .text(mayBeEmpty: true),
            "Light under /sys/class/leds that shows the phase: off when idle, full while it listens, dim while it answers."
        )
        package let buttons = Setting(
            "activation.buttons",
            "",
            as: .file,
            "Input device with keys, for instance /dev/input/by-id/...-event-kbd: mute key, play key (call), stop key. "
                + "Empty: none."
        )
    }

    /// What opens a conversation.
    package enum Mode: String, CaseIterable, Sendable {
        /// The session is always open, from startup.
        case always
        /// A wake word, recognised on this machine.
        case wake
        /// A button, a signal or a command.
        case push
    }

    package enum Engine: String, CaseIterable, Sendable {
        /// `tflite` if its files are present, else off.
        case auto
        case off
        case pocketsphinx
        case wyoming
        case sherpa = "sherpa-onnx"
        case tflite
    }
}
