internal import Glibc

/// Prints figures as aligned text.
enum BenchTable {
    private static let widths = (name: 54, value: 9, target: 9, verdict: 6)

    static func printHead() {
        print(row("", "median", "p99", "target", "", ""))
    }

    static func printSection(_ title: String, _ figures: [Figure]) {
        defer { fflush(nil) }
        print("\n\(title)")
        for figure in figures {
            let verdict = figure.isMet.map { $0 ? "ok" : "over" } ?? ""
            print(row("  " + figure.name, figure.median, figure.p99, figure.target, verdict, figure.note))
        }
    }

    private static func row(
        _ name: String,
        _ median: String,
        _ p99: String,
        _ target: String,
        _ verdict: String,
        _ note: String
    ) -> String {
        let line =
            left(name, widths.name) + right(median, widths.value) + right(p99, widths.value)
            + right(target, widths.target) + "  " + left(verdict, widths.verdict) + note
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
