/// Metrics in Prometheus' text format 0.0.4.
struct MetricsText {
    enum Kind: String {
        case gauge
        case counter
        case histogram
    }

    private(set) var text = ""

    /// Adds a metric with its samples; nothing without samples.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(label: String, value: Double)]) {
        guard !samples.isEmpty else { return }
        header(name, kind, help)
        for sample in samples {
            text += name + (sample.label.isEmpty ? "" : "{\(sample.label)}") + " \(Self.number(sample.value))\n"
        }
    }

    mutating func add(_ name: String, _ help: String, by label: String, _ histograms: [String: Histogram]) {
        guard !histograms.isEmpty else { return }
        header(name, .histogram, help)
        for (key, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
            let common = Self.label(label, key)
            var total = 0
            for (bound, count) in zip(histogram.bounds.map(Self.number) + ["+Inf"], histogram.counts) {
                total += count
                text += "\(name)_bucket{\(common),le=\"\(bound)\"} \(total)\n"
            }
            text += "\(name)_sum{\(common)} \(Self.number(histogram.sum))\n\(name)_count{\(common)} \(total)\n"
        }
    }

    /// `name="value"`, with the value escaped and bounded.
    static func label(_ name: String, _ value: String) -> String {
        var escaped = ""
        for character in value.prefix(128) {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case _ where character.isNewline: escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return "\(name)=\"\(escaped)\""
    }

    private mutating func header(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }
}
