internal import VoiceBase

/// A command of the control socket.
package struct HouseOrder: Equatable, Sendable {
    package let command: String
    let arguments: [String: String]

    init(_ command: String, _ arguments: [String: String] = [:]) {
        (self.command, self.arguments) = (command, arguments)
    }

    /// The order of a home that has shown its key: it may name sounds at its own address, although that is in a private network.
    ///
    /// - Parameter home: its numeric address; nil for one without a key.
    func from(home: String?) -> HouseOrder {
        let plays = command == "media" && ["play", "enqueue", "interject"].contains(arguments["action"])
        guard plays, let home else { return self }
        return HouseOrder(command, arguments.merging(["home": home]) { own, _ in own })
    }
}

/// One thing of the box in Home Assistant: a row of `all`.
struct HouseEntity: Sendable {
    enum Platform: String, Sendable {
        case button, event, notify, number, select, sensor, `switch`, text, update
    }

    /// How a command is queued behind earlier commands of the same entity.
    enum Queue: Sendable, Equatable {
        /// The command replaces them: only the last one counts.
        case last
        /// The command waits behind them, up to this many.
        case all(Int)
    }

    /// Part of its topics and of its unique id.
    let id: String
    let platform: Platform
    let name: String
    /// Further members of the discovery payload, under Home Assistant's abbreviated names.
    var members: [String: JSONValue] = [:]
    /// Whether the entity shows spoken words: it is offered only if the user wants them in Home Assistant.
    var tellsWords = false
    /// The state in Home Assistant's form; nil while it is unknown. Without a function the entity has no state.
    var state: (@Sendable (HouseStatus) -> String?)?
    /// Details of the state, as an object.
    var attributes: (@Sendable (HouseStatus) -> JSONValue)?
    /// The order that follows from a text of Home Assistant; nil if the text is outside the limits. Without a function
    /// the entity takes no commands.
    var command: (@Sendable (String) -> HouseOrder?)?
    var queue = Queue.last

    static let all: [HouseEntity] = controls + volumes + readings + events + words

