import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// A service, a user, an agent and a loudspeaker around the machine, which all act at random.
///
/// Both directions of a connection are queues: messages cross on the way, which causes races. Time is a number; timers
/// fire when it has passed.
struct ConversationWorld {
    /// One voice session on the service's side.
    struct Service {
        enum Message {
            case event(ServerEvent)
            case voice(responseID: String)
        }

        var toService: [ClientEvent] = []
        var toClient: [Message] = []
        var isConfigured = false
        var hearsSpeech = false
        var owesResponse = false
        var response: (id: String, clientEventID: String?, hasVoice: Bool)?
        var calls: Set<String> = []
        var outputs: Set<String> = []
    }

    private(set) var machine: ConversationMachine
    private var translator = RealtimeTranslator(Scene.settings)
    private(set) var random: SeededGenerator
    private(set) var now = Duration.zero
    var current: Service?
    var standby: Service?
    private(set) var timers: [ConversationTimer: Duration] = [:]
    private(set) var unansweredCalls: [FunctionCall] = []
    private(set) var startedCalls: [String] = []
    /// Calls whose answer the model received, as an output or as a report.
    private(set) var toldCalls: [String] = []
    /// Ids under which a call was reported to a later session.
    private var retold: Set<String> = []
    private(set) var outstanding: [String] = []
    private(set) var violations: [String] = []
    private(set) var promotions = 0
    private var isSounding = false
    private var isStopping = false
    private var isMicrophoneOpen = false
    private var responses = 0
    private var callCount = 0
    private var callResponses: [String: String] = [:]
    private let echoesMetadata: Bool
    private var hasEchoed = false
    /// Decides when calls begin and end; nil if the world does that itself.
    var activation: ActivationMachine?
    private(set) var activationTimers: Set<ActivationTimer> = []
    /// Orders of activation that the conversation has not yet read.
    private var orders: [ConversationEvent] = []
    /// Responses whose audio is discarded, the response that is playing, and those that were played.
    private var refused: Set<String> = []
    private var soundingResponse: String?
    private(set) var sounded: [String] = []
    /// Effects since the last `forget`.
    private(set) var performed: [ConversationEffect] = []
    /// Whether the user says nothing new.
    var isHushed = false
    /// Whether the service cannot forget what it has heard.
    private let ignoresClear: Bool
    /// If false, all parties behave correctly and nothing breaks.
    var hasFaults = true
    /// Whether the conversation is never ended.
    var staysActive = false

    /// - Parameter capabilities: what the machine assumes of the service; the simulated one can do everything.
    init(
        seed: UInt64,
        capabilities: ServiceCapabilities = .openAI,
        substitutes: [ServiceRoster.Service] = []
    ) {
        random = SeededGenerator(seed: seed)
        var options = ConversationMachine.Options(capabilities)
        options.substitutes = substitutes
        options.seed = seed
        options.greeting = [.none, .words("Yes?"), .agent][Int(seed / 5 % 3)]
        options.sessions.age = .seconds(40)
        options.sessions.carry = ConversationMachine.Carry.allCases[Int(seed % 3)]
        machine = ConversationMachine(options: options)
        echoesMetadata = seed % 4 != 0
        ignoresClear = seed % 3 == 0
    }

    var state: ConversationState { machine.state }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    // MARK: The machine

    mutating func post(_ event: ConversationEvent, from link: ConversationLink = .current) {
        let before = machine.state
        for effect in machine.handle(event, at: now, from: link) { perform(effect) }
        if before == .idle, ![.idle, .connecting].contains(machine.state) {
            violations.append("\(before) to \(machine.state) on \(event)")
        }
        if machine.state == .listening, !isMicrophoneOpen { violations.append("deaf while listening, after \(event)") }
        if machine.state == .connecting, isMicrophoneOpen { violations.append("open while connecting, after \(event)") }
        if outstanding.count > 1 { violations.append("two requests out: \(outstanding)") }
        violations += machine.brokenInvariants.map { "\($0), after \(event)" }
        if Set(timers.keys) != machine.timers { violations.append("timers differ after \(event)") }
    }

    mutating func forgetEffects() { performed = [] }

    private mutating func admitAll() { refused = [] }

