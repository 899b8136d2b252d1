extension Configuration {
    /// Spending limits and prices.
    package struct Budget: ConfigurationSection {
        package static let name = "budget"
        package static let documentation =
            "Spending limits. At 80 % an earcon plays and the log warns. At 100 % the conversation closes after the "
            + "answer and stays closed until the hour or the day is over."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Budget {
    package struct Keys: Sendable {
        package let conversationUSD = Setting(
            "budget.conversation_usd", 0.0, 0...10_000, isLive: true,
            "US dollars per conversation; 0 for no limit. The next may begin two minutes later."
        )
        package let hourUSD = Setting(
            "budget.hour_usd", 3.0, 0...10_000, isLive: true, "US dollars per hour of the clock; 0 for no limit."
        )
        package let dayUSD = Setting(
            "budget.day_usd", 10.0, 0...10_000, isLive: true, "US dollars per day, in local time; 0 for no limit."
        )
        package let dayMin = Setting(
            "budget.day_min", 0, 0...1440, isLive: true, "Minutes of talk per day; 0 for no limit."
        )
        package let priceAudioInUSD = Self.price(
            "audio_in", "million tokens of audio from the user (100 s are 1000 tokens)"
        )
        package let priceAudioOutUSD = Self.price(
            "audio_out", "million tokens of spoken output (50 s are 1000 tokens)"
        )
        package let priceSessionMinUSD = Setting(
            "budget.price_session_min_usd",
            -1.0,
            -1...1000,
            isLive: true,
            "US dollars per minute of an open session of a service that charges by time; -1 for the "
                + "published price."
        )

        private static func price(_ name: String, _ what: String) -> Setting<Double> {
            Setting(
                "budget.price_\(name)_usd", -1, -1...100_000, isLive: true,
                "US dollars per \(what); -1 for the model's published price."
            )
        }
    }
}
