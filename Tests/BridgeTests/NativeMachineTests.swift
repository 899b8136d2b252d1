import Testing
import VoiceBase

@testable import BridgeCore

struct NativeMachineTests {
    private typealias Effect = NativeMachine.Effect

    /// A machine that Home Assistant has said hello to.
    private struct Box {
        var machine: NativeMachine

        init(_ values: [String: JSONValue] = NativeMachineTests.status, isGreeted: Bool = true) {
            machine = NativeMachine(NativeSettings(), address: "02:00:00:00:00:0a", house: Self.house(values))
            if isGreeted { _ = hear(.hello) }
        }

        mutating func hear(_ kind: NativeMessage.Kind, _ fields: [ProtoField] = []) -> [Effect] {
            machine.handle(.message(NativeMessage(kind, fields)))
        }

        /// What is sent in answer, by its kind.
        mutating func answers(_ kind: NativeMessage.Kind, _ fields: [ProtoField] = []) -> [NativeMessage] {
            NativeMachineTests.sent(hear(kind, fields))
        }

        mutating func command(_ kind: NativeMessage.Kind, _ entity: String, _ value: ProtoValue? = nil) -> [Effect] {
            let key = ProtoField(1, .fixed(NativeEntity.key(of: entity)))
            return hear(kind, [key] + (value.map { [ProtoField(2, $0)] } ?? []))
        }

        static func house(_ values: [String: JSONValue]) -> NativeHouse {
            let status = HouseStatus(values: values, timersAt: 0, newest: nil, tellsWords: false)
            return NativeHouse(values, status)
        }
    }

    private static func sent(_ effects: [Effect]) -> [NativeMessage] {
        effects.compactMap { effect in if case .send(let message) = effect { message } else { nil } }
    }

    private static let status: [String: JSONValue] = [
        "name": "Küche", "version": "1.2.0", "state": "idle", "microphone_muted": false, "quiet": false, "mode": "wake",
        "volumes": ["master": 40, "voice": 80, "media": 50, "inputs": 60, "earcons": 30, "muted": false],
        "health": ["level": "well", "problems": []], "service": "host, model", "spent_today_usd": 1.25,
        "media": ["state": "stopped"],
    ]

    /// The messages that Home Assistant sends to every device when it connects, from 1.15 on the last one too.
    @Test func everyQuestionOfTheBeginningIsAnswered() {
        var box = Box(isGreeted: false)
        #expect(box.answers(.hello).first?.fields?.text(4) == "kueche")
        #expect(box.answers(.hello).first?.fields?.number(2) == 18)
        #expect(box.answers(.authentication).map(\.kind) == [.authenticationResponse])
        #expect(box.answers(.listEntities).last?.kind == .listDone)
        #expect(box.answers(.capabilities).map(\.kind) == [.capabilitiesResponse], "without it Home Assistant hangs up")
        #expect(box.answers(.voiceConfiguration).map(\.kind) == [.voiceConfigurationResponse])
        #expect(box.answers(.ping).map(\.kind) == [.pingResponse])
        #expect(box.answers(.setKey).first?.fields?.flag(1) == false, "keys are made by the box")
        #expect(box.hear(.disconnect) == [.send(NativeMessage(.disconnectResponse)), .close])
    }

    @Test func deviceSaysTheSameInBothPlaces() throws {
        var box = Box()
        let info = try #require(box.answers(.deviceInfo).first?.fields)
        #expect(info.text(2) == "kueche" && info.text(13) == "Küche" && info.text(3) == "02:00:00:00:00:0a")
        #expect(info.number(17) == 29 && info.flag(19))
        #expect(box.answers(.capabilities).first?.body == [0x12, 2, 0x08, 29])
    }

    @Test func conversationsAreBegunOnlyWhereHomeAssistantHearsThem() throws {
        var values = Self.status
        values["house_hears"] = true
        var box = Box(values)
        #expect(try #require(box.answers(.deviceInfo).first?.fields).number(17) == 61)
        #expect(box.answers(.capabilities).first?.body == [0x12, 2, 0x08, 61])
        #expect(box.machine.handle(.house(Box.house(values))) == [])
        #expect(box.machine.handle(.house(Box.house(Self.status))) == [.close], "flags are told once in a connection")
    }

