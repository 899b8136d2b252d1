import VoiceActivation
import VoiceBase
import VoiceConversation
import VoiceReply

/// Feeds endless events in any order to everything computed from them: the conversation, activation, budget and
/// transcripts, connected as in the daemon. Nothing may trap or grow.
///
/// Half of the service's events pass through the decoder as text, with extreme numbers. Decisions come from a random
/// generator or from the bytes of a fuzzer.
package struct EventScript {
    /// Maximum number of effects of one event.
    private static let mostEffects = 256

    private var chance: Chance
    private var machine: ConversationMachine
    private var activation: ActivationMachine
    private var budget: Budget
    private var transcript = TranscriptAssembler(expectsUser: true)
    private let decoder = ServerEventDecoder()
    private var translator: RealtimeTranslator
    private var now = Duration.zero
    private var wall = 1_800_000_000
    private var timers: Set<ConversationTimer> = []
    private var activationTimers: Set<ActivationTimer> = []
    private var calls: [String] = []
    /// Number of events so far, in total and by kind.
    package private(set) var count = 0
    package private(set) var kinds: [String: Int] = [:]

    package init(seed: UInt64) { self.init(Chance(seed: seed)) }

    /// - Parameter bytes: make all decisions; the script ends when they do.
    package init(_ bytes: UnsafeRawBufferPointer) { self.init(Chance(bytes)) }

    private init(_ chance: Chance) {
        var chance = chance
        let tools: [JSONValue] = [["type": "function", "name": "ask_jarvis"]]
        let settings = RealtimeSettings(instructions: "Be brief.", tools: tools)
        translator = RealtimeTranslator(settings)
        var options = ConversationMachine.Options(settings.dialect.capabilities)
        options.idleLimit = chance.one(in: 2) ? .seconds(30) : nil
        options.sessions.carry = ConversationMachine.Carry.allCases[chance.below(3)]
        options.seed = chance.word()
        options.greeting = [.none, .words("Yes?"), .agent][chance.below(3)]
        machine = ConversationMachine(options: options)
        var activation = ActivationMachine.Options()
        activation.mode = ActivationMode.allCases[chance.below(3)]
        activation.isOneShot = chance.one(in: 4)
        activation.greets = options.greeting != .none
        self.activation = ActivationMachine(options: activation)
        var costs = Budget.Options()
        costs.caps = [.conversation: .init(money: 0.5), .hour: .init(money: 2, minutes: 20), .day: .init(minutes: 90)]
        costs.prices.audioIn = 32
        costs.prices.sessionMinute = 0.05
        budget = Budget(costs, at: ClockInstant(wall: wall, uptime: .zero))
        self.chance = chance
    }

    /// - Parameter limit: maximum number of events.
    package mutating func run(_ limit: Int) {
        while count < limit, !chance.isOver { step() }
    }

    private mutating func step() {
        pass()
        switch chance.below(16) {
        case 0: activate(activationEvent())
        case 1, 2: if let timer = pick(timers) { fire(timer) }
        case 3: if let timer = pick(activationTimers) { activate(.timer(timer)) }
        case 4...7: receive(localEvent())
        case 8...11: if let event = wireEvent() { receive(event) }
        default: receive(serverEvent())
        }
    }

    /// Handles an event of the service.
    private mutating func receive(_ event: ServerEvent, from origin: ConversationLink? = nil) {
        kinds["server." + "\(event)".prefix { $0 != "(" }, default: 0] += 1
        let origin = origin ?? self.origin()
        for report in translator.receive(event) { receive(.service(report), from: origin) }
    }

    private mutating func origin() -> ConversationLink { chance.one(in: 8) ? .standby : .current }

    /// Mostly milliseconds, sometimes years; the wall clock occasionally jumps.
    private mutating func pass() {
        let pause: Duration =
            switch chance.below(64) {
            case 0: .seconds(chance.below(400_000_000))
            case 1...6: .seconds(chance.below(600))
            default: .milliseconds(chance.below(400))
            }
        now += pause
        wall += Int(pause.components.seconds) + (chance.one(in: 200) ? chance.below(2_000_000) - 1_000_000 : 0)
        if now > .seconds(4_000_000_000) { now = .seconds(1) }
    }

    // MARK: Through the core

    private mutating func receive(_ event: ConversationEvent, from origin: ConversationLink? = nil) {
        let origin = origin ?? self.origin()
        count += 1
        kinds[String("\(event)".prefix { $0 != "(" }), default: 0] += 1
        let effects = machine.handle(event, at: now, from: origin)
        precondition(effects.count <= Self.mostEffects, "more effects than anybody can follow")
        precondition(machine.brokenInvariants.isEmpty, "\(machine.brokenInvariants) after \(event)")
        _ = transcript.handle(origin == .current ? event : nil, effects: effects, at: now)
        var states: [ConversationState] = []
        for effect in effects {
            switch effect {
            case .startTimer(let timer, let pause):
                precondition(timers.insert(timer).inserted, "a timer runs twice: \(timer) after \(event)")
                precondition(pause >= .zero, "a timer in the past")
            case .cancelTimer(let timer): precondition(timers.remove(timer) != nil, "a timer that does not run")
            case .startCall(let call, _):
                calls.append(call.callID)
                if calls.count > 64 { calls.removeFirst() }
            case .stateChanged(_, let next): states.append(next)
            case .send(let request):
                for event in translator.ask(request) {
                    precondition(!event.fitting.encoded().isEmpty, "an event that cannot be written")
                }
            default: break
            }
        }
        let heard = origin == .current ? event : nil
        let instant = ClockInstant(wall: wall, offset: 3600 * (chance.below(27) - 13), uptime: now)
        let signals = budget.note(heard, effects: effects, at: instant)
        for state in states { activate(.conversation(state)) }
        switch heard {
        case .service(.userStarted(_, let start)): activate(.turnBegan(milliseconds: start))
        case .service(.userStopped(let end, _)): activate(.turnEnded(milliseconds: end))
        default: break
        }
        for signal in signals {
            switch signal {
            case .near: receive(.budget(.near), from: .current)
            case .spent(let report): receive(.budget(.spent(until: report.until)), from: .current)
            case .renewed: receive(.budget(.renewed), from: .current)
            }
        }
        _ = budget.saved.text
    }

    private mutating func fire(_ timer: ConversationTimer) {
        timers.remove(timer)
        receive(.timer(timer), from: .current)
    }

    private mutating func activate(_ event: ActivationEvent) {
        if case .timer(let timer) = event { activationTimers.remove(timer) }
        for effect in activation.handle(event) {
            switch effect {
            case .open: receive(.activate, from: .current)
            case .close: receive(.deactivate, from: .current)
            case .interrupt: receive(.interrupt, from: .current)
            case .silence(let isSpoken): receive(.stop(isSpoken: isSpoken), from: .current)
            case .ask(let text): receive(.ask(text), from: .current)
            case .say(let text): receive(.say(text), from: .current)
            case .announce: break
            case .greet: receive(.greet, from: .current)
            case .keepsOpen(let opens): receive(.keepsOpen(opens), from: .current)
            case .quiet(let quiet): receive(.announces(!quiet), from: .current)
            case .startTimer(let timer, _): activationTimers.insert(timer)
            case .cancelTimer(let timer): activationTimers.remove(timer)
            case .play, .pauseMedia, .endMedia, .startFresh, .stopRinging, .preRoll, .listen, .capture, .remember,
                .phaseChanged, .ignoreStop, .hearsRoom, .assistant:
                break
            }
        }
    }
}

