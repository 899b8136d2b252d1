package import VoiceBase

/// The daemon's status as metrics, with what only a series of states tells: latencies, scores, connections.
package struct BridgeMetrics: Sendable {
    package var connections = 0
    package var changesMissed = 0
    package var tabs = 0
    private var stages = ListedHistograms(bounds: [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 30])
    private var scores = ListedHistograms(bounds: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])

    package init() {}

    private static let stageNames = ["acknowledged", "dispatched", "answered", "first_delta", "first_sample", "cut"]

    /// Counts the turns and wake words that are new in these values.
    package mutating func learn(_ values: [String: JSONValue]) {
        stages.take(
            values.list("turn_list").flatMap { turn in
                // Numbers begin again with the daemon; the time of day tells them apart.
                let id = "\(turn["turn"]?.intValue ?? 0) \(turn["at"]?.stringValue ?? "")"
                return Self.stageNames.compactMap { name in
                    turn[name + "_ms"]?.doubleValue.map { ("\(id) \(name)", name, $0 / 1000) }
                }
            }
        )
        scores.take(
            values.list("wake_list").compactMap { word in
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
        text.add("jarvis_up", .gauge, "Whether the daemon answers.", [("", values == nil ? 0 : 1)])
        text.add(
            "jarvis_bridge_connections_total",
            .counter,
            "Connections of the bridge to the daemon.",
            [("", Double(connections))]
        )
        text.add("jarvis_bridge_tabs", .gauge, "Browsers that follow the status.", [("", Double(tabs))])
        text.add(
            "jarvis_bridge_changes_missed_total",
            .counter,
            "Changes that slow browsers did not get.",
            [("", Double(changesMissed))]
        )
        if let values {
            Self.add(values, to: &text)
            if let version = values["version"]?.stringValue {
                let label = MetricsText.label("version", version)
                text.add("jarvis_build_info", .gauge, "The daemon's version.", [(label, 1)])
            }
        }
        text.add(
            "jarvis_turn_stage_seconds",
            "Time from the end of the user's speech to a stage of the turn.",
            by: "stage",
            stages.histograms
        )
        text.add(
            "jarvis_wake_score_ratio",
            "Scores of wake words that were heard, and of near misses.",
            by: "heard",
            scores.histograms
        )
        return text.text
    }

    private static func add(_ values: [String: JSONValue], to text: inout MetricsText) {
        for row in numbers {
            let samples: [(label: String, value: Double)] = row.members.compactMap { label, path in
                values.number(path).map { (label, $0 / row.divisor) }
            }
            text.add(row.name, row.kind, row.help, samples)
        }
        for row in choices {
            guard let value = values.member(row.path) else { continue }
            let chosen = value.stringValue ?? ""
            text.add(
                row.name,
                .gauge,
                row.help,
                row.choices.map { (MetricsText.label(row.label, $0), $0 == chosen ? 1 : 0) }
            )
        }
        text.add("jarvis_problems", .gauge, "Things that are wrong.", [("", Double(values.list("degraded").count))])
        for (name, label, help, path) in counted {
            guard case .object(let members) = values[path] else { continue }
            // Bounded: reasons are the daemon's words.
            let known = members.sorted { $0.key < $1.key }.prefix(32)
            text.add(
                name,
                .counter,
                help,
                known.compactMap { key, value in value.doubleValue.map { (MetricsText.label(label, key), $0) } }
            )
        }
    }

    /// Objects whose members are counters.
    private static let counted: [(name: String, label: String, help: String, path: String)] = [
        ("jarvis_reconnects_total", "reason", "New connections to the voice service.", "reconnects"),
        ("jarvis_tokens_total", "kind", "Tokens of the voice service; begins again at midnight.", "tokens_today"),
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

    private struct Numbers {
        var name: String
        var kind: MetricsText.Kind
        var help: String
        /// Samples: their labels, and the path of the member.
        var members: [(String, String)]
        var divisor: Double

        init(
            _ name: String,
            _ kind: MetricsText.Kind,
            _ help: String,
            _ members: [(String, String)],
            divisor: Double = 1
        ) {
            self.name = name
            self.kind = kind
            self.help = help
            self.members = members
            self.divisor = divisor
        }
    }

    private static let numbers = [
        Numbers("jarvis_uptime_seconds", .gauge, "Since the daemon's start.", [("", "uptime_s")]),
        Numbers("jarvis_resident_memory_bytes", .gauge, "Memory of the daemon.", [("", "rss_bytes")]),
        Numbers("jarvis_threads", .gauge, "Threads of the daemon.", [("", "threads")]),
        Numbers("jarvis_turns_total", .counter, "Turns.", [("", "turns_total")]),
        Numbers("jarvis_turns_interrupted_total", .counter, "Turns the user cut off.", [("", "turns_interrupted")]),
        Numbers(
            "jarvis_xruns_total",
            .counter,
            "Gaps in the sound.",
            [(#"stream="capture""#, "capture_xruns"), (#"stream="playback""#, "playback_xruns")]
        ),
        Numbers("jarvis_device_losses_total", .counter, "Sound devices lost.", [("", "device_losses")]),
        Numbers("jarvis_microphone_muted", .gauge, "Whether it is muted.", [("", "microphone_muted")]),
        Numbers("jarvis_quiet", .gauge, "Whether quiet hours are on.", [("", "quiet")]),
        Numbers(
            "jarvis_volume_ratio",
            .gauge,
            "Volumes.",
            ["master", "voice", "media", "earcons"].map { (#"channel="\#($0)""#, "volumes.\($0)") },
            divisor: 100
        ),
        Numbers("jarvis_echo_erle_decibels", .gauge, "Echo removed by the canceller.", [("", "echo.erle_db")]),
        Numbers("jarvis_echo_delay_seconds", .gauge, "Delay of the echo.", [("", "echo.delay_ms")], divisor: 1000),
        Numbers(
            "jarvis_clock_drift_ratio",
            .gauge,
            "Drift between the two sound devices.",
            [("", "echo.drift_ppm")],
            divisor: 1e6
        ),
        Numbers("jarvis_echo_moves_total", .counter, "How often the box was moved.", [("", "echo.moves")]),
        Numbers("jarvis_session_age_seconds", .gauge, "Age of the voice session.", [("", "session_age_s")]),
        Numbers("jarvis_spent_today_dollars", .gauge, "Spent since midnight.", [("", "spent_today_usd")]),
        Numbers("jarvis_spent_hour_dollars", .gauge, "Spent in the last hour.", [("", "spent_hour_usd")]),
        Numbers("jarvis_budget_day_dollars", .gauge, "Limit of a day.", [("", "budget_day_usd")]),
        Numbers("jarvis_budget_hour_dollars", .gauge, "Limit of an hour.", [("", "budget_hour_usd")]),
        Numbers("jarvis_sent_today_seconds", .gauge, "Sound sent since midnight.", [("", "sent_today_s")]),
        Numbers("jarvis_sent_today_bytes", .gauge, "Sound sent since midnight.", [("", "sent_today_bytes")]),
        Numbers(
            "jarvis_talk_today_seconds",
            .gauge,
            "Conversation since midnight.",
            [("", "talk_today_min")],
            divisor: 1.0 / 60
        ),
        Numbers("jarvis_timers", .gauge, "Timers set.", [("", "timers")]),
        Numbers("jarvis_announcements", .gauge, "Announcements that wait.", [("", "announcements")]),
    ]
}

extension [String: JSONValue] {
    /// The list of this name; empty if there is none.
    fileprivate func list(_ name: String) -> [JSONValue] {
        if case .array(let values) = self[name] { values } else { [] }
    }

    /// The member at a path such as "echo.erle_db".
    fileprivate func member(_ path: String) -> JSONValue? {
        let names = path.split(separator: ".").map(String.init)
        return names.dropFirst().reduce(names.first.flatMap { self[$0] }) { $0?[$1] }
    }

    /// The same as a number; 0 and 1 for false and true.
    fileprivate func number(_ path: String) -> Double? {
        guard let value = member(path) else { return nil }
        if case .bool(let flag) = value { return flag ? 1 : 0 }
        return value.doubleValue
    }
}
