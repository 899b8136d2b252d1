import Testing
import VoiceBase
import VoiceCore

@testable import BridgeCore

struct HouseMachineTests {
    private typealias Effect = HouseMachine.Effect

    /// A machine and its clock.
    private struct Box {
        var machine: HouseMachine
        var seconds = 1000.0

        init(_ change: (inout HouseSettings) -> Void = { _ in }) throws {
            var settings = try HouseSettings(broker: "mqtts://broker.example")
            change(&settings)
            machine = HouseMachine(settings, identity: "0123456789ab", place: 0.5)
        }

        mutating func handle(_ event: HouseMachine.Event) -> [Effect] {
            let moment = HouseMachine.Moment(uptime: .seconds(seconds), wall: 1_795_000_000 + Int(seconds))
            return machine.handle(event, at: moment)
        }

        mutating func hear(_ topic: String, _ payload: String, isRetained: Bool = false) -> [Effect] {
            handle(.message(topic: topic, payload: Array(payload.utf8), isRetained: isRetained))
        }

        mutating func command(_ entity: String, _ payload: String, isRetained: Bool = false) -> [Effect] {
            hear("jarvis/0123456789ab/\(entity)/set", payload, isRetained: isRetained)
        }
    }

    private static let base = "jarvis/0123456789ab/"
    private static let config = "homeassistant/device/jarvis_0123456789ab/config"

    private let status: [String: JSONValue] = [
        "name": "Kitchen", "version": "1.2.0", "state": "idle", "microphone_muted": false, "quiet": false,
        "mode": "wake",
        "volumes": ["master": 40, "voice": 80, "media": 50, "inputs": 60, "earcons": 30, "muted": false],
        "health": ["level": "well", "problems": []], "service": "host, model", "spent_today_usd": 1.256,
        "echo": ["quality": "good"], "media": ["state": "playing", "title": "A song", "position_s": 3],
        "timer_list": [
            ["number": 1, "kind": "timer", "name": "tea for Ada", "left_s": 60, "rings": false, "paused": false]
        ],
        "wake_list": [], "turn_list": [],
    ]

    private func published(_ effects: [Effect]) -> [String: String] {
        let all = effects.compactMap { effect -> (String, String)? in
            if case .publish(let topic, let payload, _) = effect { (topic, payload) } else { nil }
        }
        return Dictionary(all) { _, last in last }
    }

    private func components(_ effects: [Effect]) throws -> [String: JSONValue] {
        let payload = try #require(published(effects)[Self.config])
        let document = try #require(OutsideJSON.decode(JSONValue.self, from: payload.utf8, atMost: 1 << 20))
        guard case .object(let components)? = document["cmps"] else { return [:] }
        return components
    }

    @Test func discoveryComesFirstAndEveryStateIsRetained() throws {
        var box = try Box()
        _ = box.handle(.status(status))
        let effects = box.handle(.connected)
        #expect(effects.first == .subscribe([Self.base + "+/set", "homeassistant/status"]))
        let topics = effects.compactMap { effect -> String? in
            guard case .publish(let topic, _, let isRetained) = effect else { return nil }
            #expect(isRetained)
            return topic
        }
        #expect(Array(topics.prefix(2)) == [Self.config, Self.base + "availability"])
        let said = published(effects)
        #expect(said[Self.base + "availability"] == "online")
        for (entity, state) in [
            "mute": "off", "quiet": "off", "mode": "wake", "volume_master": "40", "volume_earcons": "30",
            "state": "idle",
            "health": "well", "service": "host, model", "cost_today": "1.26", "echo": "good", "playing": "A song",
            "last_error": "none", "next_timer": "2026-11-18T11:24:20+00:00",
        ] {
            #expect(said[Self.base + entity] == state, "\(entity)")
        }
        let silent = HouseEntity.all.filter { $0.state != nil && said[Self.base + $0.id] == nil }
        #expect(silent.map(\.id) == [], "a path without such a member, or a member that the status above lacks")
    }

