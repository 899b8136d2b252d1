import VoiceSimulator

/// The criteria of a soak, and whether they are met.
struct SoakVerdict: Sendable {
    struct Criterion: Sendable {
        var name: String
        var value: String
        var wanted: String
        /// Nil if the soak was too short to decide.
        var isMet: Bool?
    }

    /// The state of the process, once per minute of audio.
    struct Sample: Sendable {
        /// Audio time, in hours.
        var hours: Double
        var megabytes: Double
        var threads: Int
        var descriptors: Int
    }

    /// Audio time after which caches, pools and the first session have their size; memory is judged from then on.
    private static let warmUp = 10.0 / 60
    /// Shortest time for a meaningful slope, in hours.
    private static let least = 20.0 / 60
    private static let slopeLimit = 1.0

    let criteria: [Criterion]

    /// Whether no criterion that could be judged has failed.
    var isGood: Bool { criteria.allSatisfy { $0.isMet != false } }

    init(
        _ figures: SoakRoom.Figures,
        samples: [Sample],
        options: SoakOptions,
        slips: UInt64,
        lost: Int,
        overruns: UInt64
    ) {
        let tally = figures.tally
        let settled = samples.filter { $0.hours >= Self.warmUp }
        let span = (settled.last?.hours ?? 0) - (settled.first?.hours ?? 0)
        let slope = Self.slope(settled)
        let drift = Self.drift(figures.heardErrors)
        let threads = settled.map(\.threads)
        let descriptors = settled.map(\.descriptors)
        func range(_ values: [Int]) -> String { "\(values.min() ?? 0)...\(values.max() ?? 0)" }
        criteria = [
            Criterion(
                name: "barge-ins done", value: "\(tally.bargeIns)", wanted: ">= \(options.bargeIns)",
                isMet: tally.bargeIns >= options.bargeIns
            ),
            Criterion(
                name: "hours of conversation", value: (figures.seconds / 3600).text, wanted: ">= \(options.hours.text)",
                isMet: figures.seconds / 3600 >= options.hours
            ),
            Criterion(
                name: "barge-ins missed", value: "\(tally.missed)", wanted: "< 0.5 %",
                isMet: tally.missed * 200 <= max(200, tally.bargeIns)
            ),
            Criterion(
                name: "self-interruptions", value: "\(figures.selfInterruptions.count)", wanted: "0",
                isMet: figures.selfInterruptions.isEmpty
            ),
            Criterion(
                name: "resident memory, MB per hour", value: slope.text, wanted: "< \(Self.slopeLimit.text)",
                isMet: span < Self.least ? nil : slope < Self.slopeLimit
            ),
            Criterion(
                name: "threads", value: range(threads), wanted: "no growth",
                isMet: settled.count < 10 ? nil : Self.isFlat(threads)
            ),
            Criterion(
                name: "file descriptors", value: range(descriptors), wanted: "no growth",
                isMet: settled.count < 10 ? nil : Self.isFlat(descriptors)
            ),
            Criterion(
                name: "playout clock, ms from begin to end",
                value: drift?.text ?? "-",
                wanted: "+-10",
                isMet: drift.map { abs($0) <= 10 }
            ),
            Criterion(
                name: "microphone samples lost on the way", value: "\(figures.uplinkLost + lost)", wanted: "0",
                isMet: figures.uplinkLost + lost == 0
            ),
            Criterion(
                name: "slips and overruns of the card", value: "\(slips) \(overruns)", wanted: "0 0",
                isMet: slips == 0 && overruns == 0
            ),
            Criterion(
                name: "errors of the service", value: "\(figures.errors.count)", wanted: "0",
                isMet: figures.errors.isEmpty
            ),
        ]
    }

    /// Memory growth in MB per hour of audio, by least squares.
    static func slope(_ samples: [Sample]) -> Double {
        let count = Double(samples.count)
        guard count > 1 else { return .nan }
        let meanHours = samples.reduce(0) { $0 + $1.hours } / count
        let meanSize = samples.reduce(0) { $0 + $1.megabytes } / count
        let across = samples.reduce(0) { $0 + ($1.hours - meanHours) * ($1.megabytes - meanSize) }
        let along = samples.reduce(0) { $0 + ($1.hours - meanHours) * ($1.hours - meanHours) }
        return along > 0 ? across / along : .nan
    }

    /// Change of the median error of the heard duration from the first quarter to the last, in ms; nil for few values.
    private static func drift(_ errors: [Int]) -> Double? {
        let quarter = errors.count / 4
        guard quarter >= 20 else { return nil }
        func median(_ values: some Sequence<Int>) -> Double { Samples(values.map(Double.init)).median }
        return median(errors.suffix(quarter)) - median(errors.prefix(quarter))
    }

    /// Whether the smallest value of the last tenth does not exceed the largest of the first half.
    private static func isFlat(_ values: [Int]) -> Bool {
        (values.suffix(max(1, values.count / 10)).min() ?? 0) <= (values.prefix(max(1, values.count / 2)).max() ?? 0)
    }
}
