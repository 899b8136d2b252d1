internal import VoiceBase

/// Whether audio may run at real-time priority and memory may be locked.
enum LimitsCheck {
    /// Where the limits come from.
    enum Place: Sendable, Equatable {
        case daemon
        case unit
        case ownProcess(isRoot: Bool)

        var name: String {
            switch self {
            case .daemon: "the running daemon"
            case .unit: "the unit"
            case .ownProcess: "this shell"
            }
        }
    }

    static func findings(_ context: DoctorContext, unit: UnitState?, isRoot: Bool) -> [DoctorFinding] {
        guard let audio = context.loaded?.values.audio else { return [] }
        func read(_ process: String) -> ProcessLimits? {
            (try? FileReader.system.read("/proc/\(process)/limits", 65_536)).flatMap {
                ProcessLimits(procLimits: String(decoding: $0.bytes, as: UTF8.self))
            }
        }
        if let process = unit?.mainProcess, let limits = read(String(process)) {
            return judge(limits, of: .daemon, unit: unit?.limits, audio: audio, advising: context.unit)
        }
        if let limits = unit?.limits { return judge(limits, of: .unit, audio: audio, advising: context.unit) }
        guard let limits = read("self") else { return [] }
        return judge(limits, of: .ownProcess(isRoot: isRoot), audio: audio)
    }

    /// - Parameter unit: the limits of the unit, if `limits` are the daemon's.
    static func judge(
        _ limits: ProcessLimits,
        of place: Place,
        unit: ProcessLimits? = nil,
        audio: Configuration.Audio,
        advising service: ServiceUnit = .system
    ) -> [DoctorFinding] {
        func advice(_ setting: String, _ limit: String, isAllowed: Bool) -> MarkedText {
            if place == .ownProcess(isRoot: false) {
                return "under systemd it has what it needs; by hand, set \(public: limit) in /etc/security/limits.d"
            }
            if isAllowed {
                let restart = service.systemctl("restart")
                return "the unit allows it: run \(public: restart); in a container, the host must allow it"
            }
            // A user's manager can hand on only what it was granted itself.
            return service.isOfUser
                ? "set \(public: setting) in sudo systemctl edit user@.service, and log in again"
                : "set \(public: setting) in systemctl edit jarvis-voiced"
        }
        if place == .ownProcess(isRoot: true) {
            return [DoctorFinding("real-time", .ok, "root may; the unit allows the service the same")]
        }
        let wanted = audio.realtimePriority
        let isFast = wanted == 0 || limits.realtimePriority.map { $0 >= wanted } ?? true
        let granted = limits.realtimePriority.map(String.init) ?? "any"
        let priority =
            wanted == 0
            ? DoctorFinding("real-time", .ok, "not requested: audio.realtime_priority = 0")
            : isFast
                ? DoctorFinding(
                    "real-time", .ok, "priority \(wanted) requested, \(public: granted) allowed (\(public: place.name))"
                )
                : DoctorFinding(
                    "real-time",
                    .warn,
                    "priority \(wanted) requested, \(public: granted) allowed (\(public: place.name)): audio may break up on a busy "
                        + "machine",
                    advice: advice(
                        "LimitRTPRIO=\(wanted)",
                        "rtprio",
                        isAllowed: unit.map { $0.realtimePriority.map { $0 >= wanted } ?? true } ?? false
                    )
                )
        guard audio.lockMemory else {
            return [priority, DoctorFinding("memory-lock", .ok, "not requested: audio.lock_memory = false")]
        }
        guard let bytes = limits.lockedMemory else {
            return [priority, DoctorFinding("memory-lock", .ok, "no limit (\(public: place.name))")]
        }
        return [
            priority,
            DoctorFinding(
                "memory-lock",
                .warn,
                "limited to \(bytes / 1024) kB (\(public: place.name)), so memory is not locked: audio may break up when the "
                    + "machine swaps",
                advice: advice(
                    "LimitMEMLOCK=infinity",
                    "memlock",
                    isAllowed: unit.map { $0.lockedMemory == nil } ?? false
                )
            ),
        ]
    }
}

/// The resource limits that matter to the daemon.
struct ProcessLimits: Sendable, Equatable {
    /// Maximum SCHED_FIFO priority; nil if unlimited.
    var realtimePriority: Int?
    /// Maximum locked memory in bytes; nil if unlimited.
    var lockedMemory: Int?

    init(realtimePriority: Int?, lockedMemory: Int?) {
        self.realtimePriority = realtimePriority
        self.lockedMemory = lockedMemory
    }

    /// Parses the hard limits in `/proc/PID/limits`, up to which a process may raise its soft ones.
    init?(procLimits text: String) {
        func value(_ name: String) -> Substring? {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.dropFirst(name.count).split(separator: " ").dropFirst().first
        }
        guard let priority = value("Max realtime priority"), let memory = value("Max locked memory") else { return nil }
        realtimePriority = Int(priority)
        lockedMemory = Int(memory)
    }

    /// Parses the unit's properties: "LimitRTPRIO=40", "LimitMEMLOCK=infinity".
    init?(unit: [String: String]) {
        guard let priority = unit["LimitRTPRIO"], let memory = unit["LimitMEMLOCK"] else { return nil }
        realtimePriority = Int(priority)
        lockedMemory = Int(memory)
    }
}
