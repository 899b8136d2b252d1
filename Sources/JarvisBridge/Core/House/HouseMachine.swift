internal import VoiceBase

/// Decides what the box publishes to Home Assistant over MQTT, and which commands of Home Assistant it carries out. A pure value.
///
/// Discovery and states are retained: Home Assistant subscribes to a state only after it has read the discovery
/// message, and earlier messages are lost. Events are never retained, and wait until Home Assistant has subscribed.
struct HouseMachine {
    struct Moment {
        /// Never jumps.
        var uptime: Duration
        /// Unix time.
        var wall: Int
    }

    enum Event {
        /// The broker has accepted this client.
        case connected
        case disconnected
        /// A message of the broker; `isRetained` if it is older than the subscription.
        case message(topic: String, payload: [UInt8], isRetained: Bool)
        /// The daemon's whole status; nil: it is gone.
        case status([String: JSONValue]?)
        /// The daemon has carried out or refused the order of an entity.
        ///
        /// - Parameter problem: why it was refused.
        case answered(entity: String, problem: String?)
        /// The newest version on offer.
        case offered(String?)
        /// The moment of the last `Effect.look` has come.
        case look
    }

    enum Effect: Equatable {
        case subscribe([String])
        case publish(topic: String, payload: String, isRetained: Bool)
        /// To the control socket; `Event.answered` follows.
        case order(entity: String, HouseOrder)
        /// Send `Event.look` after this time.
        case look(after: Duration)
        case log(String)
    }

    /// Longest time from a discovery message until Home Assistant has subscribed to its topics.
    static let subscribing = Duration.seconds(2)
    /// Devices answer a Home Assistant that has come back within this time, each at a different moment.
    static let spread = Duration.seconds(1)
    /// Events that wait for a subscription; beyond it the oldest is lost.
    static let mostEvents = 16

    private let settings: HouseSettings
    private let identity: String
    /// 0 to 1: when this box answers within `spread`.
    private let place: Double
    /// The name that the daemon reports; nil before its first status. Home Assistant makes the names of the entities
    /// from the first name that it reads, so there is no discovery before.
    private var name: String?
    private var version = ""
    private var isConnected = false
    private var status: [String: JSONValue]?
    private var newest: String?
    private var news = HouseNews()
    /// The payloads that the broker has, by topic.
    private var sent: [String: String] = [:]
    private var timers = TimerClock()
    private var eventsFrom = Duration.zero
    private var waitingEvents: [HouseNews.Item] = []
    /// When to publish everything again.
    private var repeatAt: Duration?
    private var orders = OrderQueue()
    private var refused = LossMeter()

    init(_ settings: HouseSettings, identity: String, place: Double) {
        (self.settings, self.identity, self.place) = (settings, identity, place)
    }

    mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        switch event {
        case .connected:
            isConnected = true
            return [.subscribe([topic("+") + "/set", settings.homeTopic])] + sayAll(at: now)
        case .disconnected:
            isConnected = false
            (sent, waitingEvents, repeatAt) = ([:], [], nil)
            return []
        case .message(let topic, let payload, let isRetained):
            return heard(topic, payload, isRetained, at: now)
        case .status(let values):
            return learned(values, at: now)
        case .answered(let entity, let problem):
            return answered(entity, problem)
        case .offered(let version):
            newest = version
            return isConnected ? states() : []
        case .look:
            return look(at: now)
        }
    }

    // MARK: - What the box says

    private var device: String { "jarvis_" + identity }

    private var configurationTopic: String { "\(settings.prefix)/device/\(device)/config" }

    private func topic(_ entity: String) -> String { "\(Self.base(identity))/\(entity)" }

    private static func base(_ identity: String) -> String { "jarvis/\(identity)" }

    /// The topic that shows whether the box is there, and the payload that the broker publishes once the box is lost.
    static func availability(_ identity: String) -> String { base(identity) + "/availability" }
    static let offline = "offline"

    private func isOffered(_ entity: HouseEntity) -> Bool { !entity.tellsWords || settings.tellsWords }

    /// Everything, in the order in which Home Assistant needs it.
    private mutating func sayAll(at now: Moment) -> [Effect] {
        sent = [:]
        repeatAt = nil
        eventsFrom = now.uptime + Self.subscribing
        var effects = [name.map(discovery).flatMap { say(configurationTopic, $0.encoded) }]
        effects += [say(Self.availability(identity), status == nil ? Self.offline : "online")]
        for entity in HouseEntity.all where !isOffered(entity) {
            // Deletes values of the entity that the broker may still hold.
            effects += [say(topic(entity.id), "")]
        }
        return effects.compactMap(\.self) + states() + [.look(after: Self.subscribing)]
    }

    /// nil if the broker already has the payload.
    private mutating func say(_ topic: String, _ payload: String) -> Effect? {
        guard isConnected, sent[topic] != payload else { return nil }
        sent[topic] = payload
        return .publish(topic: topic, payload: payload, isRetained: true)
    }

    /// The states that have changed.
    private mutating func states() -> [Effect] {
        guard let values = status else { return [] }
        let status = timers.status(values, newest: newest, tellsWords: settings.tellsWords)
        var effects: [Effect?] = []
        for entity in HouseEntity.all where isOffered(entity) {
            if let state = entity.state {
                let text = state(status)?.bounded(toBytes: Self.longestState(entity.platform))
                effects.append(say(topic(entity.id), text ?? "None"))
            }
            if let attributes = entity.attributes {
                effects.append(say(topic(entity.id) + "/attributes", attributes(status).encoded))
            }
        }
        return effects.compactMap(\.self)
    }

    /// Home Assistant takes states of at most 255 characters; that of an update is JSON, and may be longer.
    private static func longestState(_ platform: HouseEntity.Platform) -> Int { platform == .update ? 4096 : 255 }

    private func discovery(of name: String) -> JSONValue {
        var device: [String: JSONValue] = [
            "ids": [.string(device)], "name": .string(name), "mf": "jarvis-voiced", "mdl": "Voice box",
            "sw": .string(version),
        ]
        if let area = settings.area { device["sa"] = .string(area) }
        if let page = settings.page { device["cu"] = .string(page) }
        let removed = HouseEntity.retired + HouseEntity.all.filter { !isOffered($0) }.map { ($0.id, $0.platform) }
        var components = HouseEntity.all.filter(isOffered).map { ($0.id, component($0)) }
        // A component with nothing but its platform removes the entity; one that is left out would stay.
        components += removed.map { ($0.0, ["p": .string($0.1.rawValue)]) }
        return [
            "dev": .object(device), "o": ["name": "jarvis-voiced", "sw": .string(ProgramVersion.current)],
            "avty_t": .string(Self.availability(identity)),
            "cmps": .object(Dictionary(components) { first, _ in first }),
        ]
    }

    private func component(_ entity: HouseEntity) -> JSONValue {
        var members = entity.members
        members["p"] = .string(entity.platform.rawValue)
        members["name"] = .string(entity.name)
        members["uniq_id"] = .string("\(device)_\(entity.id)")
        if entity.state != nil || entity.platform == .event { members["stat_t"] = .string(topic(entity.id)) }
        if entity.attributes != nil { members["json_attr_t"] = .string(topic(entity.id) + "/attributes") }
        if entity.command != nil { members["cmd_t"] = .string(topic(entity.id) + "/set") }
        return .object(members)
    }

    private mutating func learned(_ values: [String: JSONValue]?, at now: Moment) -> [Effect] {
        guard let values else {
            news.forget()
            guard status != nil else { return [] }
            status = nil
            timers.forget()
            return [say(Self.availability(identity), Self.offline)].compactMap(\.self)
        }
        timers.learn(values, at: now.wall)
        status = values
        let known = (
            values["name"]?.stringValue ?? name ?? BoxName.shown(""), values["version"]?.stringValue ?? version
        )
        let isOther = name != known.0 || version != known.1
        (name, version) = known
        let items = news.learn(values, tellsWords: settings.tellsWords)
        guard isConnected else { return [] }
        // A new name or version needs another discovery message.
        let effects =
            isOther ? sayAll(at: now) : [say(Self.availability(identity), "online")].compactMap(\.self) + states()
        waitingEvents += items
        if waitingEvents.count > Self.mostEvents { waitingEvents.removeFirst(waitingEvents.count - Self.mostEvents) }
        return effects + events(at: now)
    }

    /// The events that need not wait any longer.
    private mutating func events(at now: Moment) -> [Effect] {
        guard now.uptime >= eventsFrom else { return [] }
        defer { waitingEvents = [] }
        return waitingEvents.map { .publish(topic: topic($0.entity), payload: $0.payload, isRetained: false) }
    }

    private mutating func look(at now: Moment) -> [Effect] {
        guard isConnected else { return [] }
        if let repeatAt, now.uptime >= repeatAt { return sayAll(at: now) }
        return events(at: now)
    }

    // MARK: - What Home Assistant says

    private mutating func heard(
        _ topic: String,
        _ payload: [UInt8],
        _ isRetained: Bool,
        at now: Moment
    ) -> [Effect] {
        if topic == settings.homeTopic {
            // Home Assistant and the broker may have forgotten everything. One repetition answers all such messages before it.
            guard isConnected, payload.elementsEqual("online".utf8), repeatAt == nil else { return [] }
            let pause = Self.spread * place
            repeatAt = now.uptime + pause
            return [.look(after: pause)]
        }
        let start = Self.base(identity) + "/"
        // A command that the broker has kept was meant for another time.
        guard !isRetained, topic.hasPrefix(start), topic.hasSuffix("/set"),
            let entity = HouseEntity.byID[String(topic.dropFirst(start.count).dropLast(4))],
            let command = entity.command
        else { return [] }
        guard let text = String(validating: payload, as: UTF8.self), let order = command(text) else {
            return refuse("a command of MQTT for \(entity.name) is outside its limits", at: now)
        }
        switch orders.add(order, of: entity.id, entity.queue) {
        case .now: return [.order(entity: entity.id, order)]
        case .later: return []
        case .refused: return refuse("too many commands of MQTT for \(entity.name)", at: now)
        }
    }

    /// One line for many refusals: everyone with an account at the broker can send any number of commands.
    private mutating func refuse(_ line: String, at now: Moment) -> [Effect] {
        refused.add(1, at: now.uptime)
        guard let count = refused.dequeue(at: now.uptime, isOver: true) else { return [] }
        return [.log(count == 1 ? line : "\(line), and \(count - 1) before it were refused too")]
    }

    private mutating func answered(_ entity: String, _ problem: String?) -> [Effect] {
        var effects: [Effect] = []
        if let problem { effects.append(.log("\(HouseEntity.byID[entity]?.name ?? entity), by MQTT: \(problem)")) }
        if let next = orders.answered(entity) { effects.append(.order(entity: entity, next)) }
        return effects
    }
}
