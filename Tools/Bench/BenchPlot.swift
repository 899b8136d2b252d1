/// Measured costs as horizontal bars: a row for each state, a column for each panel.
struct BenchPlot {
    enum Panel: String, CaseIterable, Sendable {
        case processor = "CPU, % of a core"
        case wakeUps = "Wake-ups per second"
    }

    struct Bar: Sendable {
        var panel: Panel
        var state: String
        var ours: Double
        var target: Double?
        var peer: Double?
    }

    var bars: [Bar]

    /// The picture as the text of an SVG file.
    var svg: String {
        let rows = rows
        let height = rows.last.map { $0.top + $0.height } ?? Self.head
        let (w, h) = (Self.width.text, height.text)
        let size = "width=\"\(w)\" height=\"\(h)\" viewBox=\"0 0 \(w) \(h)\""
        let style = "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"\(Self.ink)\""
        let start = "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) \(style)>"
        let sheet = box(0, 0, Self.width, height, "#ffffff")
        let panels = Panel.allCases.flatMap { draw($0, rows) }
        return ([start, sheet] + legend + rows.flatMap(draw) + panels + ["</svg>", ""]).joined(separator: "\n")
    }

    // Lengths in pixels.
    private static let width = 960.0
    private static let margin = 16.0
    private static let head = 78.0
    private static let names = 190.0
    private static let thickness = 13.0
    private static let longest = 215.0
    private static let column = (width - names) / Double(Panel.allCases.count)

    private static let blue = "#2563eb"
    private static let grey = "#a8b0bd"
    private static let red = "#c2410c"
    private static let ink = "#1f2937"

    /// A state with its place in the picture.
    private struct Row {
        var state: String
        var top: Double
        var height: Double
    }

    /// In the order of their first bar.
    private var rows: [Row] {
        var rows: [Row] = []
        for bar in bars where !rows.contains(where: { $0.state == bar.state }) {
            let hasPeer = bars.contains { $0.state == bar.state && $0.peer != nil }
            let top = rows.last.map { $0.top + $0.height } ?? Self.head
            rows.append(Row(state: bar.state, top: top, height: hasPeer ? 50 : 33))
        }
        return rows
    }

    private var legend: [String] {
        [
            box(Self.margin, 16, 13, Self.thickness, Self.blue), text(35, 27, "jarvis-voiced"),
            box(140, 16, 13, Self.thickness, Self.grey),
            text(159, 27, "client on the official SDK, without echo canceller"),
            box(496, 13, 2, 19, Self.ink), text(505, 27, "target"),
            text(Self.width - Self.margin, 27, "shorter is better", " text-anchor=\"end\" fill=\"#6b7280\""),
        ]
    }

    private func draw(_ row: Row) -> [String] {
        [
            box(Self.margin, row.top, Self.width - 2 * Self.margin, 1, "#e5e7eb"),
            text(Self.margin, row.top + 21, row.state),
        ]
    }

    private func draw(_ panel: Panel, _ rows: [Row]) -> [String] {
        let bars = bars.filter { $0.panel == panel }
        let largest = bars.flatMap { [$0.ours, $0.target ?? 0, $0.peer ?? 0] }.max() ?? 0
        let left = Self.names + Self.column * Double(Panel.allCases.firstIndex(of: panel) ?? 0)
        var parts = [text(left, Self.head - 14, panel.rawValue, " font-weight=\"600\"")]
        for bar in bars {
            guard let row = rows.first(where: { $0.state == bar.state }) else { continue }
            let y = row.top + 10
            func end(_ value: Double) -> Double { left + (largest > 0 ? value / largest * Self.longest : 0) }
            parts.append(box(left, y, end(bar.ours) - left, Self.thickness, Self.blue))
            var words = label(bar.ours)
            var color = Self.ink
            if let target = bar.target {
                parts.append(box(end(target) - 1, y - 3, 2, 19, Self.ink))
                if bar.ours > target { (words, color) = ("\(words), target \(label(target)) missed", Self.red) }
            }
            parts.append(text(end(max(bar.ours, bar.target ?? 0)) + 8, y + 11, words, " fill=\"\(color)\""))
            if let peer = bar.peer {
                parts.append(box(left, y + 16, end(peer) - left, Self.thickness, Self.grey))
                parts.append(text(end(peer) + 8, y + 27, label(peer)))
            }
        }
        return parts
    }

    /// 0.6, not 0.600.
    private func label(_ value: Double) -> String {
        let text = value.text
        return text.contains(".") ? String(text.reversed().drop { $0 == "0" }.reversed()) : text
    }

    private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String) -> String {
        "<rect x=\"\(x.text)\" y=\"\(y.text)\" width=\"\(width.text)\" height=\"\(height.text)\" fill=\"\(color)\"/>"
    }

    private func text(_ x: Double, _ y: Double, _ words: String, _ attributes: String = "") -> String {
        "<text x=\"\(x.text)\" y=\"\(y.text)\"\(attributes)>\(words)</text>"
    }
}