// MARK: - What happens

extension EventScript {
    private mutating func pick<One: Hashable>(_ all: Set<One>) -> One? {
        let all = all.sorted { "\($0)" < "\($1)" }
        return all.isEmpty ? nil : all[chance.below(all.count)]
    }

    private mutating func id(_ kind: String) -> String { kind + "\(chance.below(6))" }

    private mutating func milliseconds() -> Int { chance.below(90_000) }

    private mutating func text() -> String {
        switch chance.below(8) {
        case 0: ""
        case 1: String(repeating: "a\u{301}\u{302}", count: chance.below(4000))
        case 2: "\u{0}\n\"\\{[<system>"
        case 3: String(repeating: "word. ", count: chance.below(2000))
        default: "Two meetings."
        }
    }

    private mutating func prompt(_ number: Int) -> AgentPrompt {
        let kind = chance.one(in: 2) ? AgentPrompt.Kind.question : .permission(action: text())
        return AgentPrompt(number: number, kind: kind, facts: [text()], characters: chance.below(400))
    }

    private mutating func activationEvent() -> ActivationEvent {
        switch chance.below(18) {
        case 0: .start
        case 1: .setMode(ActivationMode.allCases[chance.below(3)])
        case 2: .activate(.button)
        case 3: .activate(.word("jarvis"))
        case 4: .activate(.command)
        case 5: .stop(isSpoken: chance.one(in: 2))
        case 6: .stopAll
        case 7: .refused
        case 8: .mute(chance.one(in: 2))
        case 9: .toggleMute
        case 10: .quiet(chance.one(in: 3))
        case 11: .ask(TypedQuestion(text()))
        case 12: .silence
        case 13: .reset
        case 14: .rings(chance.one(in: 2))
        case 15: .speaksOn
        case 16: .announcing(chance.one(in: 2))
        default: .media(chance.one(in: 2))
        }
    }