    static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }

    /// Entities of earlier versions, which are removed from Home Assistant.
    static let retired: [(id: String, platform: Platform)] = []

    // MARK: - Rows

    private static let controls: [HouseEntity] = [
        HouseEntity(
            id: "mute",
            platform: .switch,
            name: "Microphone mute",
            members: ["ic": "mdi:microphone-off", "pl_on": "on", "pl_off": "off"],
            state: { $0.flag("microphone_muted") },
            command: { ["on": HouseOrder("mute"), "off": HouseOrder("unmute")][$0] }
        ),
        HouseEntity(
            id: "quiet",
            platform: .switch,
            name: "Quiet hours",
            members: ["ic": "mdi:sleep", "pl_on": "on", "pl_off": "off"],
            state: { $0.flag("quiet") },
            command: { ["on", "off"].contains($0) ? HouseOrder("quiet", ["switch": $0]) : nil }
        ),
        HouseEntity(
            id: "mode",
            platform: .select,
            name: "Activation",
            members: ["ic": "mdi:ear-hearing", "ent_cat": "config", "ops": .array(modes.map { .string($0) })],
            state: { status in status.text("mode").flatMap { modes.contains($0) ? $0 : nil } },
            command: { modes.contains($0) ? HouseOrder("mode", ["mode": $0]) : nil }
        ),
        HouseEntity(
            id: "announce",
            platform: .notify,
            name: "Announce",
            members: ["ic": "mdi:bullhorn"],
            command: { spoken($0, atMost: 1000).map { HouseOrder("announce", ["text": $0]) } },
            queue: .all(16)
        ),
        HouseEntity(
            id: "ask",
            platform: .text,
            name: "Ask",
            members: ["ic": "mdi:chat-question", "min": 1, "max": 255],
            command: { spoken($0, atMost: 2000).map { HouseOrder("ask", ["text": $0]) } },
            queue: .all(4)
        ),
        button("stop", "Stop", "mdi:stop"),
        button("listen", "Listen", "mdi:microphone-message"),
        button("reset", "Start over", "mdi:restart"),
    ]

    private static let modes = ["always", "wake", "push"]

    private static let volumes = [
        ("master", "Volume", "mdi:volume-high"), ("voice", "Voice volume", "mdi:account-voice"),
        ("media", "Media volume", "mdi:music-note"),
        ("inputs", "Other programs' volume", "mdi:speaker-wireless"), ("earcons", "Chime volume", "mdi:bell-outline"),
    ].map { channel, name, icon in
        HouseEntity(
            id: "volume_" + channel,
            platform: .number,
            name: name,
            members: [
                "ic": .string(icon), "min": 0, "max": 100, "step": 1, "unit_of_meas": "%", "mode": "slider",
            ].merging(channel == "master" ? [:] : ["ent_cat": "config"]) { own, _ in own },
            state: { $0.percent("volumes." + channel) },
            command: { percent($0).map { HouseOrder("volume", ["channel": channel, "percent": $0]) } }
        )
    }

    private static let readings: [HouseEntity] = [
        choice("state", "State", "mdi:state-machine", "state"),
        choice("health", "Health", "mdi:heart-pulse", "health.level", category: "diagnostic") { status in
            let health = Health(status.values["health"])
            let lines = (health?.problems ?? []).map { JSONValue.string($0.line) }
            return ["problems": .array(lines), "works": .string(health?.works ?? "")]
        },
        HouseEntity(
            id: "service",
            platform: .sensor,
            name: "Voice service",
            members: ["ic": "mdi:cloud-outline", "ent_cat": "diagnostic"],
            state: { $0.text("substitute") ?? $0.text("service") }
        ),
        HouseEntity(
            id: "last_error",
            platform: .sensor,
            name: "Last error",
            members: ["ic": "mdi:alert-circle-outline", "ent_cat": "diagnostic"],
            state: { $0.trouble }
        ),
        HouseEntity(
            id: "cost_today",
            platform: .sensor,
            name: "Cost today",
            members: [
                "ic": "mdi:cash", "unit_of_meas": "USD", "stat_cla": "total_increasing", "sug_dsp_prc": 2,
            ],
            state: { $0.money("spent_today_usd") }
        ),
        choice("echo", "Echo cancellation", "mdi:waveform", "echo.quality", category: "diagnostic"),
        HouseEntity(
            id: "playing",
            platform: .sensor,
            name: "Now playing",
            members: ["ic": "mdi:music"],
            state: { $0.playing },
            attributes: { .object($0.values["media"]?.members(["state", "song", "queue_length"]) ?? [:]) }
        ),
        HouseEntity(
            id: "next_timer",
            platform: .sensor,
            name: "Next timer",
            members: ["ic": "mdi:timer-outline", "dev_cla": "timestamp"],
            state: { $0.nextTimer.map { LocalTime(seconds: $0.due).stamp + "+00:00" } },
            attributes: { status in
                // The name of a timer is spoken words.
                let names = status.tellsWords ? ["kind", "name"] : ["kind"]
                return .object(status.nextTimer?.timer.members(names) ?? [:])
            }
        ),
        HouseEntity(
            id: "update",
            platform: .update,
            name: "Update",
            members: ["ent_cat": "diagnostic", "tit": "jarvis-voiced"],
            state: { $0.update }
        ),
    ]

    /// Their events are made by `HouseNews`.
    private static let events = [
        ("wake", "Wake word", "mdi:account-voice", ["heard"]),
        ("turn", "Turn", "mdi:chat-processing", ["finished", "failed"]),
        ("timer", "Timer", "mdi:timer", ["set", "rings", "ended"]),
    ].map { id, name, icon, types in
        HouseEntity(
            id: id,
            platform: .event,
            name: name,
            members: ["ic": .string(icon), "evt_typ": .array(types.map { .string($0) })]
        )
    }

    private static let words = [("heard", "Last question", "user"), ("answer", "Last answer", "jarvis")].map {
        id,
        name,
        speaker in
        HouseEntity(
            id: id,
            platform: .sensor,
            name: name,
            members: ["ic": "mdi:text"],
            tellsWords: true,
            state: { $0.lastWords(of: speaker) }
        )
    }

    private static func button(_ id: String, _ name: String, _ icon: String) -> HouseEntity {
        HouseEntity(
            id: id,
            platform: .button,
            name: name,
            members: ["ic": .string(icon)],
            command: { $0 == "PRESS" ? HouseOrder(id) : nil }
        )
    }

    private static func choice(
        _ id: String,
        _ name: String,
        _ icon: String,
        _ path: String,
        category: String? = nil,
        attributes: (@Sendable (HouseStatus) -> JSONValue)? = nil
    ) -> HouseEntity {
        var members: [String: JSONValue] = [
            "ic": .string(icon), "dev_cla": "enum",
            "ops": .array(BridgeMetrics.choices(of: path).map { .string($0) }),
        ]
        if let category { members["ent_cat"] = .string(category) }
        return HouseEntity(
            id: id,
            platform: .sensor,
            name: name,
            members: members,
            state: { $0.choice(path) },
            attributes: attributes
        )
    }

    /// 0 to 100 as a whole number; nil for anything else.
    private static func percent(_ text: String) -> String? {
        guard text.utf8.count <= 16, let value = Double(text), 0...100 ~= value else { return nil }
        return String(Int(value.rounded()))
    }

    /// A text with content; nil if it is empty or too long, in bytes.
    private static func spoken(_ text: String, atMost limit: Int) -> String? {
        text.utf8.count <= limit && text.isSayable ? text : nil
    }
}
