/// `[budget]`: how much may be spent, and what things cost.
extension ConfigurationSchema {
    static let budget: [ConfigurationKey] = [
        .number(
            "budget.conversation_usd",
            \.budget.conversationUSD,
            0...10_000,
            "US dollars for one conversation; 0 for no limit. The next may begin two minutes after it has ended."
        ),
        .number(
            "budget.hour_usd",
            \.budget.hourUSD,
            0...10_000,
            "US dollars from one full hour of the clock to the next; 0 for no limit."
        ),
        .number(
            "budget.day_usd",
            \.budget.dayUSD,
            0...10_000,
            "US dollars from midnight to midnight, local time; 0 for no limit."
        ),
        .integer(
            "budget.conversation_min",
            \.budget.conversationMin,
            0...1440,
            "Minutes of talk in one conversation; 0 for no limit. Silence of an open session does not count, nor does an "
                + "agent at work."
        ),
        .integer("budget.hour_min", \.budget.hourMin, 0...60, "Minutes of talk in an hour; 0 for no limit."),
        .integer("budget.day_min", \.budget.dayMin, 0...1440, "Minutes of talk in a day; 0 for no limit."),
        price("audio_in", \.budget.priceAudioInUSD, "a million tokens of the user's sound (100 s are 1000 tokens)"),
        price(
            "cached_audio_in",
            \.budget.priceCachedAudioInUSD,
            "a million tokens of sound the service has in its cache"
        ),
        price("audio_out", \.budget.priceAudioOutUSD, "a million tokens of the voice (50 s are 1000 tokens)"),
        price("text_in", \.budget.priceTextInUSD, "a million tokens of text that goes in"),
        price("cached_text_in", \.budget.priceCachedTextInUSD, "a million tokens of text the service has in its cache"),
        price("text_out", \.budget.priceTextOutUSD, "a million tokens of text that comes out"),
        .number(
            "budget.price_session_min_usd",
            \.budget.priceSessionMinUSD,
            -1...1000,
            "US dollars for a minute of an open session, with services that charge by time; -1 takes the published price."
        ),
        .number(
            "budget.price_transcription_min_usd",
            \.budget.priceTranscriptionMinUSD,
            -1...1000,
            "US dollars for a minute of speech that realtime.transcription writes down; -1 takes the published price."
        ),
    ]

    private static func price(
        _ name: String,
        _ member: ConfigurationKey.Member<Double>,
        _ what: String
    ) -> ConfigurationKey {
        .number(
            "budget.price_\(name)_usd",
            member,
            -1...100_000,
            "US dollars for \(what); -1 takes the published price of the model."
        )
    }
}