    /// Events that do not come from the service.
    private mutating func localEvent() -> ConversationEvent {
        switch chance.below(30) {
        case 0: return .connected
        case 28: return .userPaused(ago: .milliseconds(milliseconds()))
        case 29: return .userResumed
        case 1:
            let kinds: [LinkFailure.Kind] = [.transient, .limited, .expired, .permanent]
            let pause = chance.one(in: 2) ? Duration.seconds(chance.below(90_000)) : nil
            return .disconnected(LinkFailure(kinds[chance.one(in: 8) ? 3 : chance.below(3)], text(), retryAfter: pause))
        case 2: return .lifetime(.seconds(chance.below(8_000) - 100))
        case 3, 4: return .voiceReceived(responseID: id("r"), itemID: id("i"))
        case 5: return .voiceAudible(responseID: id("r"))
        case 6, 7: return .voiceDrained
        case 8: return .voiceStopped((0..<chance.below(4)).map { _ in heardPart() })
        case 9: return .callDispatched(callID: calls.last ?? id("c"))
        case 10, 11:
            let call = calls.isEmpty ? id("c") : calls[chance.below(calls.count)]
            let contents: [ToolResult.Content] = [.done(text()), .answer(text()), .prompt(prompt(count))]
            let output = ToolResult(
                contents[chance.below(3)], wantsReply: !chance.one(in: 5), isCarriedOut: !chance.one(in: 4)
            )
            return .callAnswered(callID: call, output)
        case 12: return .callDelayed(callID: calls.last ?? id("c"))
        case 13: return .say(text())
        case 14:
            if chance.one(in: 2) { return .endWhenQuiet(alwaysToo: true) }
            return .agentGreets(chance.one(in: 4) ? nil : text())
        case 15:
            let remark = MediaRemark(report: text(), wish: chance.one(in: 2) ? text() : nil)
            return .mediaReported(remark, opens: chance.one(in: 3))
        case 16: return .lost(.microphone(milliseconds: milliseconds()))
        case 17:
            let verdicts: [BudgetVerdict] = [.near, .spent(until: "14:00"), .renewed, .renewed]
            return .budget(verdicts[chance.below(4)])
        case 18: return .announces(chance.one(in: 2))
        case 19: return chance.one(in: 4) ? .deactivate : .interrupt
        case 21: return .stop(isSpoken: chance.one(in: 2))
        case 22: return .ask(TypedQuestion(text()))
        case 23:
            let moments: [HouseWords.Moment] = [.now, .quietMoment, .inConversation]
            let words = HouseWords(text(), asks: chance.one(in: 3), moment: moments[chance.below(3)])
            return .agentReported(
                ToolResult(.answer(text())), aloud: chance.one(in: 3) ? words : nil, agent: chance.below(2)
            )
        case 24:
            return .agentAsks(chance.one(in: 3) ? nil : prompt(chance.below(6)), agent: chance.below(2))
        case 20: return .belongs(toAgent: chance.below(2), name: "Nabu")
        case 25:
            return .voicePlayed(responseID: id("r"), heard: milliseconds() - 100, received: milliseconds() - 100)
        case 26: return .turnWasSilent(itemID: id("u"))
        default: return .activate
        }
    }