    private mutating func perform(_ effect: ConversationEffect) {
        performed.append(effect)
        switch effect {
        case .connect:
            current = Service(toClient: [.event(.sessionCreated(id: nil, expiresAt: nil))])
            outstanding = []
            admitAll()
        case .connectBeside: standby = Service(toClient: [.event(.sessionCreated(id: nil, expiresAt: nil))])
        case .disconnect: current = nil
        case .dropBeside: standby = nil
        case .promote:
            promotions += 1
            if standby?.isConfigured != true { violations.append("promoted what is not ready") }
            current = standby
            standby = nil
            outstanding = []
            admitAll()
        case .send(let request): for event in translator.ask(request) { sent(event) }
        case .sendBeside(let request): standby?.toService += translator.ask(request)
        case .openMicrophone: isMicrophoneOpen = true
        case .closeMicrophone: isMicrophoneOpen = false
        case .stopVoice(let responseIDs):
            refused.formUnion(responseIDs)
            if let soundingResponse { refused.insert(soundingResponse) }
            soundingResponse = nil
            isSounding = false
            isStopping = true
        case .startCall(let call, _):
            if startedCalls.contains(call.callID) { violations.append("\(call.callID) started twice") }
            startedCalls.append(call.callID)
            unansweredCalls.append(call)
        case .startTimer(let timer, let pause):
            if timers.updateValue(now + pause, forKey: timer) != nil { violations.append("\(timer) runs twice") }
        case .cancelTimer(let timer):
            if timers.removeValue(forKey: timer) == nil { violations.append("\(timer) does not run") }
        case .cancelCalls:
            toldCalls += startedCalls
            unansweredCalls = []
        case .stateChanged(_, let next): activate(.conversation(next))
        case .note(.budgetSpent): activate(.refused)
        case .askForGreeting: orders.append(.agentGreets(chance(70) ? "Good evening." : nil))
        case .choose, .forgetMicrophone, .turnIsOpen, .announce, .answer, .play, .cancelEarcons, .turnEnded, .note:
            break
        }
    }

    private mutating func sent(_ event: ClientEvent) {
        switch event {
        case .responseCreate(let eventID, _, _): outstanding.append(eventID)
        case .functionCallOutput(let callID, _, _) where retold.contains(callID): break
        case .functionCallOutput(let callID, let output, _):
            let isStopped = output == ConversationMachine.stoppedOutput
            if toldCalls.contains(callID), !isStopped { violations.append("\(callID) answered twice") }
            toldCalls.append(callID)
        case .functionCall(let callID, _, let arguments, _):
            retold.insert(callID)
            if let call = startedCalls.first(where: { arguments.contains("{\"\($0)\"}") }) { toldCalls.append(call) }
        default: break
        }
        current?.toService.append(event)
    }

    // MARK: Events

    mutating func step() {
        now += .milliseconds(Int.random(in: 0..<300, using: &random))
        if current == nil, let due = timers.values.min() { now = max(now, due) }
        fireTimers()
        if current?.hearsSpeech == true, chance(20) { speak() }
        if chance(60) { obey() }
        if activation != nil, chance(state == .idle ? 30 : 3) { call() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<28: deliver(.current)
        case 28..<48: read(.current)
        case 48..<65: progress()
        case 65..<68: speak()
        case 68..<72: answerCall()
        case 72..<78: play()
        case 78..<84: deliver(.standby)
        case 84..<90: read(.standby)
        case 90..<92: now += .seconds(Int.random(in: 0..<20, using: &random))
        case 92: chance(50) ? post(.interrupt) : stop()
        case 93: breakConnection()
        case 94: breakStandby()
        case 95: oddEvent()
        case 96: if !staysActive, chance(10) { post(.deactivate) }
        default: call()
        }
    }

    /// The user says "stop" or presses the key. Where a conversation is always open and nothing sounds or is being answered, it
    /// is the key: the word has no effect there.
    mutating func stop() {
        let isSilent = activation?.mode == .always && [.listening, .userSpeaking].contains(state)
        let isSpoken = chance(50) && !isSilent
        if activation == nil { post(.stop(isSpoken: isSpoken)) } else { activate(.stop(isSpoken: isSpoken)) }
    }

