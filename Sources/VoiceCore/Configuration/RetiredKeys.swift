internal import VoiceBase

/// Keys of earlier configurations. A file that still has one is accepted, and the user reads once what to do instead.
enum RetiredKeys {
    /// The replacement of a key, by path; follows "is no longer used: " in a sentence.
    static let all = ConfigurationSchema.sections.reduce(into: own) { $0.merge($1.retired) { $1 } }

    /// Of sections that have not declared them.
    private static let own: [String: String] = [
        "activation.second_look": "nothing takes its place; raise the word's threshold in activation.wake_words",
        "activation.sherpa_library": useModels,
        "activation.sherpa_model": useModels,
        "activation.warm_standby": "every call opens a session",
        "echo.enabled": "set echo.mode = \"off\" instead of false",
        "jarvis.title": "nothing takes its place",
        "jarvis.announce_jobs": "let the agent call jarvis-voiced ctl announce",
        "jarvis.ask_user": "the agent's questions are read aloud",
        "jarvis.client_key_file": "put the key into the file of jarvis.client_certificate_file",
        "jarvis.connect_timeout_s": "it is always 3 seconds",
        "jarvis.idle_renewal_min": "half an hour without a question always begins a new conversation",
        "jarvis.new_question": "questions wait; say \"cancel that\" to replace one",
        "media.decoder": "ffmpeg is found by the PATH",
        "media.release_ms": "it is always 300 ms",
        "media.tell": "media.interlude_every decides whether a session is opened",
        "realtime.silence_ms": useDetection,
        "realtime.threshold": useDetection,
        "realtime.noise_reduction": Retirement.isFixed,
        "realtime.chunk_ms": Retirement.isFixed,
        "realtime.max_output_tokens": Retirement.isFixed,
        "realtime.connect_timeout_s": Retirement.isFixed,
        "realtime.dead_peer_s": Retirement.isFixed,
        "realtime.session_age_min": Retirement.isFixed,
        "realtime.rotation_margin_s": Retirement.isFixed,
        "realtime.carry_turns": Retirement.isFixed,
        "local.hangover_ms": Retirement.isFixed,
        "budget.conversation_min": "use budget.day_min, or a limit in dollars",
        "budget.hour_min": "use budget.day_min, or a limit in dollars",
        "budget.price_cached_audio_in_usd": setPrices,
        "budget.price_text_in_usd": setPrices,
        "budget.price_cached_text_in_usd": setPrices,
        "budget.price_text_out_usd": setPrices,
        "budget.price_transcription_min_usd": setPrices,
        "activation.similar_words": "nothing takes its place; raise the word's threshold in activation.wake_words",
        "activation.pre_roll_ms": "1.5 s from before a call are always sent",
        "activation.turn_limit_s": "a turn of a minute always closes the conversation",
        "activation.threshold": setThreshold,
        "activation.playing_margin": setThreshold,
        "activation.refractory_ms": "a word counts again after 2 s",
        "activation.led": "a program in activation.state_command sets the light: docs/activation.md has an example",
        "audio.start_buffer_ms": "the buffer follows the jitter of the link",
        "audio.output_gain_db": "use audio.master_volume, or the card's own mixer (alsamixer)",
        "audio.limiter_ceiling_db": "use audio.master_volume to protect a small loudspeaker",
        "audio.capture_mixer": "set the card's capture level with alsamixer; alsactl keeps it",
        "audio.capture_volume": "set the card's capture level with alsamixer; alsactl keeps it",
        "audio.earcons": "audio.earcon_volume = 0 switches them off",
        "audio.earcons_off": "audio.earcon_volume = 0 switches them off",
        "audio.earcon_folder": "the built-in sounds are played",
        "echo.high_pass": "rumble below the voice is always removed",
        "jarvis.silence_s": "it is always 30 seconds",
        "echo.suppression": "residual echo is suppressed as it measured best",
        "echo.gain_control": "use audio.agc",
    ]

    private static let setPrices =
        "the published price counts; set budget.price_audio_in_usd and budget.price_audio_out_usd"
    private static let setThreshold =
        "write a word's threshold behind it in activation.wake_words, as in \"jarvis:-25\""
    private static let useDetection = "set realtime.turn_detection or realtime.eagerness"
    private static let useModels = "use microWakeWord models, or a Wyoming server (activation.engine)"

    /// The warning for a key, or nil if the path never was one.
    static func warning(_ path: String) -> String? {
        all[path].map { "\(path) is no longer used: \($0)" }
    }
}
