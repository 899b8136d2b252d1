import VoiceBudget
import VoiceConfiguration
import VoiceConversation
import VoiceCore

/// The cost of a day in each mode, from the program's own prices and a model of a household.
///
///     VoiceBench day [--model NAME]
///
/// The household: 40 questions in 20 conversations of two; a television for four hours, of which the service takes 360
/// remarks an hour for turns while the microphone is open. A question is 3 s long, an answer 6 s. The persona and the
/// tools are 1,500 tokens of text. Everything heard and said in a session is read again at each turn, nine tenths of it
/// cached.
struct DayCost {
    private let prices: PriceTable
    private let model: String

    init?(_ arguments: [String]) {
        guard arguments.first == "day" else { return nil }
        let at = arguments.firstIndex(of: "--model").map { $0 + 1 }
        model = at.flatMap { arguments.indices.contains($0) ? arguments[$0] : nil } ?? Configuration().realtime.model
        prices = PriceTable.published(model: model) ?? PriceTable.dearest
    }

    func run() {
        print("\(model), a day:")
        let called = (0..<20).reduce(0) { sum, _ in sum + conversation(turns: 2, answers: 6) }
        report("wake or push", called)
        report("always, no television", conversation(turns: 40, answers: 6, limit: 8000))
        report(
            "always, beside a television for 4 hours, each remark answered",
            conversation(turns: 40 + 4 * 360, answers: 6, limit: 8000)
        )
    }

    private func report(_ name: String, _ micros: Int) {
        let cents = (micros + 5000) / 10_000
        print("  \(name): \(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) USD")
    }

    /// Cost in millionths of a dollar; the tokens that are read again are bounded by `limit`.
    private func conversation(turns: Int, answers seconds: Int, limit: Int = .max) -> Int {
        var heard = 0
        var total = 0
        for turn in 0..<turns {
            let history = min(heard, limit)
            let cachedText = turn == 0 ? 0 : 1350
            let usage = Usage(
                textIn: 1500,
                audioIn: history + 30,
                cachedTextIn: cachedText,
                cachedAudioIn: history * 9 / 10,
                textOut: 40,
                audioOut: 20 * seconds
            )
            total += prices.cost(of: usage)
            heard += 30 + 20 * seconds
        }
        return total
    }
}
