import VoiceBase

/// Measured values of one kind.
struct Samples: Sendable {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var count: Int { sorted.count }
    var median: Double { sorted.quantile(0.5) ?? .nan }
    var p95: Double { sorted.quantile(0.95) ?? .nan }
    var p99: Double { sorted.quantile(0.99) ?? .nan }
    var maximum: Double { sorted.last ?? .nan }
}
