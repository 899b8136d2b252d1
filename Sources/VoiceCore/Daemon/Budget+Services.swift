package import VoiceBase
package import VoiceConversation
package import VoiceSession

extension Budget.Options {
    /// - Parameter services: the services in use, the preferred one first.
    package init(_ configuration: Configuration, services: [any VoiceService.Type]) {
        self.init()
        let budget = configuration.budget
        caps = [
            .conversation: BudgetCaps(money: budget.conversationUSD),
            .hour: BudgetCaps(money: budget.hourUSD),
            .day: BudgetCaps(money: budget.dayUSD, minutes: Double(budget.dayMin)),
        ]
        if let first = services.first { prices = PriceTable(configuration, of: first) }
        // Token prices of the configuration apply to the model of the preferred service, a price per minute to any
        // service that charges by time.
        substitutePrices = services.dropFirst().map { service in
            var table = service.prices(configuration)
            if service.capabilities(configuration).charge == .time, budget.priceSessionMinUSD >= 0 {
                table.sessionMinute = budget.priceSessionMinUSD
            }
            return table
        }
    }

    /// A warning about prices the user should see before relying on a limit; nil if none is needed.
    static func notice(on configuration: Configuration, of service: any VoiceService.Type) -> String? {
        let budget = configuration.budget
        let isLimited = [budget.conversationUSD, budget.hourUSD, budget.dayUSD].contains { $0 > 0 }
        let isPriced = [budget.priceAudioInUSD, budget.priceAudioOutUSD].allSatisfy { $0 >= 0 }
        guard isLimited, !isPriced, service.prices(configuration).isAssumed else { return nil }
        let model = service.model(configuration)
        return "the price of the model \(model) is unknown, so the highest known price is used: set the prices in "
            + "[budget]"
    }
}

extension PriceTable {
    /// The configured prices; those not configured are the published ones of the model.
    package init(_ configuration: Configuration, of service: any VoiceService.Type) {
        self = service.prices(configuration)
        let budget = configuration.budget
        func set(_ price: Double, _ member: WritableKeyPath<PriceTable, Double>) {
            if price >= 0 { self[keyPath: member] = price }
        }
        set(budget.priceAudioInUSD, \.audioIn)
        set(budget.priceAudioOutUSD, \.audioOut)
        set(budget.priceSessionMinUSD, \.sessionMinute)
    }
}
