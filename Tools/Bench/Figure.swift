/// One line of the table.
struct Figure: Sendable {
    var name: String
    var median: String
    var p99: String
    /// The target as text; empty if there is none.
    var target: String
    /// Whether the target is met; nil if there is none.
    var isMet: Bool?
    var note: String
    /// How `--plot` draws it; nil if it is not drawn.
    private(set) var bar: BenchPlot.Bar?
    private var amounts: (ours: Double, limit: Double?, peer: Double?)?

    init(_ name: String, value: String = "", target: String = "", isMet: Bool? = nil, note: String = "") {
        self.name = name
        median = value
        p99 = ""
        self.target = target
        self.isMet = isMet
        self.note = note
    }

    /// Median and 99th percentile of many values.
    ///
    /// - Parameters:
    ///   - limit: upper limit of the 99th percentile.
    ///   - typical: upper limit of the median, for costs whose tail is due to the machine.
    init(
        _ name: String,
        _ samples: Samples,
        unit: String,
        below limit: Double? = nil,
        typicalBelow typical: Double? = nil,
        note: String = ""
    ) {
        self.init("\(name), \(unit)", note: note)
        median = samples.median.text
        p99 = samples.p99.text
        if let limit {
            target = "< \(limit.text)"
            isMet = samples.p99 < limit
        } else if let typical {
            target = "< \(typical.text)"
            isMet = samples.median < typical
        }
        let spread = "max \(samples.maximum.text), n \(samples.count)"
        self.note = note.isEmpty ? spread : "\(spread); \(note)"
    }

    /// One value, which should not exceed `limit`, and the same one of a peer.
    init(
        _ name: String,
        _ value: Double,
        unit: String,
        atMost limit: Double? = nil,
        beside peer: Double? = nil,
        note: String = ""
    ) {
        self.init(unit.isEmpty ? name : "\(name), \(unit)", value: value.text, note: note)
        amounts = (value, limit, peer)
        if let limit {
            target = "<= \(limit.text)"
            isMet = value <= limit
        }
    }

    /// The same figure, also as a bar of the plot.
    func drawn(_ panel: BenchPlot.Panel, as state: String) -> Figure {
        var figure = self
        figure.bar = amounts.map { .init(panel: panel, state: state, ours: $0.ours, target: $0.limit, peer: $0.peer) }
        return figure
    }
}

extension Double {
    /// About three significant digits, without an exponent.
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