    @Test func everyComponentHasTheRequiredMembers() throws {
        var box = try Box { $0.tellsWords = true }
        _ = box.handle(.connected)
        let components = try components(box.handle(.status(status)))
        #expect(components.count == HouseEntity.all.count)
        let required = [
            "switch": ["cmd_t", "stat_t", "pl_on", "pl_off"], "number": ["cmd_t", "stat_t", "min", "max"],
            "select": ["cmd_t", "stat_t", "ops"], "sensor": ["stat_t"], "event": ["stat_t", "evt_typ"],
            "notify": ["cmd_t"], "text": ["cmd_t", "max"], "button": ["cmd_t"], "update": ["stat_t"],
        ]
        for (id, component) in components {
            let platform = try #require(component["p"]?.stringValue)
            for member in try #require(required[platform]) + ["name", "uniq_id"] {
                #expect(component[member] != nil, "\(id) has no \(member)")
            }
            if platform == "sensor" { #expect(component["ent_cat"] != "config", "\(id) would be refused") }
        }
        #expect(Set(components.values.compactMap { $0["p"]?.stringValue }) == Set(required.keys))
    }

    @Test func readsOnlyMembersThatTheDaemonHas() {
        let members = Set(StatusSchema.members.map(\.name))
        #expect(Set(status.keys).subtracting(members) == [])
    }

    @Test func onlyChangedStatesArePublished() throws {
        var box = try Box()
        _ = box.handle(.connected)
        _ = box.handle(.status(status))
        #expect(box.handle(.status(status)) == [])
        var changed = status
        changed["microphone_muted"] = true
        // Home Assistant shows no seconds of what plays.
        changed["media"] = ["state": "playing", "title": "A song", "position_s": 4]
        let mute = Effect.publish(topic: Self.base + "mute", payload: "on", isRetained: true)
        #expect(box.handle(.status(changed)) == [mute])
    }

    @Test func restartedHomeAssistantIsToldEverythingOnce() throws {
        var box = try Box()
        _ = box.handle(.status(status))
        let first = published(box.handle(.connected))
        #expect(box.hear("homeassistant/status", "offline") == [])
        #expect(box.hear("homeassistant/status", "online") == [.look(after: .milliseconds(500))])
        #expect(box.hear("homeassistant/status", "online") == [])
        #expect(box.handle(.look) == [])
        box.seconds += 0.5
        #expect(published(box.handle(.look)) == first)
        #expect(box.hear("homeassistant/status", "online") != [])
    }

    @Test func eventsWaitForTheSubscriptionAndAreNotRetained() throws {
        var box = try Box()
        _ = box.handle(.status(status))
        _ = box.handle(.connected)
        var changed = status
        changed["wake_list"] = [["at": "2026-11-27T03:00:00Z", "word": "hey jarvis", "heard": true, "score": 0.9]]
        #expect(box.handle(.status(changed)) == [])
        box.seconds += 2
        let wake = Effect.publish(
            topic: Self.base + "wake",
            payload: #"{"event_type":"heard","word":"hey jarvis"}"#,
            isRetained: false
        )
        #expect(box.handle(.look) == [wake])
        #expect(box.handle(.look) == [])
        changed["turn_list"] = [["at": "2026-11-27T03:00:09Z", "turn": 1, "calls": 1, "answered_ms": 900]]
        let turn = Effect.publish(
            topic: Self.base + "turn",
            payload: #"{"answered_ms":900,"calls":1,"event_type":"finished","turn":1}"#,
            isRetained: false
        )
        #expect(box.handle(.status(changed)) == [turn])
    }

