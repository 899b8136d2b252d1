/// The options of a soak.
struct SoakOptions: Sendable {
    /// The soak ends when both are reached.
    var bargeIns = 10_000
    var hours = 2.0
    /// How many times faster than real time, as far as the machine keeps up.
    var speed = 20.0
    var seed: UInt64 = 1
    /// Longest duration, in minutes of real time; nil for no limit.
    var limit: Double?
    /// Whether to run without echo cancellation, to verify that the soak detects the consequences.
    var withoutCanceller = false
    /// Path for the summary as JSON.
    var json: String?

    static let usage = """
        usage: VoiceBench soak [--barge-ins N] [--hours H] [--speed X] [--seed N] [--limit MINUTES]
                              [--canceller on|off] [--json FILE]
        """

    init?(_ arguments: [String]) {
        guard arguments.count.isMultiple(of: 2) else { return nil }
        for index in stride(from: 0, to: arguments.count, by: 2) {
            let value = arguments[index + 1]
            switch arguments[index] {
            case "--barge-ins":
                guard let number = Int(value), number >= 0 else { return nil }
                bargeIns = number
            case "--hours":
                guard let number = Double(value), number >= 0 else { return nil }
                hours = number
            case "--speed":
                guard let number = Double(value), (1...100).contains(number) else { return nil }
                speed = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--limit":
                guard let number = Double(value), number > 0 else { return nil }
                limit = number
            case "--canceller":
                guard ["on", "off"].contains(value) else { return nil }
                withoutCanceller = value == "off"
            case "--json": json = value
            default: return nil
            }
        }
    }
}