    private mutating func call() {
        guard activation != nil else { return post(.activate) }
        guard !isHushed else { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: activate(.reset)
        case 1: activate(.toggleMute)
        case 2: activate(.media(chance(50)))
        case 3..<6:
            if let timer = activationTimers.min(by: { "\($0)" < "\($1)" }) {
                activationTimers.remove(timer)
                activate(.timer(timer))
            }
        default: activate(.activate(chance(50) ? .word("jarvis") : .button))
        }
    }

    /// The conversation reads the next order of activation.
    private mutating func obey() {
        if !orders.isEmpty { post(orders.removeFirst()) }
    }

    /// The service ends the connection, for now or for good.
    mutating func lose(_ kind: LinkFailure.Kind) {
        guard current != nil else { return }
        current = nil
        outstanding = []
        post(.disconnected(LinkFailure(kind, "lost")))
    }

    /// Reports an event to activation, if there is one, and performs its effects.
    mutating func activate(_ event: ActivationEvent) {
        guard let effects = activation?.handle(event) else { return }
        for effect in effects {
            switch effect {
            case .open: orders.append(.activate)
            case .close: orders.append(.deactivate)
            case .interrupt: orders.append(.interrupt)
            case .silence(let isSpoken): post(.stop(isSpoken: isSpoken))
            case .ask(let text): orders.append(.ask(text))
            case .say(let text): orders.append(.say(text))
            case .announce: break
            case .greet: orders.append(.greet)
            case .keepsOpen(let keepsOpen): orders.append(.keepsOpen(keepsOpen))
            case .startTimer(let timer, _): activationTimers.insert(timer)
            case .cancelTimer(let timer): activationTimers.remove(timer)
            case .play, .pauseMedia, .endMedia, .startFresh, .stopRinging, .quiet, .preRoll, .listen, .capture,
                .remember, .phaseChanged, .ignoreStop, .hearsRoom, .assistant:
                break
            }
        }
    }

    /// Lets all parties finish what they are doing; false if the machine does not come to rest.
    mutating func comeToRest() -> Bool {
        hasFaults = false
        if activation == nil { post(.activate) }
        for _ in 0..<4000 {
            obey()
            if current?.hearsSpeech == true { speak() }
            for link in [ConversationLink.current, .standby] {
                read(link)
                deliver(link)
            }
            progress()
            answerCall()
            play()
            now += .milliseconds(100)
            fireTimers()
            let isQuiet = current?.toClient.isEmpty == true && current?.toService.isEmpty == true
            let isAway = state == .idle && activation != nil && orders.isEmpty
            if isAway || state == .listening, isAway || isQuiet, unansweredCalls.isEmpty, isAway || standby == nil,
                !isStopping
            {
                return true
            }
        }
        return false
    }

    private mutating func fireTimers() {
        while let (timer, due) = timers.min(by: { $0.value < $1.value }), due <= now {
            timers[timer] = nil
            if timer == .requestedResponse { outstanding = [] }
            post(.timer(timer))
        }
    }

    private mutating func breakConnection() {
        guard hasFaults, current != nil, chance(20) else { return }
        let failures: [LinkFailure] = [
            .init(.transient, "reset"), .init(.expired, "60 min"), .init(.limited, "429"), .init(.permanent, "3000"),
        ]
        current = nil
        outstanding = []
        post(.disconnected(failures[chance(85) ? 0 : Int.random(in: 0..<4, using: &random)]))
    }

    private mutating func breakStandby() {
        guard hasFaults, standby != nil, chance(30) else { return }
        standby = nil
        post(.disconnected(LinkFailure(.transient, "reset")), from: .standby)
    }

    /// Events that a service should not send.
    private mutating func oddEvent() {
        guard hasFaults, current?.response != nil else { return }
        let again = startedCalls.last.flatMap { current?.calls.contains($0) == true ? $0 : nil } ?? ""
        let codes = ["response_cancel_not_active", "item_truncate_invalid_item_id", "something_new"]
        let odd: [ServerEvent] = [
            .responseDone(ResponseOutcome(id: "ghost", status: .cancelled)), .unknown(type: "x"),
            .functionCall(
                responseID: callResponses[again] ?? "",
                call: FunctionCall(callID: again, name: "t", arguments: "{}"),
                isComplete: true
            ),
            .error(ServerError(type: "e", code: codes.randomElement(using: &random), message: "")),
        ]
        current?.toClient.append(.event(odd[Int.random(in: 0..<odd.count, using: &random)]))
    }

