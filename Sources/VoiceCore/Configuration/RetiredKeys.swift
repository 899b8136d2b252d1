/// Keys of earlier configurations. A file that still has one is accepted, and the user reads once what to do instead.
enum RetiredKeys {
    /// What to do instead, by path; follows "is no longer used: " in a sentence.
    static let all: [String: String] = [
        "activation.second_look": "nothing takes its place; raise the word's threshold in activation.wake_words",
        "activation.sherpa_library": useModels,
        "activation.sherpa_model": useModels,
        "activation.warm_standby": "every call opens a session",
        "jarvis.title": "the agent lists the box by its host name",
        "jarvis.announce_jobs": "let the agent call jarvis-voiced ctl announce",
        "jarvis.ask_user": "the agent's questions are read aloud",
        "jarvis.client_key_file": "put the key into the file of jarvis.client_certificate_file",
        "jarvis.connect_timeout_s": "it is always 3 seconds",
        "jarvis.new_question": "questions wait; say \"cancel that\" to replace one",
        "media.decoder": "ffmpeg is found by the PATH",
        "media.release_ms": "it is always 300 ms",
        "media.tell": "media.interlude_every decides whether a session is opened",
        "activation.similar_words": "nothing takes its place; raise the word's threshold in activation.wake_words",
        "activation.pre_roll_ms": "1.5 s from before a call are always sent",
        "activation.turn_limit_s": "a turn of a minute always closes the conversation",
        "activation.threshold": "write a word's threshold behind it in activation.wake_words, as in \"jarvis:-25\"",
        "activation.playing_margin":
            "write a word's threshold behind it in activation.wake_words, as in \"jarvis:-25\"",
        "activation.refractory_ms": "a word counts again after 2 s",
        "activation.led": "a program in activation.state_command sets the light: docs/activation.md has an example",
        "audio.start_buffer_ms": "60 ms of speech are buffered",
        "audio.output_gain_db": "use audio.master_volume, or the card's own mixer (alsamixer)",
        "audio.limiter_ceiling_db": "use audio.master_volume to protect a small loudspeaker",
        "audio.capture_mixer": "set the card's capture level with alsamixer; alsactl keeps it",
        "audio.capture_volume": "set the card's capture level with alsamixer; alsactl keeps it",
        "audio.earcons_off": "audio.earcons switches all of them",
        "audio.earcon_folder": "the built-in sounds are played",
        "echo.suppression": "residual echo is suppressed as it measured best",
        "echo.gain_control": "use audio.agc",
    ]

    private static let useModels = "use microWakeWord models, or a Wyoming server (activation.engine)"

    /// The warning for a key, or nil if the path never was one.
    static func warning(_ path: String) -> String? {
        all[path].map { "\(path) is no longer used: \($0)" }
    }
}
