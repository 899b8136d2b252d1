internal import VoiceBase

/// The state of the service according to systemd.
struct UnitState: Sendable, Equatable {
    static let properties = [
        "LoadState", "ActiveState", "SubState", "Result", "MainPID", "ExecMainStatus", "NRestarts", "StatusText",
        "UnitFileState", "LimitRTPRIO", "LimitMEMLOCK",
    ]

    private(set) var values: [String: String] = [:]

    /// Parses the `Name=value` lines of `systemctl show`.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let mark = line.firstIndex(of: "=") else { continue }
            values[String(line[..<mark])] = String(line[line.index(after: mark)...])
        }
    }

    /// The properties without the status line, which may contain text of others.
    static func shown(_ text: String) -> String {
        text.split(separator: "\n").filter { line in
            let name = String(line.prefix { $0 != "=" })
            return properties.contains(name) && name != "StatusText"
        }.joined(separator: "\n") + "\n"
    }

    /// nil if systemd is missing or does not answer.
    static func read() async -> UnitState? {
        let command = ["systemctl", "show", "jarvis-voiced.service", "--property=" + properties.joined(separator: ",")]
        guard let output = await Command.output(command) else { return nil }
        let state = UnitState(String(decoding: output, as: UTF8.self))
        return state.values["LoadState"] == nil ? nil : state
    }

    var isInstalled: Bool { values["LoadState"] == "loaded" }
    var mainProcess: Int? { values["MainPID"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
    var limits: ProcessLimits? { isInstalled ? ProcessLimits(unit: values) : nil }

    var finding: DoctorFinding {
        func finding(_ verdict: DoctorFinding.Verdict, _ message: String, _ advice: String?) -> DoctorFinding {
            DoctorFinding("service", verdict, message, advice: advice)
        }
        let state = values["ActiveState"] ?? "unknown"
        let words = values["StatusText"].map { $0.isEmpty ? "" : ": \($0)" } ?? ""
        switch (values["LoadState"], state) {
        case ("loaded", "active"):
            let restarts = values["NRestarts"].flatMap { Int($0) } ?? 0
            return restarts > 3
                ? finding(.warn, "runs, but was restarted \(restarts) times", "journalctl -u jarvis-voiced shows why")
                : finding(.ok, "runs\(words)", nil)
        case ("loaded", "failed"):
            let status = values["ExecMainStatus"] ?? "?"
            return finding(
                .fail,
                "has failed with exit status \(status)",
                "journalctl -u jarvis-voiced -n 20 shows why; then run systemctl restart jarvis-voiced"
            )
        case ("loaded", "inactive"):
            return finding(.warn, "does not run", "systemctl enable --now jarvis-voiced")
        case ("loaded", _):
            return finding(.warn, "is \(state)\(words)", "journalctl -u jarvis-voiced -n 20")
        default:
            return finding(.skipped, "no unit jarvis-voiced.service is installed", nil)
        }
    }
}
