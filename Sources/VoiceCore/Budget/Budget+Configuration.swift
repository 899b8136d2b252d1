package import VoiceConfiguration
internal import VoiceConversation

extension Budget.Options {
    package init(_ configuration: Configuration) {
        let budget = configuration.budget
        caps = [
            .conversation: BudgetCaps(money: budget.conversationUSD, minutes: Double(budget.conversationMin)),
            .hour: BudgetCaps(money: budget.hourUSD, minutes: Double(budget.hourMin)),
            .day: BudgetCaps(money: budget.dayUSD, minutes: Double(budget.dayMin)),
        ]
        prices = PriceTable(configuration)
    }

    /// What the user should know of the prices before trusting a limit; nil where all is well.
    static func notice(on configuration: Configuration) -> String? {
        let budget = configuration.budget
        let isLimited = [budget.conversationUSD, budget.hourUSD, budget.dayUSD].contains { $0 > 0 }
        let isPriced = [budget.priceAudioInUSD, budget.priceAudioOutUSD].allSatisfy { $0 >= 0 }
        let model = ServiceRegistry.chosen(by: configuration).model(configuration)
        guard ServiceRegistry.capabilities(configuration).charge == .tokens else { return nil }
        guard isLimited, !isPriced, PriceTable.published(model: model) == nil else { return nil }
        return "the price of the model \(model) is not known, so the dearest known one is counted: set the prices in "
            + "[budget]"
    }
}

extension PriceTable {
    /// The prices of the configuration; those it leaves open are the published ones of the model.
    package init(_ configuration: Configuration) {
        let service = ServiceRegistry.chosen(by: configuration)
        self.init(service.capabilities(configuration).charge, model: service.model(configuration))
        let budget = configuration.budget
        func set(_ price: Double, _ member: WritableKeyPath<PriceTable, Double>) {
            if price >= 0 { self[keyPath: member] = price }
        }
        set(budget.priceAudioInUSD, \.audioIn)
        set(budget.priceCachedAudioInUSD, \.cachedAudioIn)
        set(budget.priceAudioOutUSD, \.audioOut)
        set(budget.priceTextInUSD, \.textIn)
        set(budget.priceCachedTextInUSD, \.cachedTextIn)
        set(budget.priceTextOutUSD, \.textOut)
        set(budget.priceSessionMinUSD, \.sessionMinute)
        set(budget.priceTranscriptionMinUSD, \.transcriptionMinute)
    }
}