    private mutating func answerCall() {
        guard !unansweredCalls.isEmpty else { return }
        if hasFaults, chance(30) { return post(.callDelayed(callID: unansweredCalls[0].callID)) }
        let call = unansweredCalls.remove(at: Int.random(in: 0..<unansweredCalls.count, using: &random))
        post(.callDispatched(callID: call.callID))
        post(.callAnswered(callID: call.callID, ToolResult(.answer("an answer"), wantsReply: chance(90))))
        if hasFaults, chance(10) {
            post(.callAnswered(callID: call.callID, "another"))
        }
    }

    private mutating func play() {
        if isStopping {
            isStopping = false
            let part = SpokenPart(responseID: "r\(responses)", itemID: "i\(responses)", contentIndex: 0)
            post(.voiceStopped([HeardPart(part: part, heard: 300, received: 900)]))
        } else if isSounding {
            isSounding = false
            soundingResponse = nil
            post(.voiceDrained)
        }
    }
}

// MARK: - The service

extension ConversationWorld {
    private mutating func with(_ link: ConversationLink, _ body: (inout Service, inout SeededGenerator) -> Void) {
        switch link {
        case .current:
            guard var service = current else { return }
            body(&service, &random)
            current = service
        case .standby:
            guard var service = standby else { return }
            body(&service, &random)
            standby = service
        }
    }

    /// Delivers the next message to the daemon.
    private mutating func deliver(_ link: ConversationLink) {
        var message: Service.Message?
        with(link) { service, _ in message = service.toClient.isEmpty ? nil : service.toClient.removeFirst() }
        switch message {
        case .voice(let responseID):
            if refused.contains(responseID) {
                // Its audio may have been accepted just before, and the report be on its way.
                if chance(20) { post(.voiceReceived(responseID: responseID, itemID: "i"), from: link) }
                return
            }
            isSounding = true
            soundingResponse = responseID
            sounded.append(responseID)
            post(.voiceReceived(responseID: responseID, itemID: "i"), from: link)
            if chance(50) { post(.voiceAudible(responseID: responseID), from: link) }
        case .event(let event):
            settleRequest(event)
            for report in translator.receive(event) { post(.service(report), from: link) }
            if case .sessionCreated = event, chance(50) {
                post(.lifetime(.seconds(Int.random(in: 20..<400, using: &random))), from: link)
            }
        case nil: break
        }
    }

    private mutating func settleRequest(_ event: ServerEvent) {
        switch event {
        case .responseCreated(_, let eventID):
            if eventID != nil { hasEchoed = true }
            outstanding.removeAll { !hasEchoed || $0 == eventID }
        case .error(let error) where error.code == "conversation_already_has_active_response": outstanding = []
        case .error(let error): outstanding.removeAll { $0 == error.eventID }
        case .responseDone(let outcome): outstanding.removeAll { $0 == outcome.clientEventID }
        default: break
        }
    }

    /// The service reads the next message.
    private mutating func read(_ link: ConversationLink) {
        var event: ClientEvent?
        with(link) { service, _ in event = service.toService.isEmpty ? nil : service.toService.removeFirst() }
        guard let event else { return }
        switch event {
        case .sessionUpdate(let settings, _):
            with(link) { service, _ in
                service.isConfigured = true
                service.toClient.append(.event(.sessionUpdated(settings.json)))
            }
        case .functionCall(let callID, _, _, _):
            if current?.calls.contains(callID) == true { violations.append("\(callID) is known to the session") }
            current?.calls.insert(callID)
            current?.toClient.append(.event(.itemAdded(itemID: "c", kind: "function_call", callID: callID)))
        case .responseCreate(let eventID, _, _):
            // Now and then the service loses a request.
            if hasFaults, chance(3) { return }
            // A refusal may also be about a response whose end has been sent.
            if current?.response != nil || hasFaults && chance(5) {
                refuse("conversation_already_has_active_response")
            } else {
                begin(clientEventID: eventID)
            }
        case .responseCancel(let responseID, _):
            guard let running = current?.response, responseID == nil || running.id == responseID else {
                return refuse("response_cancel_not_active")
            }
            end(.cancelled, "client_cancelled")
        case .functionCallOutput(let callID, _, _):
            if current?.calls.contains(callID) != true { violations.append("\(callID) is not known to the session") }
            if current?.outputs.insert(callID).inserted == false { violations.append("\(callID): second output") }
            current?.toClient.append(
                .event(.itemAdded(itemID: "o", kind: "function_call_output", callID: callID))
            )
        case .clearInput:
            if !ignoresClear { current?.hearsSpeech = false }
        default: break
        }
    }