    private mutating func heardPart() -> HeardPart {
        let part = SpokenPart(responseID: id("r"), itemID: id("i"), contentIndex: chance.below(3))
        return HeardPart(part: part, heard: milliseconds(), received: milliseconds())
    }

    private mutating func serverEvent() -> ServerEvent {
        switch chance.below(20) {
        case 0: return .sessionCreated(id: id("s"), expiresAt: nil)
        case 1: return .sessionUpdated(chance.one(in: 8) ? [:] : settings)
        case 2, 3: return .speechStarted(itemID: id("u"), audioStart: milliseconds())
        case 4, 5: return .speechStopped(itemID: id("u"), audioEnd: milliseconds())
        case 6: return .committed(itemID: id("u"), previous: id("i"))
        case 7:
            return .itemAdded(itemID: id("i"), kind: "function_call_output", callID: calls.last, previous: id("u"))
        case 8, 9: return .responseCreated(id: id("r"), clientEventID: nil)
        case 10: return .outputItemAdded(responseID: id("r"), itemID: id("i"), kind: "message")
        case 11: return functionCall()
        case 12: return .spokenDelta(responseID: id("r"), itemID: id("i"), contentIndex: 0, text: text())
        case 13: return .spokenTranscript(responseID: id("r"), itemID: id("i"), text: text())
        case 14: return .audioDone(responseID: id("r"), itemID: id("i"), contentIndex: 0)
        case 15, 16: return .responseDone(outcome())
        case 17: return .heardTranscript(itemID: id("u"), contentIndex: 0, text: text())
        case 18: return .heardTranscriptFailed(itemID: id("u"), reason: text())
        default: return .error(serverError())
        }
    }

    private var settings: JSONValue { ["type": "realtime", "tools": [["type": "function", "name": "ask_jarvis"]]] }

    private static let tools = [
        AnswerTool.answerQuestion.rawValue, AnswerTool.approve.rawValue, "ask_jarvis", "play_audio", "",
    ]

    private mutating func functionCall() -> ServerEvent {
        let call = FunctionCall(
            callID: "c\(count - count % (1 + chance.below(3)))", name: Self.tools[chance.below(Self.tools.count)],
            arguments: text()
        )
        return .functionCall(responseID: id("r"), call: call, isComplete: !chance.one(in: 6))
    }

    private mutating func outcome() -> ResponseOutcome {
        let statuses: [ResponseOutcome.Status] = [.completed, .cancelled, .failed, .incomplete, .other]
        let reasons = ["server_error", "rate_limit_exceeded", "turn_detected", nil, "insufficient_quota"]
        return ResponseOutcome(
            id: id("r"), status: statuses[chance.below(5)], reason: reasons[chance.below(chance.one(in: 20) ? 5 : 4)],
            usage: Usage(audioIn: chance.below(100_000_001), audioOut: chance.below(100_000_001))
        )
    }

