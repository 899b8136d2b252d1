internal import VoiceBase

extension WatchPicture {
    /// The stages of a turn; the bar up to each of them is drawn in its own way, also without colours.
    private static let stages: [(member: String, name: String, mark: Character, colour: WatchColour)] = [
        ("acknowledged_ms", "acknowledged", "·", .grey),
        ("dispatched_ms", "asked", "░", .blue),
        ("answered_ms", "answered", "▒", .orange),
        ("first_delta_ms", "speech came", "▓", .purple),
        ("first_sample_ms", "heard", "█", .green),
    ]

    /// The last turns as bars from the end of the user's speech, under a legend; nothing if there is no room or no turn.
    func turns(atMost rows: Int) -> [WatchRow] {
        let turns = mirror["turn_list"].items.suffix(max(0, rows - 1)).map { turn in
            (
                turn,
                Self.stages.compactMap { stage in turn[stage.member]?.bounded.map { (max(0, $0), stage) } }
                    .sorted { $0.0 < $1.0 }
            )
        }
        guard !turns.isEmpty else { return [] }
        var legend = WatchRow("turns ", .grey)
        if let total = mirror["turns_total"]?.bounded { legend += ("\(total) ", nil) }
        for stage in Self.stages { legend += (" \(stage.mark)\(stage.mark) \(stage.name)", stage.colour) }
        let longest = max(1, turns.compactMap { $0.1.last?.0 }.max() ?? 1)
        let width = max(1, size.columns - 26)
        return [legend]
            + turns.map { turn, stages in
                let number = turn["turn"]?.bounded.map(String.init) ?? ""
                var row = WatchRow(number + String(repeating: " ", count: max(1, 6 - number.count)), .grey)
                var drawn = 0
                for (time, stage) in stages {
                    // In floating point, as a product of integers from outside may overflow.
                    let end = Int((Double(time) / Double(longest) * Double(width)).rounded())
                    row += (String(repeating: stage.mark, count: end - drawn), stage.colour)
                    drawn = end
                }
                if let reason = turn["failed"]?.stringValue {
                    row += (reason == "agent" ? " Jarvis failed" : " no answer", .red)
                } else if let time = stages.last?.0 {
                    row += (" \(Duration.milliseconds(time).inSeconds)", nil)
                }
                if turn["interrupted"] == true { row += (" cut off", .orange) }
                return row
            }
    }

    /// The end of the log, under an empty row.
    func log(atMost rows: Int) -> [WatchRow] {
        let entries = mirror["log"].items.suffix(max(0, rows - 1))
        guard !entries.isEmpty else { return [] }
        return [""]
            + entries.map { entry in
                let colour: WatchColour? =
                    switch entry["level"]?.stringValue {
                    case "warning": .orange
                    case "error", "critical": .red
                    default: nil
                    }
                return WatchRow(clock(entry["at"]?.stringValue ?? ""), .grey)
                    + WatchRow(entry["text"]?.stringValue ?? "", colour)
            }
    }

    /// "2026-11-27T03:02:01Z" as local time: "03:02:01 ".
    private func clock(_ time: String) -> String {
        let parts = time.dropFirst(11).prefix(8).split(separator: ":").compactMap { Int($0) }
        guard parts.count == 3, parts.allSatisfy((0..<61).contains) else { return "" }
        let minute = (parts[0] * 60 + parts[1] + offset / 60) % 1440
        return LocalTime.clock(minute: (minute + 1440) % 1440) + time.dropFirst(16).prefix(3) + " "
    }
}
