import VoiceSimulator

/// The figures of all lanes of a run, as text.
struct FaultReport {
    private let figures: [FaultLedger.Figures]

    init(_ figures: [FaultLedger.Figures]) {
        self.figures = figures
    }

    private func sum(_ value: (FaultLedger.Figures) -> Int) -> Int { figures.reduce(0) { $0 + value($1) } }

    var lostAnswers: Int { sum { $0.lostAnswers } }

    func line(_ real: Duration) -> String {
        let faults = sum { $0.counts.values.reduce(0, +) }
        return
            "\(real.components.seconds) s: \(sum { $0.tally.questions }) turns, \(sum { $0.tally.bargeIns }) barge-ins, "
            + "\(faults) faults, \(sum { $0.sessions }) sessions, \(sum { $0.calls }) calls, "
            + "\(ProcessHealth.now().megabytes.text) MB"
    }

    /// A row for each kind of fault: how often it occurred, and how long until the daemon listened again.
    var table: [String] {
        func pad(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        func row(_ cells: [String]) -> String {
            zip(cells, [22, 7, 10, 8, 8]).map { pad($0, $1) }.joined(separator: " ")
        }
        return [row(["fault", "times", "median ms", "p99", "longest"])]
            + Set(figures.flatMap(\.counts.keys)).sorted { $0.name < $1.name }.map { kind in
                let times = Samples(figures.flatMap { $0.recoveries[kind] ?? [] })
                let cells =
                    times.count > 0 ? [times.median, times.p99, times.maximum].map { "\(Int($0))" } : ["-", "-", "-"]
                return row([kind.name, "\(sum { $0.counts[kind] ?? 0 })"] + cells)
            }
    }

    /// How often one state followed another.
    var transitions: [String] {
        let all = figures.reduce(into: [String: Int]()) { $0.merge($1.transitions) { $0 + $1 } }
        return all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    }
}
