extension Configuration {
    /// How much may be spent, and what things cost.
    package struct Budget: Sendable, Equatable {
        package var conversationUSD = 0.0
        package var hourUSD = 3.0
        package var dayUSD = 10.0
        package var conversationMin = 0
        package var hourMin = 0
        package var dayMin = 0
        /// Dollars; below 0 the published price of the model.
        package var priceAudioInUSD = -1.0
        package var priceCachedAudioInUSD = -1.0
        package var priceAudioOutUSD = -1.0
        package var priceTextInUSD = -1.0
        package var priceCachedTextInUSD = -1.0
        package var priceTextOutUSD = -1.0
        package var priceSessionMinUSD = -1.0
        package var priceTranscriptionMinUSD = -1.0

        package init() {}
    }
}