    private mutating func refuse(_ code: String) {
        current?.toClient.append(.event(.error(ServerError(type: "e", code: code, message: ""))))
    }

    private mutating func speak() {
        guard let service = current, service.isConfigured else { return }
        if service.hearsSpeech {
            current?.hearsSpeech = false
            let isNoise = chance(10)
            current?.owesResponse = !isNoise
            current?.toClient.append(.event(.speechStopped(itemID: "u\(responses)", audioEnd: 0)))
        } else if !isHushed {
            current?.hearsSpeech = true
            current?.owesResponse = false
            current?.toClient.append(.event(.speechStarted(itemID: "u\(responses)", audioStart: 0)))
            if service.response != nil { end(.cancelled, "turn_detected") }
        }
    }

    /// The user asks something, and is answered in words.
    mutating func ask() {
        now += .seconds(2)
        speak()
        deliverAll()
        speak()
        begin(clientEventID: nil)
        if let response = current?.response { current?.toClient.append(.voice(responseID: response.id)) }
        deliverAll()
    }

    /// Delivers reports that speech has begun.
    mutating func hearBeginnings() {
        func isBeginning(_ message: Service.Message) -> Bool {
            if case .event(.speechStarted) = message { true } else { false }
        }
        while current?.toClient.contains(where: isBeginning) == true { deliver(.current) }
    }

    private mutating func deliverAll() {
        while current?.toClient.isEmpty == false { deliver(.current) }
    }

    private mutating func begin(clientEventID: String?) {
        responses += 1
        let id = "r\(responses)"
        let echoed = echoesMetadata ? clientEventID : nil
        current?.response = (id, echoed, false)
        current?.owesResponse = false
        current?.toClient.append(.event(.responseCreated(id: id, clientEventID: echoed)))
    }

    private mutating func end(_ status: ResponseOutcome.Status, _ reason: String?) {
        guard let response = current?.response else { return }
        current?.response = nil
        let outcome = ResponseOutcome(
            id: response.id, status: status, reason: reason, clientEventID: response.clientEventID
        )
        // Now and then the end of a response is lost.
        if hasFaults, chance(1) { return }
        current?.toClient.append(.event(.responseDone(outcome)))
    }

    /// The service continues its work.
    private mutating func progress() {
        guard let service = current, service.isConfigured, !service.hearsSpeech else { return }
        guard let response = service.response else {
            if service.owesResponse { begin(clientEventID: nil) }
            return
        }
        switch Int.random(in: 0..<(hasFaults ? 10 : 2), using: &random) {
        case 0, 2, 3: end(.completed, nil)
        case 1, 4, 5:
            current?.response?.hasVoice = true
            current?.toClient.append(
                .event(.outputItemAdded(responseID: response.id, itemID: "i\(responses)", kind: "message"))
            )
            current?.toClient.append(.voice(responseID: response.id))
        case 6, 7, 8:
            callCount += 1
            let id = "c\(callCount)"
            let call = FunctionCall(callID: id, name: "ask_jarvis", arguments: "{\"\(id)\"}")
            current?.calls.insert(id)
            callResponses[id] = response.id
            let event = ServerEvent.functionCall(responseID: response.id, call: call, isComplete: !chance(10))
            current?.toClient.append(.event(event))
            if chance(20) { current?.toClient.append(.event(event)) }
        default:
            let reasons = ["server_error", "rate_limit_exceeded", nil]
            end(chance(50) ? .failed : .incomplete, reasons[Int.random(in: 0..<3, using: &random)])
        }
    }
}
