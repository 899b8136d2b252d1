package import VoiceBase

/// The daemon's status as metrics, with figures that only a series of states shows: latencies, scores, connections.
package struct BridgeMetrics: Sendable {
    package var connections = 0
    package var changesMissed = 0
    package var tabs = 0
    private static let stageNames = ["acknowledged", "dispatched", "answered", "first_delta", "first_sample", "cut"]
    private var stages = ListedHistograms(
        bounds: [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 30], labels: Self.stageNames
    )
    private var scores = ListedHistograms(
        bounds: [-40, -20, -10, 0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 10, 20, 40], labels: ["true", "false"]
    )

    package init() {}

    /// Counts the turns and wake words that are new in these values.
    package mutating func learn(_ values: [String: JSONValue]) {
        stages.count(
            // A failed turn has no answer to measure.
            values["turn_list"].items.filter { $0["failed"] == nil }.flatMap { turn in
                // Numbers begin again with the daemon; the time of day tells them apart.
                let id = "\(turn["turn"]?.intValue ?? 0) \(turn["at"]?.stringValue ?? "")"
                return Self.stageNames.compactMap { name in
                    turn[name + "_ms"]?.doubleValue.map { ("\(id) \(name)", name, $0 / 1000) }
                }
            }
        )
        scores.count(
            values["wake_list"].items.compactMap { word in
                word["score"]?.doubleValue.map { score in
                    let id = "\(word["at"]?.stringValue ?? "") \(word["word"]?.stringValue ?? "") \(score)"
                    return (id, word["heard"] == true ? "true" : "false", score)
                }
            }
        )
    }

    /// - Parameter values: the daemon's status; nil while it is not there.
    package func text(_ values: [String: JSONValue]?) -> String {
        var text = MetricsText()
        func add(_ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: Int) {
            text.add(name, kind, help, [("", Double(value))])
        }
        add("jarvis_up", .gauge, "Whether the daemon answers.", values == nil ? 0 : 1)
        add("jarvis_bridge_connections_total", .counter, "Connections of the bridge to the daemon.", connections)
        add("jarvis_bridge_tabs", .gauge, "Browsers that follow the status.", tabs)
        add("jarvis_bridge_changes_missed_total", .counter, "Changes slow browsers did not get.", changesMissed)
        if let values {
            Self.add(values, to: &text)
            if let version = values["version"]?.stringValue {
                let label = MetricsText.label("version", version)
                text.add("jarvis_build_info", .gauge, "The daemon's version.", [(label, 1)])
            }
            if let name = values["name"]?.stringValue {
                text.add("jarvis_box_info", .gauge, "The box's name.", [(MetricsText.label("name", name), 1)])
            }
        }
        let times = "Time from the end of the user's speech to a stage of the turn."
        text.add("jarvis_turn_stage_seconds", times, by: "stage", stages.histograms)
        let words = "Scores of wake words that were heard, and of near misses: 0 to 1, with PocketSphinx powers of ten."
        text.add("jarvis_wake_score", words, by: "heard", scores.histograms)
        return text.text
    }

    private static func add(_ values: [String: JSONValue], to text: inout MetricsText) {
        for row in numbers {
            guard let value = values.number(row.path) else { continue }
            text.add(row.name, row.kind, row.help, [("", value / row.divisor)])
        }
        for row in choices {
            guard let value = values.member(row.path) else { continue }
            let chosen = value.stringValue ?? ""
            let samples = row.choices.map { (MetricsText.label(row.label, $0), $0 == chosen ? 1.0 : 0) }
            text.add(row.name, .gauge, row.help, samples)
        }
        let problems = Health(values["health"])?.problems ?? []
        text.add("jarvis_problems", .gauge, "Things that are wrong.", [("", Double(problems.count))])
        let parts = Health.Part.allCases.map { part in
            (MetricsText.label("part", part.rawValue), problems.contains { $0.part == part } ? 1.0 : 0)
        }
        text.add("jarvis_part_problem", .gauge, "Whether something is wrong with a part.", parts)
        for (name, label, help, path) in counted {
            guard case .object(let members) = values[path] else { continue }
            // Bounded: reasons are the daemon's words.
            let known = members.sorted { $0.key < $1.key }.prefix(32)
            let samples = known.compactMap { key, value in
                value.doubleValue.map { (MetricsText.label(label, key), $0) }
            }
            text.add(name, .counter, help, samples)
        }
    }

    /// The values that a member of the status can have; none if it is not one of `choices`.
    static func choices(of path: String) -> [String] { choices.first { $0.path == path }?.choices ?? [] }

    /// The paths in the status at which these are found.
    static var paths: [String] { counted.map(\.path) + choices.map(\.path) + numbers.map(\.path) }

    /// Objects whose members are counters.
    private static let counted: [(name: String, label: String, help: String, path: String)] = [
        ("jarvis_reconnects_total", "reason", "New connections to the voice service.", "reconnects"),
        ("jarvis_tokens_total", "kind", "Tokens of the voice service; cached_in is a part of the input.", "tokens"),
    ]

    /// Members that have one of a few values.
    private static let choices: [(name: String, label: String, help: String, path: String, choices: [String])] = [
        (
            "jarvis_state", "state", "What the conversation does.", "state",
            [
                "idle", "connecting", "listening", "userSpeaking", "processing", "fillerSpeaking", "waitingForJarvis",
                "aiSpeaking", "error",
            ]
        ),
        (
            "jarvis_health", "level", "Whether conversations are possible.", "health.level",
            Health.Level.allCases.map(\.rawValue)
        ),
        (
            "jarvis_microphone_state", "state", "The microphone.", "microphone",
            ["running", "waiting", "lost", "silent", "resting", "file"]
        ),
        (
            "jarvis_loudspeaker_state", "state", "The loudspeaker.", "loudspeaker",
            ["running", "waiting", "lost", "silent", "resting", "file"]
        ),
        ("jarvis_duplex", "duplex", "Whether the user can interrupt.", "duplex", ["full", "half"]),
        ("jarvis_echo_quality", "quality", "The canceller.", "echo.quality", ["good", "fair", "poor", "unknown"]),
        ("jarvis_breaker_state", "state", "The agent's breaker.", "breaker", ["closed", "open", "half_open"]),
    ]

    /// Members that are numbers, and the divisor that converts them to the unit of the name.
    private static let numbers: [(name: String, kind: MetricsText.Kind, help: String, path: String, divisor: Double)] =
        [
            ("jarvis_uptime_seconds", .gauge, "Since the daemon's start.", "uptime_s", 1),
            ("jarvis_resident_memory_bytes", .gauge, "Memory of the daemon.", "rss_bytes", 1),
            ("jarvis_threads", .gauge, "Threads of the daemon.", "threads", 1),
            ("jarvis_turns_total", .counter, "Turns.", "turns_total", 1),
            ("jarvis_turns_failed_total", .counter, "Turns without an answer.", "turns_failed", 1),
            ("jarvis_turns_interrupted_total", .counter, "Turns the user cut off.", "turns_interrupted", 1),
            ("jarvis_capture_xruns_total", .counter, "Gaps in what the microphone heard.", "capture_xruns", 1),
            ("jarvis_playback_xruns_total", .counter, "Gaps in what the loudspeaker played.", "playback_xruns", 1),
            ("jarvis_device_losses_total", .counter, "Sound devices lost.", "device_losses", 1),
            ("jarvis_microphone_muted", .gauge, "Whether it is muted.", "microphone_muted", 1),
            ("jarvis_quiet", .gauge, "Whether quiet hours are on.", "quiet", 1),
            ("jarvis_volume_ratio", .gauge, "The master volume.", "volumes.master", 100),
            ("jarvis_echo_erle_decibels", .gauge, "Echo removed by the canceller.", "echo.erle_db", 1),
            ("jarvis_echo_delay_seconds", .gauge, "Delay of the echo.", "echo.delay_ms", 1000),
            ("jarvis_clock_drift_ratio", .gauge, "Drift between the two sound devices.", "echo.drift_ppm", 1e6),
            ("jarvis_echo_moves_total", .counter, "How often the box was moved.", "echo.moves", 1),
            ("jarvis_session_age_seconds", .gauge, "Age of the voice session.", "session_age_s", 1),
            ("jarvis_spent_today_dollars", .gauge, "Spent since midnight.", "spent_today_usd", 1),
            ("jarvis_spent_hour_dollars", .gauge, "Spent in the last hour.", "spent_hour_usd", 1),
            ("jarvis_budget_day_dollars", .gauge, "Limit of a day.", "budget_day_usd", 1),
            ("jarvis_budget_hour_dollars", .gauge, "Limit of an hour.", "budget_hour_usd", 1),
            ("jarvis_sent_today_seconds", .gauge, "Sound sent since midnight.", "sent_today_s", 1),
            ("jarvis_sent_today_bytes", .gauge, "Sound sent since midnight.", "sent_today_bytes", 1),
            ("jarvis_talk_today_seconds", .gauge, "Conversation since midnight.", "talk_today_min", 1.0 / 60),
            ("jarvis_timers", .gauge, "Timers set.", "timers", 1),
            ("jarvis_announcements", .gauge, "Announcements that wait.", "announcements", 1),
        ]
}

extension JSONValue {
    /// The members with these names, as far as there are any.
    func members(_ names: [String]) -> [String: JSONValue] { names.reduce(into: [:]) { $0[$1] = self[$1] } }
}

extension [String: JSONValue] {
    /// The member at a path such as "echo.erle_db".
    func member(_ path: String) -> JSONValue? {
        let names = path.split(separator: ".").map(String.init)
        return names.dropFirst().reduce(names.first.flatMap { self[$0] }) { $0?[$1] }
    }

    /// The member as a number; 0 and 1 for false and true.
    fileprivate func number(_ path: String) -> Double? {
        guard let value = member(path) else { return nil }
        if case .bool(let flag) = value { return flag ? 1 : 0 }
        return value.doubleValue
    }
}
