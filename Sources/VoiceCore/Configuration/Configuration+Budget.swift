extension Configuration {
    /// Spending limits and prices.
    package struct Budget: ConfigurationSection {
        package static let name = "budget"
        package static let documentation =
            "How much may be spent. At 80 % a soft sound and a line in the log; at 100 % the conversation is closed after "
            + "the answer and stays so until the hour or day is over."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Budget {
    package struct Keys: Sendable {
        package let conversationUSD = Setting(
            "budget.conversation_usd",
            0.0,
            0...10_000,
            isLive: true,
            "US dollars for one conversation; 0 for no limit. The next may begin two minutes after it has ended."
        )
        package let hourUSD = Setting(
            "budget.hour_usd",
            3.0,
            0...10_000,
            isLive: true,
            "US dollars from one full hour of the clock to the next; 0 for no limit."
        )
        package let dayUSD = Setting(
            "budget.day_usd",
            10.0,
            0...10_000,
            isLive: true,
            "US dollars from midnight to midnight, local time; 0 for no limit."
        )
        package let conversationMin = Setting(
            "budget.conversation_min",
            0,
            0...1440,
            isLive: true,
            "Minutes of talk in one conversation; 0 for no limit. Silence of an open session does not count, nor does an "
                + "agent at work."
        )
        package let hourMin = Setting(
            "budget.hour_min",
            0,
            0...60,
            isLive: true,
            "Minutes of talk in an hour; 0 for no limit."
        )
        package let dayMin = Setting(
            "budget.day_min",
            0,
            0...1440,
            isLive: true,
            "Minutes of talk in a day; 0 for no limit."
        )
        package let priceAudioInUSD = Self.price(
            "audio_in",
            "a million tokens of the user's sound (100 s are 1000 tokens)"
        )
        package let priceCachedAudioInUSD = Self.price(
            "cached_audio_in",
            "a million tokens of sound the service has in its cache"
        )
        package let priceAudioOutUSD = Self.price("audio_out", "a million tokens of the voice (50 s are 1000 tokens)")
        package let priceTextInUSD = Self.price("text_in", "a million tokens of text that goes in")
        package let priceCachedTextInUSD = Self.price(
            "cached_text_in",
            "a million tokens of text the service has in its cache"
        )
        package let priceTextOutUSD = Self.price("text_out", "a million tokens of text that comes out")
        package let priceSessionMinUSD = Setting(
            "budget.price_session_min_usd",
            -1.0,
            -1...1000,
            isLive: true,
            "US dollars for a minute of an open session, with every service in use that charges by time; -1 takes the published "
                + "price."
        )
        package let priceTranscriptionMinUSD = Setting(
            "budget.price_transcription_min_usd",
            -1.0,
            -1...1000,
            isLive: true,
            "US dollars for a minute of speech that realtime.transcription writes down; -1 takes the published price."
        )

        private static func price(_ name: String, _ what: String) -> Setting<Double> {
            Setting(
                "budget.price_\(name)_usd",
                -1,
                -1...100_000,
                isLive: true,
                "US dollars for \(what); -1 takes the published price of the model."
            )
        }
    }
}
