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
            "What opens a conversation. always: it is always open. wake: a word. push: SIGUSR2, a button or "
                + "a command. In wake and push mode no audio leaves the machine before that, except to a Wyoming "
                + "server for wake words."
        )
        package let followUpS = Setting(
            "activation.follow_up_s", 8, 1...120,
            "Seconds of silence after a call or an answer before the conversation closes."
        )
        package let oneShot = Setting("activation.one_shot", false, "Closes the conversation after the first answer.")
        package let greeting = Setting(
            "activation.greeting",
            "",
            as: .text(mayBeEmpty: true),
            "Spoken when a conversation opens without a question: a sentence, or \"agent\" to let the agent "
                + "greet. Empty: nothing."
        )
        package let engine = Setting(
            "activation.engine",
            Engine.auto,
            "Wake word engine. tflite: microWakeWord models (\"jarvis-voiced wake install\" downloads them). "
                + "pocketsphinx: packages libpocketsphinx3 and pocketsphinx-en-us. wyoming: a Wyoming server such "
                + "as wyoming-openwakeword. auto: tflite if its files are installed; else only stop words, by "
                + "pocketsphinx if it is installed. off: none."
        )
        package let wakeWords = Setting(
            "activation.wake_words",
            "hey jarvis",
            "Words that open a conversation, separated by commas. For tflite and Wyoming, use the names of the models. "
                + "tflite: behind a word, how readily it is heard, low, normal or high: \"hey jarvis:high, alexa\". "
                + "pocketsphinx: a threshold: \"jarvis, hello computer:-25\"."
        )
        package let stopWords = Setting(
            "activation.stop_words",
            "stop, never mind",
            as: .text(mayBeEmpty: true),
            "Words that silence the box while a conversation is open or media plays, recognised by the "
                + "engine if it has a model for them, else by pocketsphinx if it is installed, with every engine "
                + "but \"off\"."
        )
        package let stopModel = Setting(
            "activation.stop_model",
            "",
            as: .file,
            "microWakeWord model of one stop word: NAME.json, with NAME.tflite beside it; detects NAME with "
                + "every engine but \"off\". Needs the library that \"jarvis-voiced wake install\" installs. Empty: "
                + "none."
        )
        package let sphinxModel = Setting(
            "activation.sphinx_model", "/usr/share/pocketsphinx/model/en-us", as: .file,
            "pocketsphinx: folder of the model and the dictionary."
        )
        package let wakeModels = Setting(
            "activation.wake_models",
            "",
            as: .file,
            "tflite: folder of the models (NAME.json with NAME.tflite) and of libtensorflowlite_c.so. "
                + "Empty: where \"jarvis-voiced wake install\" puts them."
        )
        package let wyomingAddress = Setting(
            "activation.wyoming_address", "127.0.0.1:10400",
            "Wyoming server for wake words, host:port. It receives the microphone all the time, unencrypted."
        )
        package let quietHours = Setting(
            "activation.quiet_hours",
            "",
            as: .text(mayBeEmpty: true),
            "Hours without sounds and announcements and with a lower volume, every day, for instance "
                + "\"22:00-07:00\" (local time). Empty: none."
        )
        package let quietVolume = Setting(
            "activation.quiet_volume", 40, 0...100, "Maximum volume in quiet hours, in percent."
        )
        package let voiceGate = Setting(
            "activation.voice_gate", false,
            "always: sends audio only while the box detects speech. Not with echo.mode off."
        )
        package let stateCommand = Setting(
            "activation.state_command",
            "",
            as: .file,
            "Program to run when the state changes (environment: JARVIS_PHASE, JARVIS_STATE, JARVIS_MODE, "
                + "JARVIS_MUTED). Empty: none."
        )
        package let buttons = Setting(
            "activation.buttons",
            "",
            as: .file,
            "Input device with a mute key, a play key (call) and a stop key, for instance "
                + "/dev/input/by-id/...-event-kbd. Empty: none."
        )
    }

    /// A conversation closes if one turn of the user lasts this long: it is probably a television.
    package static let turnLimit = Duration.seconds(60)
    /// Threshold of PocketSphinx for a word without its own, as a power of ten. A higher one misses more words, a lower one
    /// causes more false detections; clear voices score up to 40.
    package static let threshold = -20.0

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
        case tflite
    }
}
