/// One line of the table.
struct Figure: Sendable {
    var name: String
    var median: String
    var p99: String
    /// What is wanted, as text; empty where nothing is promised.
    var target: String
    /// Whether it is met; nil where there is no target.
    var isMet: Bool?
    var note: String

    init(_ name: String, value: String = "", target: String = "", isMet: Bool? = nil, note: String = "") {
        self.name = name
        median = value
        p99 = ""
        self.target = target
        self.isMet = isMet
        self.note = note
    }

    /// Median and 99th percentile of many values, both to stay below `limit`.
    init(_ name: String, _ samples: Samples, unit: String, below limit: Double? = nil, note: String = "") {
        self.init(name, note: note)
        median = samples.median.text
        p99 = samples.p99.text
        self.name += ", \(unit)"
        if let limit {
            target = "< \(limit.text)"
            isMet = samples.p99 < limit
        }
        if note.isEmpty { self.note = "max \(samples.maximum.text), n \(samples.count)" }
    }

    /// One value that is to stay at or below `limit`.
    init(_ name: String, _ value: Double, unit: String, atMost limit: Double? = nil, note: String = "") {
        self.init(unit.isEmpty ? name : "\(name), \(unit)", value: value.text, note: note)
        if let limit {
            target = "<= \(limit.text)"
            isMet = value <= limit
        }
    }
}

extension Double {
    /// Three significant digits or so, without an exponent.
    var text: String {
        let magnitude = abs(self)
        let decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
        let scale = [1.0, 10, 100, 1000][decimals]
        guard isFinite, magnitude < 1e15 else { return "-" }
        let scaled = Int((magnitude * scale).rounded())
        let whole = "\(self < 0 && scaled > 0 ? "-" : "")\(scaled / Int(scale))"
        guard decimals > 0 else { return whole }
        let digits = "\(scaled % Int(scale))"
        let text = whole + "." + String(repeating: "0", count: decimals - digits.count) + digits
        return text.hasSuffix(".0") || text.hasSuffix(".00") ? String(text.prefix { $0 != "." }) : text
    }
}