    @Test func earlierTurnsAreNoEvents() throws {
        var box = try Box()
        _ = box.handle(.connected)
        box.seconds += 5
        var known = status
        known["turn_list"] = [["at": "2026-11-27T03:00:09Z", "turn": 1]]
        func isEvent(_ effect: Effect) -> Bool {
            if case .publish(_, _, false) = effect { true } else { false }
        }
        #expect(!box.handle(.status(known)).contains(where: isEvent))
        #expect(
            box.handle(.status(nil)) == [
                .publish(topic: Self.base + "availability", payload: "offline", isRetained: true)
            ]
        )
        known["turn_list"] = [["at": "2026-11-27T04:00:09Z", "turn": 1]]
        #expect(!box.handle(.status(known)).contains(where: isEvent))
    }

    @Test func timerEventsOmitTheName() throws {
        var box = try Box()
        _ = box.handle(.connected)
        var present = status
        present["timer_list"] = []
        _ = box.handle(.status(present))
        box.seconds += 5
        func events(_ timers: JSONValue) -> [String] {
            present["timer_list"] = timers
            return box.handle(.status(present)).compactMap { effect in
                if case .publish(_, let payload, false) = effect { payload } else { nil }
            }
        }
        func timer(rings: Bool) -> JSONValue {
            ["kind": "timer", "name": "tea", "left_s": 60, "rings": .bool(rings), "paused": false]
        }
        #expect(events([timer(rings: false)]) == [#"{"event_type":"set","kind":"timer"}"#])
        #expect(events([timer(rings: true)]) == [#"{"event_type":"rings","kind":"timer"}"#])
        #expect(events([]) == [#"{"event_type":"ended","kind":"timer"}"#])
    }

    @Test func dueTimeToleratesSmallClockDifferences() throws {
        var box = try Box()
        _ = box.handle(.connected)
        _ = box.handle(.status(status))
        var later = status
        box.seconds += 10.6
        later["timer_list"] = [
            ["number": 1, "kind": "timer", "name": "tea for Ada", "left_s": 49, "rings": false, "paused": false]
        ]
        #expect(box.handle(.status(later)) == [])
        // The daemon says it only when something changes: seconds run by themselves.
        box.seconds += 20
        later["quiet"] = true
        #expect(published(box.handle(.status(later))) == [Self.base + "quiet": "on"])
    }

    @Test(arguments: [
        ("mute", "on", "mute"), ("mute", "off", "unmute"), ("quiet", "on", "quiet"), ("mode", "push", "mode"),
        ("volume_media", "55.4", "volume"), ("announce", "Dinner \"is\" ready", "announce"),
        ("ask", "What now?", "ask"),
        ("stop", "PRESS", "stop"), ("listen", "PRESS", "listen"), ("reset", "PRESS", "reset"),
    ])
    func commandWithinItsLimitsBecomesAnOrder(entity: String, payload: String, command: String) throws {
        var box = try Box()
        _ = box.handle(.connected)
        guard case .order(entity, let order)? = box.command(entity, payload).first else {
            Issue.record("no order")
            return
        }
        #expect(order.command == command)
        if entity == "volume_media" { #expect(order.arguments == ["channel": "media", "percent": "55"]) }
    }

    @Test(arguments: [
        ("mute", "ON"), ("quiet", ""), ("mode", "never"), ("volume_master", "140"), ("volume_master", "-1"),
        ("volume_master", "nan"), ("volume_master", "+10"), ("volume_master", "1e400"), ("stop", "press"),
        ("announce", ""), ("announce", " \n"), ("announce", String(repeating: "a", count: 1001)),
        ("ask", String(repeating: "a", count: 2001)), ("state", "idle"), ("nothing", "1"), ("../mute", "on"),
    ])
    func commandOutsideItsLimitsIsIgnored(entity: String, payload: String) throws {
        var box = try Box()
        _ = box.handle(.connected)
        let isOrder = box.command(entity, payload).contains { if case .order = $0 { true } else { false } }
        // `ctl` takes a sign for a change; here it is a number.
        #expect(isOrder == (payload == "+10"))
    }

    @Test func invalidUTF8IsIgnored() throws {
        var box = try Box()
        _ = box.handle(.connected)
        let message = HouseMachine.Event.message(
            topic: Self.base + "announce/set", payload: [0x44, 0xFF, 0xFE], isRetained: false
        )
        #expect(box.handle(message) == [.log("a command of MQTT for Announce is outside its limits")])
    }

    @Test func retainedCommandIsIgnored() throws {
        var box = try Box()
        _ = box.handle(.connected)
        #expect(box.command("stop", "PRESS", isRetained: true) == [])
        #expect(box.command("stop", "PRESS") != [])
    }

    @Test func lastSettingWinsAndEveryAnnouncementCounts() throws {
        var box = try Box()
        _ = box.handle(.connected)
        func percent(_ effects: [Effect]) -> [String?] {
            effects.map { if case .order(_, let order) = $0 { order.arguments["percent"] } else { nil } }
        }
        #expect(percent(box.command("volume_master", "10")) == ["10"])
        for value in 11...90 { #expect(box.command("volume_master", "\(value)") == []) }
        #expect(percent(box.handle(.answered(entity: "volume_master", problem: nil))) == ["90"])
        #expect(box.handle(.answered(entity: "volume_master", problem: nil)) == [])

        func text(_ effects: [Effect]) -> [String?] {
            effects.map { if case .order(_, let order) = $0 { order.arguments["text"] } else { nil } }
        }
        #expect(text(box.command("announce", "one")) == ["one"])
        for number in 2...17 { #expect(box.command("announce", "\(number)") == []) }
        #expect(box.command("announce", "18") == [.log("too many commands of MQTT for Announce")])
        for number in 2...17 {
            #expect(text(box.handle(.answered(entity: "announce", problem: nil))) == ["\(number)"])
        }
        #expect(box.handle(.answered(entity: "announce", problem: "denied")) == [.log("Announce, by MQTT: denied")])
    }

    @Test func spokenWordsNeedBothSettings() throws {
        var spoken = status
        spoken["transcript"] = [
            ["at": "2026-11-27T03:00:00Z", "who": "user", "text": "my secret question"],
            ["at": "2026-11-27T03:00:02Z", "who": "jarvis", "text": .string(String(repeating: "long ", count: 100))],
        ]
        var silent = try Box()
        _ = silent.handle(.status(spoken))
        let effects = silent.handle(.connected)
        let all = published(effects)
        #expect(!all.values.contains { $0.contains("secret") || $0.contains("long") || $0.contains("Ada") })
        // What an earlier setting left there goes.
        #expect(try components(effects)["heard"] == ["p": "sensor"])
        #expect(all[Self.base + "heard"] == "" && all[Self.base + "answer"] == "")

        var telling = try Box { $0.tellsWords = true }
        _ = telling.handle(.status(spoken))
        let told = published(telling.handle(.connected))
        #expect(told[Self.base + "heard"] == "my secret question")
        #expect(told[Self.base + "answer"]?.utf8.count == 255)
        // The daemon's transcripts are off again.
        #expect(published(telling.handle(.status(status)))[Self.base + "heard"] == "None")
    }

    @Test func discoveryWaitsForTheNameAndFollowsIt() throws {
        var box = try Box()
        // While the daemon is not there, nothing makes up a name: entities would keep it for good.
        #expect(
            published(box.handle(.connected)) == [
                Self.base + "availability": "offline", Self.base + "heard": "", Self.base + "answer": "",
            ]
        )
        #expect(published(box.handle(.status(status)))[Self.config]?.contains(#""name":"Kitchen""#) == true)
        var renamed = status
        renamed["name"] = "Hall"
        #expect(published(box.handle(.status(renamed)))[Self.config]?.contains(#""name":"Hall""#) == true)
    }

    @Test func onlyANewerVersionIsOffered() throws {
        var box = try Box()
        _ = box.handle(.connected)
        _ = box.handle(.status(status))
        let newer = #"{"installed_version":"1.2.0","latest_version":"1.10.0"}"#
        #expect(published(box.handle(.offered("1.10.0-1+deb12"))) == [Self.base + "update": newer])
        let same = #"{"installed_version":"1.2.0","latest_version":"1.2.0"}"#
        #expect(published(box.handle(.offered("1.1.9"))) == [Self.base + "update": same])
        #expect(PackageVersion("1.x") == nil && PackageVersion("") == nil)
        let list =
            "Package: other\nVersion: 9\n\nPackage: jarvis-voiced\nVersion: 1.3.0-1+deb12\n\nPackage: x\nVersion: 7"
        #expect(PackageVersion.newest(of: "jarvis-voiced", in: list)?.text == "1.3.0")
    }

    @Test func reconnectedBrokerIsToldEverythingAgain() throws {
        var box = try Box()
        _ = box.handle(.status(status))
        let first = published(box.handle(.connected))
        _ = box.handle(.disconnected)
        #expect(box.handle(.status(status)) == [])
        #expect(published(box.handle(.connected)) == first)
    }

    @Test func randomMessagesLeaveTheQueuesBounded() throws {
        var box = try Box { $0.tellsWords = true }
        _ = box.handle(.status(status))
        _ = box.handle(.connected)
        var random = SystemRandomNumberGenerator()
        var orders: [String: Int] = [:]
        let words = [
            "on", "off", "PRESS", "50", "-1", "1e999", "nan", "\u{0}", "wake", "online", "{}",
            String(repeating: "9", count: 400),
        ]
        for _ in 0..<5000 {
            box.seconds += 0.01
            let entity = (HouseEntity.all.map(\.id) + ["", "/", "+", "#"]).randomElement(using: &random) ?? ""
            let topic = Bool.random(using: &random) ? "homeassistant/status" : Self.base + entity + "/set"
            var payload = Array((words.randomElement(using: &random) ?? "").utf8)
            if Bool.random(using: &random) { payload += (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) } }
            for effect in box.handle(.message(topic: topic, payload: payload, isRetained: false)) {
                guard case .order(let entity, _) = effect else { continue }
                orders[entity, default: 0] += 1
            }
        }
        // Nothing was answered: each entity has one order under way.
        #expect(orders.values.allSatisfy { $0 == 1 })
        #expect(published(box.handle(.look)).isEmpty == false)
    }
}