    @Test func wakeWordsAreShownAndChosen() {
        var values = Self.status
        values["wake_words"] = ["hey jarvis", "okay_nabu"]
        values["wake_words_off"] = ["okay nabu"]
        var box = Box(values)
        let told = box.answers(.voiceConfiguration).first?.fields
        #expect(told?.messages(1).map { $0.text(2) } == ["Hey Jarvis", "Okay Nabu"])
        #expect(told?.texts(2) == ["hey_jarvis"] && told?.number(3) == 2)
        let chosen = box.hear(
            .setVoiceConfiguration, [ProtoField(1, .text("okay_nabu")), ProtoField(1, .text("alexa"))])
        #expect(chosen == [.order(entity: "words", HouseOrder("words", ["action": "only", "what": "okay nabu"]))])
        #expect(
            box.answers(.voiceConfiguration).first?.fields?.texts(2) == ["okay_nabu"],
            "asked before the status has changed")
        _ = box.machine.handle(.answered(entity: "words", problem: "the disk is full"))
        #expect(box.answers(.voiceConfiguration).first?.fields?.texts(2) == ["hey_jarvis"])
        let none = box.hear(.setVoiceConfiguration)
        #expect(none == [.order(entity: "words", HouseOrder("words", ["action": "none"]))])
    }

    @Test func questionIsForwardedWhenItsSoundIsOver() {
        var box = Box()
        let fields = [ProtoField(1, .text("http://home/a.wav")), ProtoField(4, .flag(true))]
        #expect(box.hear(.announce, fields) == [.announce(1, ["http://home/a.wav"])])
        #expect(box.machine.handle(.announced(1, isDone: true)).last == .question(isDone: true))
        #expect(box.hear(.announce, [ProtoField(4, .flag(true))]).last == .question(isDone: false), "refused")
    }

    @Test func messagesThatAreNotKnownAreSkipped() {
        var box = Box()
        for number in [0, 28, 34, 38, 66, 88, 155, 156, 159, 163, 60_000] as [UInt16] {
            #expect(box.machine.handle(.message(NativeMessage(number: number, body: [1, 2, 3]))).isEmpty)
        }
        #expect(box.answers(.ping).count == 1)
    }

    @Test func withoutAHelloNothingIsToldOrDone() {
        for kind in [.deviceInfo, .listEntities, .subscribeStates, .capabilities, .switchCommand, .announce]
            as [NativeMessage.Kind]
        {
            var box = Box(isGreeted: false)
            #expect(box.hear(kind) == [.close])
        }
    }

    @Test func damagedMessageEndsTheConnection() {
        var box = Box()
        let effects = box.machine.handle(.message(NativeMessage(number: 33, body: [0x0D, 1])))
        #expect(effects.last == .close)
    }

    @Test func everyRowOfAKnownKindIsAnEntityWithItsOwnKey() {
        let platforms: Set<HouseEntity.Platform> = [.switch, .number, .select, .sensor, .event, .button, .text]
        let rows = HouseEntity.all.filter { platforms.contains($0.platform) }
        #expect(NativeEntity.all.map(\.row.id) == rows.map(\.id))
        let keys = Set(NativeEntity.all.map(\.key) + [NativeEntity.key(of: NativePlayer.id)])
        #expect(keys.count == rows.count + 1 && !keys.contains(0))
    }

    @Test func spokenWordsAreNoEntityUnlessTheUserWantsThem() {
        func names(_ tellsWords: Bool) -> [String] {
            NativeEntity.list(tellingWords: tellsWords).compactMap { $0.fields?.text(1) }
        }
        #expect(!names(false).contains("answer") && names(true).contains("answer"))
    }

    @Test func statesComeTogetherAndThenThoseThatHaveChanged() {
        var box = Box()
        let all = box.answers(.subscribeStates)
        #expect(all.count > 10 && all.first?.kind == .mediaPlayerState)
        #expect(box.machine.handle(.house(Box.house(Self.status))).isEmpty)
        var values = Self.status
        values["microphone_muted"] = true
        let changed = Self.sent(box.machine.handle(.house(Box.house(values))))
        #expect(changed.count == 1 && changed.first?.kind == .switchState && changed.first?.fields?.flag(2) == true)
        #expect(Self.sent(box.machine.handle(.house(Box.house(Self.status)))).count == 1, "and back")
    }

    /// Home Assistant never connects again once it has met another state, and a state that is left out is another one.
    @Test(
        arguments: [
            ("playing", 2), ("paused", 3), ("stopped", 1), ("anything", 1), (nil, 1),
        ] as [(String?, UInt32)])
    func stateOfThePlayerIsAlwaysOneThatHomeAssistantTakes(state: String?, number: UInt32) {
        var values = Self.status
        values["media"] = state.map { ["state": .string($0)] }
        #expect(NativePlayer.state(values).fields?.number(2) == number)
    }

    @Test func unknownStateIsMissingInsteadOfMadeUp() throws {
        var values = Self.status
        values["spent_today_usd"] = nil
        values["quiet"] = nil
        let states = Box.house(values).states
        let cost = try #require(states.first { $0.fields?.number(1) == NativeEntity.key(of: "cost_today") })
        #expect(cost.kind == .sensorState && cost.fields?.flag(3) == true)
        #expect(!states.contains { $0.fields?.number(1) == NativeEntity.key(of: "quiet") })
        let question = try #require(states.first { $0.kind == .textState })
        #expect(question.fields?.flag(3) == true, "a blank text is an error in Home Assistant")
    }

    @Test func commandsAreTheOrdersOfTheRows() {
        var box = Box()
        func order(_ entity: String, _ command: String, _ arguments: [String: String] = [:]) -> [Effect] {
            [.order(entity: entity, HouseOrder(command, arguments))]
        }
        #expect(box.command(.switchCommand, "mute", .flag(true)) == order("mute", "mute"))
        #expect(box.command(.switchCommand, "quiet", .flag(false)) == order("quiet", "quiet", ["switch": "off"]))
        #expect(
            box.command(.numberCommand, "volume_voice", .real(55.4))
                == order("volume_voice", "volume", ["channel": "voice", "percent": "55"])
        )
        #expect(box.command(.selectCommand, "mode", .text("push")) == order("mode", "mode", ["mode": "push"]))
        #expect(box.command(.buttonCommand, "stop") == order("stop", "stop"))
        #expect(box.command(.textCommand, "ask", .text("Why?")) == order("ask", "ask", ["text": "Why?"]))
    }

    @Test func commandsOutsideTheLimitsAreLeftAlone() {
        var box = Box()
        for effects in [
            box.command(.numberCommand, "volume_voice", .real(101)),
            box.command(.numberCommand, "volume_voice", .real(.nan)),
            box.command(.selectCommand, "mode", .text("loud")), box.command(.textCommand, "ask", .text("...")),
            box.command(.buttonCommand, "mute"), box.command(.switchCommand, "nothing", .flag(true)),
            box.command(.textCommand, "ask", .text(String(repeating: "a", count: 2001))),
        ] {
            #expect(!effects.contains { if case .order = $0 { true } else { false } })
        }
    }

    @Test func secondCommandWaitsForTheFirst() {
        var box = Box()
        _ = box.command(.numberCommand, "volume_media", .real(1))
        #expect(box.command(.numberCommand, "volume_media", .real(2)).isEmpty)
        #expect(box.command(.numberCommand, "volume_media", .real(3)).isEmpty)
        let next = box.machine.handle(.answered(entity: "volume_media", problem: nil))
        #expect(
            next == [
                .order(entity: "volume_media", HouseOrder("volume", ["channel": "media", "percent": "3"]))
            ],
            "only the last volume counts"
        )
    }

    private static func player(_ fields: [ProtoField]) -> [ProtoField] {
        [ProtoField(1, .fixed(NativeEntity.key(of: NativePlayer.id)))] + fields
    }

    @Test(
        arguments: [
            ([ProtoField(2, .flag(true))], "media", ["action": "resume"]),
            ([ProtoField(2, .flag(true)), ProtoField(3, .number(1))], "media", ["action": "pause"]),
            ([ProtoField(2, .flag(true)), ProtoField(3, .number(2))], "media", ["action": "stop"]),
            (
                [ProtoField(2, .flag(true)), ProtoField(3, .number(3))], "volume",
                ["channel": "master", "percent": "off"]
            ),
            (
                [ProtoField(4, .flag(true)), ProtoField(5, .real(0.3))], "volume",
                ["channel": "master", "percent": "30"]
            ),
            (
                [ProtoField(6, .flag(true)), ProtoField(7, .text("http://home/a.flac"))], "media",
                ["action": "play", "what": "http://home/a.flac"]
            ),
        ] as [([ProtoField], String, [String: String])])
    func playerTakesItsOrders(fields: [ProtoField], command: String, arguments: [String: String]) {
        var box = Box()
        let effects = box.hear(.mediaPlayerCommand, Self.player(fields))
        #expect(effects == [.order(entity: "speaker_" + command, HouseOrder(command, arguments))])
    }

    @Test(arguments: [
        "file:///etc/passwd", "media-1", "Groove Salad", "input:Snapcast", "",
        "http://" + .init(repeating: "a", count: 2000),
    ])
    func playerIsAskedForNothingButAddressesOfTheWeb(address: String) {
        var box = Box()
        let effects = box.hear(
            .mediaPlayerCommand, Self.player([ProtoField(6, .flag(true)), ProtoField(7, .text(address))])
        )
        #expect(effects == [.log("a command of Home Assistant for the player is outside its limits")])
    }

    private static let announcement = [
        ProtoField(1, .text("http://home/words.flac")), ProtoField(2, .text("Dinner is ready")),
        ProtoField(3, .text("http://home/chime.flac")),
    ]

    @Test func announcementIsEndedOnceItsSoundIsOver() {
        var box = Box()
        #expect(
            box.hear(.announce, Self.announcement)
                == [.announce(1, ["http://home/chime.flac", "http://home/words.flac"])],
            "the chime first, and never the text in the place of the sound"
        )
        let finished = NativeMessage(.announceFinished, [ProtoField(1, .flag(true))])
        #expect(box.machine.handle(.announced(1, isDone: true)) == [.send(finished)])
        #expect(box.machine.handle(.announced(1, isDone: true)).isEmpty, "once")
    }

    @Test func announcementThatCannotBePlayedIsEndedAsFailed() {
        var box = Box()
        let finished = NativeMessage(.announceFinished, [ProtoField(1, .flag(false))])
        #expect(box.hear(.announce, [ProtoField(1, .text("/etc/passwd"))]).last == .send(finished))
        #expect(box.hear(.announce).last == .send(finished))
        for _ in 0..<NativeMachine.mostAnnouncements { _ = box.hear(.announce, Self.announcement) }
        #expect(box.hear(.announce, Self.announcement).last == .send(finished), "too many")
    }

    @Test func timerOfHomeAssistantRingsWhenItIsOver() {
        var box = Box()
        func timer(_ event: UInt32) -> [Effect] {
            box.hear(.timer, [ProtoField(1, .number(event)), ProtoField(3, .text("tea; \u{1B}[2J"))])
        }
        for event in 0..<3 as Range<UInt32> { #expect(timer(event).isEmpty) }
        let order = HouseOrder("timer", ["action": "set", "what": "1s called tea 2J"])
        #expect(timer(3) == [.order(entity: "timer", order)])
    }

    @Test func daemonThatIsGoneEndsTheConnectionSoThatAllIsUnavailable() {
        var box = Box()
        _ = box.hear(.subscribeStates)
        #expect(box.machine.handle(.house(nil)) == [.close])
        var away = NativeMachine(NativeSettings(), address: "", house: nil)
        #expect(away.handle(.message(NativeMessage(.hello))) == [.close])
    }

    @Test func silentClientIsAskedOnceAndThenGivenUp() {
        var box = Box()
        #expect(box.machine.handle(.silence) == [.send(NativeMessage(.ping))])
        _ = box.hear(.pingResponse)
        #expect(box.machine.handle(.silence) == [.send(NativeMessage(.ping))])
        #expect(box.machine.handle(.silence) == [.close])
    }

    @Test func eventsHaveTheirTypeAndReachOnlyThoseWhoWantStates() throws {
        let item = HouseNews.Item(entity: "timer", payload: #"{"event_type":"rings","kind":"timer"}"#)
        let event = try #require(NativeEntity.event(item))
        #expect(event.fields?.text(2) == "rings" && event.fields?.number(1) == NativeEntity.key(of: "timer"))
        #expect(NativeEntity.event(.init(entity: "mute", payload: "{}")) == nil)
        var box = Box()
        #expect(box.machine.handle(.news([event])).isEmpty)
        _ = box.hear(.subscribeStates)
        #expect(box.machine.handle(.news([event])) == [.send(event)])
    }
}

struct NativeAnnouncementsTests {
    private final class Owner {}
    private let owner = Owner()

    private func item(_ number: Int) -> NativeAnnouncements.Item {
        .init(owner: ObjectIdentifier(owner), number: number, addresses: ["http://home/\(number)"])
    }

    @Test func oneSoundAfterTheOtherEachEndedWhenItIsOver() {
        var announcements = NativeAnnouncements()
        #expect(announcements.handle(.add(item(1))) == [.play(["http://home/1"], home: nil)])
        #expect(announcements.handle(.add(item(2))).isEmpty)
        #expect(announcements.handle(.begun(problem: nil)) == [.look])
        #expect(announcements.handle(.looked(isOver: false)) == [.look])
        #expect(
            announcements.handle(.looked(isOver: true))
                == [.ended(item(1), isDone: true), .play(["http://home/2"], home: nil)]
        )
        #expect(announcements.handle(.begun(problem: "refused")) == [.ended(item(2), isDone: false)])
        #expect(announcements.handle(.looked(isOver: true)).isEmpty)
    }

    /// A new connection may have the number, and even the place in memory, of one that is gone.
    @Test func endOfASoundIsNotToldToAnotherConnection() {
        var announcements = NativeAnnouncements()
        _ = announcements.handle(.add(item(1)))
        _ = announcements.handle(.begun(problem: nil))
        _ = announcements.handle(.left(ObjectIdentifier(owner)))
        guard case .ended(let ended, true)? = announcements.handle(.looked(isOver: true)).first else {
            Issue.record("the sound never ends")
            return
        }
        #expect(ended.number == nil)
    }

    @Test func soundThatWasCutIsNotHeardToItsEnd() {
        var announcements = NativeAnnouncements()
        _ = announcements.handle(.add(item(1)))
        _ = announcements.handle(.begun(problem: nil))
        #expect(announcements.handle(.looked(isOver: true, isCut: true)) == [.ended(item(1), isDone: false)])
    }

    @Test func soundWithoutAnEndIsNotWaitedForLongerThanHomeAssistantDoes() {
        var announcements = NativeAnnouncements()
        _ = announcements.handle(.add(item(1)))
        _ = announcements.handle(.begun(problem: nil))
        var looks = 0
        while announcements.handle(.looked(isOver: false)) == [.look] { looks += 1 }
        #expect(NativeAnnouncements.pause * (looks + 1) == .seconds(300))
    }

    @Test func announcementsOfAClosedConnectionAreForgotten() {
        var announcements = NativeAnnouncements()
        for number in 1...3 { _ = announcements.handle(.add(item(number))) }
        _ = announcements.handle(.left(ObjectIdentifier(owner)))
        _ = announcements.handle(.begun(problem: nil))
        #expect(announcements.handle(.looked(isOver: true)).count == 1, "the present one, and no other begins")
    }

    @Test func soundKeepsTheAddressOfItsHomeWhileItWaits() {
        var announcements = NativeAnnouncements()
        var second = item(2)
        second.home = "192.168.1.5"
        _ = announcements.handle(.add(item(1)))
        _ = announcements.handle(.add(second))
        _ = announcements.handle(.begun(problem: nil))
        #expect(
            announcements.handle(.looked(isOver: true)).last == .play(["http://home/2"], home: "192.168.1.5")
        )
    }

    @Test func onlyOrdersThatPlayNameTheHome() {
        let play = HouseOrder("media", ["action": "play", "what": "http://192.168.1.5/a"]).from(home: "192.168.1.5")
        #expect(play.arguments["home"] == "192.168.1.5")
        for order in [
            HouseOrder("media", ["action": "stop"]), HouseOrder("media"), HouseOrder("ask", ["text": "play"]),
            HouseOrder("volume", ["channel": "master", "percent": "4"]),
        ] { #expect(order.from(home: "192.168.1.5") == order) }
        #expect(HouseOrder("media", ["action": "play", "what": "x"]).from(home: nil).arguments["home"] == nil)
    }

    @Test func queueIsBounded() {
        var announcements = NativeAnnouncements()
        for number in 0...NativeAnnouncements.most { _ = announcements.handle(.add(item(number))) }
        #expect(announcements.handle(.add(item(99))) == [.ended(item(99), isDone: false)])
    }
}

