internal import VoiceBase

/// The facts about the box that the connections report. A value.
package struct NativeHouse: Equatable, Sendable {
    /// The box's name, for people.
    var name: String
    /// The daemon's version.
    var version: String
    /// One message for each entity that has a state.
    var states: [NativeMessage]
    /// Whether Home Assistant's pipeline hears the calls.
    var hears = false
    var words = NativeWords()

    package init(name: String, version: String, states: [NativeMessage]) {
        (self.name, self.version, self.states) = (name, version, states)
    }
}

/// Decides what the box says on one connection of Home Assistant by the ESPHome native API, and which requests it
/// carries out. A pure value.
///
/// It gets messages of permitted clients only: `NativeWire` rejects the others.
package struct NativeMachine {
    package enum Event {
        case message(NativeMessage)
        /// The box has changed; nil: the daemon is gone.
        case house(NativeHouse?)
        /// Messages about events.
        case news([NativeMessage])
        /// The daemon has carried out or refused the order of an entity.
        case answered(entity: String, problem: String?)
        /// The sound of an announcement is over.
        case announced(Int, isDone: Bool)
        /// Nothing was received for `silence`.
        case silence
    }

    package enum Effect: Equatable {
        case send(NativeMessage)
        /// To the control socket; `Event.answered` follows.
        case order(entity: String, HouseOrder)
        /// Play these addresses, in this order; `Event.announced` follows if there is a number.
        case announce(Int?, [String])
        /// A message for the pipeline.
        case assist(NativeMessage)
        /// An announcement that was a question is over: Home Assistant waits for the user's reply.
        case question(isDone: Bool)
        /// Close, after everything is sent.
        case close
        case log(String)
    }

    /// How long a client may be silent before it is pinged, and again before it is given up.
    static let silence = Duration.seconds(60)
    /// Announcements of one connection that wait; beyond it they are refused.
    static let mostAnnouncements = 8
    /// The bridge answers every question of the protocol up to this version: from 1.15 on Home Assistant asks for the
    /// capabilities, and hangs up on a box that does not answer.
    private static let version = (major: UInt32(1), minor: UInt32(18))
    /// Voice assistant, sound over this connection, timers, announcements; conversations that Home Assistant begins,
    /// only if its pipeline hears them.
    private var assistant: ProtoValue { .number(1 | 4 | 8 | 16 | (house?.hears == true ? 32 : 0)) }

    private let settings: NativeSettings
    private let address: String
    private var house: NativeHouse?
    /// Whether the client has said hello, and was answered.
    private(set) var isGreeted = false
    private var wantsStates = false
    private var isAsked = false
    /// The states that the client has.
    private var sent: Set<NativeMessage> = []
    private var orders = OrderQueue()
    private var announcements: Set<Int> = []
    /// Announcements that are questions.
    private var questions: Set<Int> = []
    /// The words that Home Assistant has just chosen.
    private var chosenWords: [String]?
    private var lastAnnouncement = 0

    /// - Parameter address: the address by which Home Assistant knows the box, in the form of a network card's.
    package init(_ settings: NativeSettings, address: String, house: NativeHouse?) {
        (self.settings, self.address, self.house) = (settings, address, house)
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .message(let message):
            isAsked = false
            return message.kind.map { heard(message, $0) } ?? []
        case .house(let house):
            defer { if house?.words != self.house?.words { chosenWords = nil } }
            let heard = self.house?.hears
            self.house = house
            // A connection reports the capabilities of the box only once.
            if let house, let heard, isGreeted, house.hears != heard { return [.close] }
            // Entities have no "unavailable" of their own here: Home Assistant shows it while there is no connection.
            guard house != nil else { return [.close] }
            return wantsStates ? states() : []
        case .news(let events): return wantsStates ? events.map { .send($0) } : []
        case .answered(let entity, let problem): return answered(entity, problem)
        case .announced(let number, let isDone):
            guard announcements.remove(number) != nil else { return [] }
            let finished = Effect.send(NativeMessage(.announceFinished, [ProtoField(1, .flag(isDone))]))
            return questions.remove(number) == nil ? [finished] : [finished, .question(isDone: isDone)]
        case .silence:
            if isAsked { return [.close] }
            isAsked = true
            return isGreeted ? [.send(NativeMessage(.ping))] : [.close]
        }
    }

    // MARK: - What Home Assistant says

    private mutating func heard(_ message: NativeMessage, _ kind: NativeMessage.Kind) -> [Effect] {
        guard let fields = message.fields else { return [.log("a message of Home Assistant is damaged"), .close] }
        switch kind {
        case .hello: return greet()
        case .authentication: return [.send(NativeMessage(.authenticationResponse))]
        case .disconnect: return [.send(NativeMessage(.disconnectResponse)), .close]
        case .ping: return [.send(NativeMessage(.pingResponse))]
        case .subscribeAssistant, .assistantResponse, .assistantEvent:
            return isGreeted ? [.assist(message)] : [.close]
        default: return isGreeted ? asked(kind, fields) : [.close]
        }
    }

    private mutating func greet() -> [Effect] {
        guard let house else { return [.close] }
        isGreeted = true
        let hello = NativeMessage(
            .helloResponse,
            [
                ProtoField(1, .number(Self.version.major)), ProtoField(2, .number(Self.version.minor)),
                ProtoField(3, .text("jarvis-voiced " + house.version)), ProtoField(4, .text(Self.host(house.name))),
            ]
        )
        return [.send(hello)]
    }

    /// The name as Home Assistant needs it, a label of DNS.
    static func host(_ name: String) -> String { BoxName.label(name) ?? BoxName.host }

    private mutating func asked(_ kind: NativeMessage.Kind, _ fields: ProtoFields) -> [Effect] {
        switch kind {
        case .deviceInfo: return [.send(deviceInfo)]
        case .listEntities:
            let player = house?.hears == true ? NativePlayer.listOfHearing : NativePlayer.list
            let entities = [player] + NativeEntity.list(tellingWords: settings.tellsWords)
            return (entities + [NativeMessage(.listDone)]).map { .send($0) }
        case .capabilities:
            let assistant = ProtoField(2, .message([ProtoField(1, assistant)]))
            return [.send(NativeMessage(.capabilitiesResponse, [assistant]))]
        case .subscribeStates:
            wantsStates = true
            sent = []
            return states()
        case .voiceConfiguration:
            let words = house?.words ?? NativeWords()
            return [.send(words.message(active: chosenWords ?? words.active))]
        case .setVoiceConfiguration: return choose(fields.texts(1))
        // The bridge alone makes the key.
        case .setKey: return [.send(NativeMessage(.setKeyResponse))]
        case .switchCommand, .numberCommand, .selectCommand, .buttonCommand, .textCommand:
            return command(kind, fields)
        case .mediaPlayerCommand: return play(fields)
        case .announce: return announce(fields)
        case .timer: return timer(fields)
        default: return []
        }
    }

    private var deviceInfo: NativeMessage {
        let name = house?.name ?? ""
        return NativeMessage(
            .deviceInfoResponse,
            [
                ProtoField(2, .text(Self.host(name))), ProtoField(3, .text(address)),
                ProtoField(4, .text(house?.version ?? "")), ProtoField(8, .text("jarvis-voiced.Voice box")),
                ProtoField(9, .text(house?.version ?? "")), ProtoField(13, .text(name)),
                ProtoField(16, .text(settings.area ?? "")), ProtoField(17, assistant),
                ProtoField(19, .flag(settings.isEncrypted)),
            ]
        )
    }

    /// The states that have changed.
    private mutating func states() -> [Effect] {
        let states = house?.states ?? []
        defer { sent = Set(states) }
        return states.filter { !sent.contains($0) }.map { .send($0) }
    }

    // MARK: - Orders

    private mutating func command(_ kind: NativeMessage.Kind, _ fields: ProtoFields) -> [Effect] {
        guard let entity = NativeEntity.byKey[fields.number(1)]?.row,
            let text = NativeEntity.byKey[fields.number(1)]?.command(kind, fields)
        else { return [] }
        guard let order = entity.command?(text) else {
            return [.log("a command of Home Assistant for \(entity.name) is outside its limits")]
        }
        return give(order, of: entity.id, entity.queue)
    }

    private mutating func play(_ fields: ProtoFields) -> [Effect] {
        switch NativePlayer.wish(fields) {
        case nil: return [.log("a command of Home Assistant for the player is outside its limits")]
        case .announcement(let address): return [.announce(nil, [address])]
        case .order(let order):
            // Only the last of several volumes counts; orders to play and stop are carried out one after the other.
            let entity = NativePlayer.id + "_" + order.command
            return give(order, of: entity, order.command == "volume" ? .last : .all(8))
        }
    }

    private mutating func give(_ order: HouseOrder, of entity: String, _ queue: HouseEntity.Queue) -> [Effect] {
        switch orders.add(order, of: entity, queue) {
        case .now: [.order(entity: entity, order)]
        case .later: []
        case .refused: [.log("too many commands of Home Assistant for \(Self.name(entity))")]
        }
    }

    private mutating func answered(_ entity: String, _ problem: String?) -> [Effect] {
        var effects: [Effect] = []
        if problem != nil, entity == NativeWords.order { chosenWords = nil }
        if let problem { effects.append(.log("\(Self.name(entity)), by Home Assistant: \(problem)")) }
        if let next = orders.answered(entity) { effects.append(.order(entity: entity, next)) }
        return effects
    }

    private static func name(_ entity: String) -> String {
        HouseEntity.byID[entity]?.name ?? (entity == NativeWords.order ? "the wake words" : "the player")
    }

    /// If Home Assistant asks for the active words right after its choice, the box answers with that choice.
    private mutating func choose(_ ids: [String]) -> [Effect] {
        let words = house?.words.all.filter { ids.contains(NativeWords.id($0)) } ?? []
        chosenWords = words
        let order =
            words.isEmpty
            ? HouseOrder(NativeWords.order, ["action": "none"])
            : HouseOrder(NativeWords.order, ["action": "only", "what": words.joined(separator: ",")])
        return give(order, of: NativeWords.order, .last)
    }

    // MARK: - Announcements and timers

    /// The end of every announcement must be reported: Home Assistant waits for it for five minutes.
    private mutating func announce(_ fields: ProtoFields) -> [Effect] {
        let addresses = [fields.text(3), fields.text(1)].filter { !$0.isEmpty }
        let isQuestion = fields.flag(4)
        lastAnnouncement += 1
        guard !addresses.isEmpty, addresses.allSatisfy({ NativePlayer.address($0) != nil }),
            announcements.count < Self.mostAnnouncements
        else {
            return [
                .log("an announcement of Home Assistant is refused"),
                .send(NativeMessage(.announceFinished, [ProtoField(1, .flag(false))])),
            ] + (isQuestion ? [.question(isDone: false)] : [])
        }
        if isQuestion { questions.insert(lastAnnouncement) }
        announcements.insert(lastAnnouncement)
        return [.announce(lastAnnouncement, addresses)]
    }

    /// A timer that runs in Home Assistant rings on this box when it is over.
    private mutating func timer(_ fields: ProtoFields) -> [Effect] {
        let finished: UInt32 = 3
        guard fields.number(1) == finished else { return [] }
        let name = fields.text(3).filter { $0.isLetter || $0.isNumber || $0 == " " }.prefix(60)
        // Without "called", a number in the name would be read as a time.
        let what = name.allSatisfy { $0 == " " } ? "1s" : "1s called \(name)"
        return give(HouseOrder("timer", ["action": "set", "what": what]), of: "timer", .all(8))
    }
}
