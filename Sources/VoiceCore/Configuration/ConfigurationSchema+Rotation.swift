extension ConfigurationSchema {
    /// How one session of the service follows another.
    static let rotation: [ConfigurationKey] = [
        .integer(
            "realtime.session_age_min",
            \.realtime.sessionAgeMin,
            0...1440,
            "Minutes after which the next session takes over in a quiet moment. 0: only when this one is about to end."
        ),
        .integer(
            "realtime.rotation_margin_s",
            \.realtime.rotationMarginS,
            15...900,
            "Seconds before the end of a session at which the next one is opened beside it."
        ),
        .choice(
            "realtime.carry",
            \.realtime.carry,
            "What the next session is told of the conversation: a short summary, the last turns as text, or none."
        ),
        .integer(
            "realtime.carry_turns",
            \.realtime.carryTurns,
            1...20,
            "How many of the last turns are told. What the user said is known with realtime.transcription only."
        ),
    ]
}