    private mutating func serverError() -> ServerError {
        let codes = [
            "conversation_already_has_active_response", "response_cancel_not_active", "session_expired",
            "rate_limit_exceeded", "server_error", "item_truncate_invalid_item_id", nil, "invalid_value",
        ]
        return ServerError(type: "error", code: codes[chance.below(8)], message: text(), eventID: nil)
    }

    // MARK: As text

    /// A number as a sender might write it.
    private mutating func number() -> String {
        let numbers = [
            "\(Int.min)", "\(Int.max)", "-1", "0", "9223372036854775808", "1e308", "-1e308", "0.5", "1e-320", "null",
            "\"7\"", "\(Int.min + 1)", "\(chance.below(100_000))", "1800003600", "{}", "1e19",
        ]
        return numbers[chance.below(numbers.count)]
    }

    private mutating func wireEvent() -> ServerEvent? {
        let text =
            switch chance.below(8) {
            case 0: #"{"type":"session.created","session":{"id":"s","expires_at":\#(number())}}"#
            case 1: #"{"type":"input_audio_buffer.speech_started","item_id":"u1","audio_start_ms":\#(number())}"#
            case 2: #"{"type":"input_audio_buffer.speech_stopped","item_id":"u1","audio_end_ms":\#(number())}"#
            case 3:
                #"{"type":"response.done","response":{"id":"\#(id("r"))","status":"completed","usage":{"input_tokens":"#
                    + "\(number()),\"output_tokens\":\(number()),\"input_token_details\":{\"cached_tokens\":\(number()),"
                    + "\"audio_tokens\":\(number()),\"text_tokens\":\(number())},\"output_token_details\":"
                    + "{\"audio_tokens\":\(number())}}}}"
            case 4:
                #"{"type":"conversation.item.input_audio_transcription.completed","item_id":"\#(id("u"))","#
                    + "\"content_index\":\(number()),\"transcript\":\"Hello\",\"usage\":{\"seconds\":\(number())}}"
            case 5:
                #"{"type":"response.output_audio_transcript.delta","response_id":"\#(id("r"))","item_id":"i1","#
                    + "\"content_index\":\(number()),\"delta\":\"Two\"}"
            case 6:
                #"{"type":"conversation.item.input_audio_transcription.delta","item_id":"u1","content_index":"#
                    + "\(number()),\"delta\":\"He\"}"
            default: #"{"type":"something.new","value":\#(number())}"#
            }
        guard let event = try? decoder.decode(text) else { return nil }
        // As the session derives its lifetime from the stated end.
        if case .sessionCreated(_, let expiresAt?) = event {
            receive(event, from: .current)
            receive(.lifetime(.seconds(expiresAt - wall)), from: .current)
            return nil
        }
        return event
    }
}

/// The source of a script's decisions.
private struct Chance {
    private var state: UInt64
    private var bytes: [UInt8]?
    private var position = 0

    init(seed: UInt64) { state = seed }

    init(_ bytes: UnsafeRawBufferPointer) {
        state = 0
        self.bytes = Array(bytes)
    }

    var isOver: Bool { bytes.map { position >= $0.count } ?? false }

    /// SplitMix64 (Steele, Lea, Flood 2014), or the next eight input bytes, followed by zeros.
    mutating func word() -> UInt64 {
        if bytes != nil { return (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) } }
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    private mutating func byte() -> UInt8 {
        guard let bytes, position < bytes.count else { return 0 }
        position += 1
        return bytes[position - 1]
    }

    mutating func below(_ limit: Int) -> Int {
        guard limit > 1 else { return 0 }
        if bytes == nil { return Int(word() % UInt64(limit)) }
        var value = Int(byte())
        if limit > 256 { value = value << 8 | Int(byte()) }
        if limit > 65_536 { value = value << 16 | Int(byte()) << 8 | Int(byte()) }
        return value % limit
    }

    mutating func one(in limit: Int) -> Bool { below(limit) == 0 }
}
