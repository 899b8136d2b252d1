internal import Glibc
internal import VoiceBase

/// The state of the service according to systemd.
struct UnitState: Sendable, Equatable {
    static let properties = [
        "LoadState", "ActiveState", "SubState", "Result", "MainPID", "ExecMainStatus", "NRestarts", "StatusText",
        "UnitFileState", "LimitRTPRIO", "LimitMEMLOCK", "DropInPaths",
    ]

    private(set) var values: [String: String] = [:]
    private let unit: ServiceUnit

    /// Parses the `Name=value` lines of `systemctl show`.
    init(_ text: String, of unit: ServiceUnit = .system) {
        self.unit = unit
        for line in text.split(separator: "\n") {
            guard let mark = line.firstIndex(of: "=") else { continue }
            values[String(line[..<mark])] = String(line[line.index(after: mark)...])
        }
    }

    /// nil if systemd is missing or does not answer.
    static func read(_ unit: ServiceUnit) async -> UnitState? {
        let properties = "--property=" + properties.joined(separator: ",")
        let command = unit.command("systemctl", ["show", "jarvis-voiced.service", properties])
        guard let output = await Command.output(command) else { return nil }
        let state = UnitState(String(decoding: output, as: UTF8.self), of: unit)
        return state.values["LoadState"] == nil ? nil : state
    }

    var isInstalled: Bool { values["LoadState"] == "loaded" }
    var mainProcess: Int? { values["MainPID"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
    var limits: ProcessLimits? { isInstalled ? ProcessLimits(unit: values) : nil }

    /// Exit status of systemd if it cannot set up the credentials.
    private static let noCredentials = "243"

    /// The finding that a container keeps the unit's credentials away from the daemon; nil if it does not.
    ///
    /// Images of LXC empty `LoadCredential=` of all units with a drop-in; in other containers systemd may not mount them.
    ///
    /// - Parameters:
    ///   - closed: files of secrets that only root may read.
    ///   - emptiedBy: the drop-in that empties `LoadCredential=`, if any.
    func containerFinding(closed: [String], emptiedBy: String?) -> DoctorFinding? {
        guard !closed.isEmpty else { return nil }
        let advice: MarkedText =
            "let the daemon read the files itself: chown jarvis-voiced \(closed.joined(separator: " "))"
        if values["ExecMainStatus"] == Self.noCredentials, values["ActiveState"] != "active" {
            return DoctorFinding(
                "credentials",
                .fail,
                "systemd cannot set them up (243/CREDENTIALS), as in an LXC container without nesting",
                advice: "on Proxmox, pct set ID --features nesting=1, and restart the container; or run systemctl edit "
                    + "jarvis-voiced, add [Service], LoadCredential= and SetCredential=, and " + advice
            )
        }
        return emptiedBy.map { DoctorFinding("credentials", .warn, "\($0) empties LoadCredential=", advice: advice) }
    }

    /// Returns the drop-in after which no credential is loaded any more, if one empties the list.
    ///
    /// - Parameter dropIns: in systemd's order.
    static func emptier(of dropIns: [(path: String, text: String)]) -> String? {
        var emptiedBy: String?
        for (path, text) in dropIns {
            for line in text.split(whereSeparator: \.isNewline) {
                let line = line.filter { $0 != " " && $0 != "\t" }
                guard line.hasPrefix("LoadCredential=") else { continue }
                emptiedBy = line == "LoadCredential=" ? path : nil
            }
        }
        return emptiedBy
    }

    /// The drop-ins of the unit and their contents, as far as they can be read.
    func dropIns(_ files: FileReader = .system) -> [(path: String, text: String)] {
        (values["DropInPaths"] ?? "").split(separator: " ").compactMap { path in
            (try? files.read(String(path), 64 << 10)).map { (String(path), String(decoding: $0.bytes, as: UTF8.self)) }
        }
    }

    /// Files of secrets that belong to root.
    static func closedFiles() -> [String] {
        ServiceEnvironment.credentials.map { "\(ServiceEnvironment.folder)/\($0)" }.filter { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_uid == 0
        }
    }

    var finding: DoctorFinding {
        func finding(_ verdict: DoctorFinding.Verdict, _ message: MarkedText, _ advice: MarkedText?) -> DoctorFinding {
            DoctorFinding("service", verdict, message, advice: advice)
        }
        let state = values["ActiveState"] ?? "unknown"
        let words: MarkedText = values["StatusText"].map { $0.isEmpty ? "" : ": \($0)" } ?? ""
        switch (values["LoadState"], state) {
        case ("loaded", "active"):
            let restarts = values["NRestarts"].flatMap { Int($0) } ?? 0
            return restarts > 3
                ? finding(.warn, "runs, but was restarted \(restarts) times", "\(public: unit.journal) shows why")
                : finding(.ok, "runs\(words)", nil)
        case ("loaded", "failed"):
            let status = values["ExecMainStatus"] ?? "?"
            return finding(
                .fail, "has failed with exit status \(public: status)",
                "\(public: unit.journal) -n 20 shows why; then run \(public: unit.systemctl("restart"))"
            )
        case ("loaded", "inactive"):
            return finding(.warn, "does not run", "\(public: unit.systemctl("enable --now"))")
        case ("loaded", _):
            return finding(.warn, "is \(public: state)\(words)", "\(public: unit.journal) -n 20")
        default:
            return finding(.skipped, "no unit jarvis-voiced.service is installed", nil)
        }
    }
}
