@testable import VoiceBase
@testable import VoiceConversation

/// A conversation under test: events go in by name, the machine's effects are kept.
struct Scene {
    static let settings = RealtimeSettings(
        instructions: "Be brief.", tools: [["type": "function", "name": "ask_jarvis"]]
    )

    var machine: ConversationMachine
    /// All effects so far, and those of the last event.
    var effects: [ConversationEffect] = []
    var latest: [ConversationEffect] = []
    var now = Duration.zero
    private var lastCall: String?

    /// Translates between the machine and the simulated service.
    private var translator: RealtimeTranslator

    init(
        settings: RealtimeSettings = Self.settings,
        _ change: (inout ConversationMachine.Options) -> Void = { _ in }
    ) {
        translator = RealtimeTranslator(settings)
        var options = ConversationMachine.Options(settings.dialect.capabilities)
        change(&options)
        machine = ConversationMachine(options: options)
    }

    /// In `listening`, with the effects of the opening discarded.
    static func listening(
        settings: RealtimeSettings = Self.settings,
        _ change: (inout ConversationMachine.Options) -> Void = { _ in }
    ) -> Scene {
        var scene = Scene(settings: settings, change)
        scene.open()
        scene.effects = []
        return scene
    }

    /// The user has asked and `r1` has called `c1`, whose answer is pending.
    static func calling(
        settings: RealtimeSettings = Self.settings,
        _ change: (inout ConversationMachine.Options) -> Void = { _ in }
    ) -> Scene {
        var scene = Scene.listening(settings: settings, change)
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        return scene
    }

    var state: ConversationState { machine.state }

    @discardableResult
    mutating func on(_ event: ConversationEvent, after pause: Duration = .milliseconds(10)) -> [ConversationEffect] {
        now += pause
        latest = machine.handle(event, at: now)
        effects += latest
        return latest
    }

    @discardableResult
    mutating func server(_ event: ServerEvent, after pause: Duration = .milliseconds(10)) -> [ConversationEffect] {
        now += pause
        let all = translator.receive(event).flatMap { on(.service($0), after: .zero) }
        latest = all
        return all
    }

    mutating func open() {
        if state == .idle { on(.activate) }
        on(.connected)
        server(.sessionCreated(id: "sess", expiresAt: nil))
        server(.sessionUpdated(Self.settings.json))
    }

    /// A whole turn of the user.
    mutating func userTurn(_ itemID: String = "item_user") {
        server(.speechStarted(itemID: itemID, audioStart: 0))
        server(.speechStopped(itemID: itemID, audioEnd: 900))
        server(.committed(itemID: itemID))
    }

    mutating func begin(_ responseID: String, for clientEventID: String? = nil) {
        server(.responseCreated(id: responseID, clientEventID: clientEventID))
    }

    mutating func speak(_ responseID: String, item: String = "item_voice") {
        server(.outputItemAdded(responseID: responseID, itemID: item, kind: "message"))
        on(.voiceReceived(responseID: responseID, itemID: item))
    }

    /// The authority of the last call; none if it was not started.
    var authority: CallAuthority { lastCall.flatMap { authorities[$0] } ?? .nobody }

    private var authorities: [String: CallAuthority] {
        effects.reduce(into: [:]) { result, effect in
            if case .startCall(let call, let authority) = effect { result[call.callID] = authority }
        }
    }

    mutating func call(_ callID: String, in responseID: String, tool: String = "ask_jarvis", complete: Bool = true) {
        lastCall = callID
        server(.outputItemAdded(responseID: responseID, itemID: "item_\(callID)", kind: "function_call"))
        server(
            .functionCall(
                responseID: responseID,
                call: FunctionCall(callID: callID, name: tool, arguments: #"{"query":"x"}"#),
                isComplete: complete
            )
        )
    }

    mutating func done(_ responseID: String, _ status: ResponseOutcome.Status = .completed, reason: String? = nil) {
        server(.responseDone(ResponseOutcome(id: responseID, status: status, reason: reason)))
    }

    mutating func answer(_ callID: String, _ output: ToolResult = "Two meetings.") {
        on(.callAnswered(callID: callID, output))
    }

    mutating func confirm(_ callID: String) {
        server(.itemAdded(itemID: "item_out", kind: "function_call_output", callID: callID))
    }

    // MARK: Results

    /// The client events sent, by all effects or the given ones.
    func sent(_ effects: [ConversationEffect]? = nil) -> [ClientEvent] {
        var translator = RealtimeTranslator(self.translator.settings)
        return (effects ?? self.effects).flatMap { effect -> [ClientEvent] in
            guard case .send(let request) = effect else { return [] }
            return translator.ask(request)
        }
    }

    var creates: [String] {
        sent().compactMap { if case .responseCreate(let eventID, _, _) = $0 { eventID } else { nil } }
    }

    /// What single responses were told to say or do.
    var remarks: [String] {
        sent().compactMap { event in
            guard case .responseCreate(_, _, let instructions?) = event else { return nil }
            return instructions.split(separator: "\n\n").last.map(String.init)
        }
    }

    /// Ids of the responses that were cancelled.
    var cancels: [String] {
        sent().compactMap { if case .responseCancel(let responseID, _) = $0 { responseID } else { nil } }
    }

    /// Calls of the session that were answered.
    var outputs: [String] {
        let made = Set(sent().compactMap { if case .functionCall(let callID, _, _, _) = $0 { callID } else { nil } })
        return sent().compactMap { if case .functionCallOutput(let callID, _, _) = $0 { callID } else { nil } }
            .filter { !made.contains($0) }
    }

    /// Reports to sessions about calls that they had not requested: tool, arguments and output.
    var reported: [(name: String, arguments: String, output: String)] {
        let sent = sent()
        return sent.compactMap { event in
            guard case .functionCall(let callID, let name, let arguments, _) = event else { return nil }
            let output = sent.lazy.compactMap { event -> String? in
                if case .functionCallOutput(callID, let output, _) = event { output } else { nil }
            }.first
            return (name, arguments, output ?? "")
        }
    }

    var started: [String] {
        effects.compactMap { if case .startCall(let call, _) = $0 { call.callID } else { nil } }
    }

    /// The states entered, in order.
    var path: [ConversationState] {
        effects.compactMap { if case .stateChanged(_, let state) = $0 { state } else { nil } }
    }

    var refusals: [String] {
        effects.compactMap { if case .note(.refused(let reason)) = $0 { reason } else { nil } }
    }

    /// The pause before the next attempt to connect, if the last event led to one.
    var pause: Duration? {
        latest.compactMap { if case .startTimer(.reconnect, let pause) = $0 { pause } else { nil } }.first
    }

    var reports: [TurnReport] {
        effects.compactMap { if case .turnEnded(let report) = $0 { report } else { nil } }
    }
}

extension ConversationEvent {
    /// The conversation events for an event of the Realtime protocol, in order.
    static func all(_ event: ServerEvent) -> [ConversationEvent] {
        var translator = RealtimeTranslator(Scene.settings)
        return translator.receive(event).map { .service($0) }
    }

    /// The first of them.
    static func server(_ event: ServerEvent) -> ConversationEvent {
        all(event).first ?? .service(.unknown("nothing"))
    }
}

extension ServerError {
    /// A response was requested while another one was in progress.
    static let activeResponse = ServerError(
        type: "invalid_request_error", code: "conversation_already_has_active_response", message: ""
    )
}