struct NativeSettingsTests {
    private let folder = "/tmp/jarvis-native-test-\(UInt32.random(in: 0 ... .max))"

    private func native(_ text: String) throws -> NativeSettings? {
        try BridgeConfiguration(parsing: Array(text.utf8), name: "bridge.toml").native
    }

    @Test func offUntilItIsEnabled() throws {
        #expect(try native("") == nil)
        #expect(try native("[esphome]\narea = \"Kitchen\"") == nil)
        let settings = try #require(try native("[esphome]\nenabled = true"))
        #expect(settings.isEncrypted && settings.port == 6053 && settings.listen == "0.0.0.0" && !settings.tellsWords)
        let open = try #require(
            try native("[esphome]\nenabled = true\nencryption = false\nport = 6054\nlisten = \"::1\""))
        #expect(!open.isEncrypted && open.port == 6054 && open.isLocal)
    }

    @Test(arguments: [
        ("[esphome]\nenabled = 1", "bridge.toml, line 2: esphome.enabled must be true or false"),
        ("[esphome]\nport = 0", "bridge.toml, line 2: esphome.port must be a number from 1 to 65535"),
        (
            "[esphome]\nlisten = \"box\"",
            "bridge.toml, line 2: esphome.listen must be an address such as \"0.0.0.0\" or \"::\""
        ),
        ("esphome = true", "bridge.toml, line 1: esphome must be a table: [esphome]"),
    ])
    func refusesWhatDoesNotFitByItsLine(text: String, problem: String) {
        #expect(throws: BridgeConfiguration.Problem(problem)) { try native(text) }
    }

    @Test func addressOfACardIsLocallyAdministered() throws {
        var random = SystemRandomNumberGenerator()
        let identity = try HouseIdentity(folder: folder, traces: ["a"], random: &random)
        let address = identity.cardAddress
        let first = try #require(UInt8(address.prefix(2), radix: 16))
        #expect(first & 3 == 2 && address.split(separator: ":").count == 6)
        #expect(try HouseIdentity(folder: folder, traces: ["a"], random: &random).cardAddress == address)
    }

    @Test func keyIsMadeOnceAndReadBack() throws {
        var random = SystemRandomNumberGenerator()
        #expect(try NativeKey.read(in: folder) == nil)
        let key = try NativeKey.made(in: folder, random: &random)
        #expect(try NativeKey.made(in: folder, random: &random) == key)
        #expect(NativeKey.bytes(key)?.count == 32 && key.revealed.utf8.count == 44)
        try StateFile.write(Array("short\n".utf8), to: folder + "/esphome-key")
        #expect(throws: BridgeConfiguration.Problem.self) { try NativeKey.read(in: folder) }
    }
}
