internal import VoiceBase

/// The end of the journal as it may be shared: of the daemon's lines only their public parts, of the service manager's
/// only the fields that say why the service ended. The texts of other programs are left out.
enum SharedJournal {
    /// The service manager's own fields (systemd.journal-fields(7)); each holds a word or a number of its own.
    private static let managerFields = ["JOB_TYPE", "JOB_RESULT", "UNIT_RESULT", "EXIT_CODE", "EXIT_STATUS"]
    private static let time = "__REALTIME_TIMESTAMP"

    static func command(_ unit: ServiceUnit) -> [String] {
        unit.command("journalctl", ["--unit=jarvis-voiced", "--no-pager", "--output=json"])
            + [
                "--output-fields="
                    + (["PRIORITY", "_PID", "JARVIS_EVENT", JournalEntry.shared] + managerFields).joined(separator: ",")
            ]
    }

    /// - Parameter journal: the output of `command`, an object a line.
    static func text(_ journal: String) -> String {
        journal.split(separator: "\n").map { line in
            let entry = OutsideJSON.decode([String: JSONValue].self, from: line.utf8, atMost: 1 << 20) ?? [:]
            return text(entry.compactMapValues(\.stringValue))
        }.joined(separator: "\n") + "\n"
    }

    private static func text(_ entry: [String: String]) -> String {
        var words = [entry[time].flatMap { Int($0) }.map(Self.time) ?? "-"]
        if let line = entry[JournalEntry.shared] {
            words += ["<\(entry["PRIORITY"] ?? "-")>", entry["JARVIS_EVENT"].map { "[\($0)]" }, line].compactMap { $0 }
        } else if entry["_PID"] == "1", case let known = managerFields.filter({ entry[$0] != nil }), !known.isEmpty {
            words += ["systemd:"] + known.map { "\($0)=\(entry[$0] ?? "")" }
        } else {
            words.append(PrivateText.hidden)
        }
        return words.joined(separator: " ")
    }

    /// "2026-01-31 09:00:00.123", UTC.
    private static func time(_ microseconds: Int) -> String {
        let time = LocalTime(seconds: microseconds / 1_000_000)
        let milliseconds = String(100_000 + microseconds / 1000 % 60_000).dropFirst()
        return "\(LocalTime.date(day: time.day)) \(time.clock):\(milliseconds.prefix(2)).\(milliseconds.dropFirst(2))"
    }
}
