/// One conversation of the simulated Realtime service.
///
/// A pure machine: client events go in as text, actions come out in the order in which they must be performed. It has
/// no socket, clock or task, so that tests can run it by hand. This file dispatches client events and sends server
/// events; `+Audio` handles the microphone, `+Items` the conversation, `+Responses` what the model says.
package struct SimulatedSession: Sendable {
    let configuration: RealtimeSimulatorConfiguration
    let script: ConversationScript
    let tag: String
    var settings: SessionSettings

    // Microphone
    var detector = EnergyVoiceDetector()
    var bufferedSamples = 0
    var userItem: String?

    // Conversation
    var items: [String: SimulatedItem] = [:]
    var lastItem: String?
    var turns = 0
    var waitingTurn: Int?
    var newOutputs: [String] = []
    /// Number of responses about outputs, and of those with nothing to answer.
    var outputAnswers = 0
    var remarks = 0
    /// Number of call outputs received.
    var outputs = 0
    /// The call by which the client tells what was said in an earlier session.
    var recallID: String?

    // Model
    var response: SimulatedResponse?
    var responses = 0
    var audioWasSpoken = false

    // Sending
    private var actions: [SimulatedAction] = []
    private var counts: [String: Int] = [:]
    private var sent = 0
    private var strikes: [FaultPlan.Strike]
    private var ended = false

    /// - Parameter tag: letters and digits that make the ids of this session unique.
    package init(
        configuration: RealtimeSimulatorConfiguration,
        script: ConversationScript,
        model: String = "gpt-realtime-2.1",
        tag: String = "s1"
    ) {
        self.configuration = configuration
        self.script = script
        self.tag = tag
        strikes = script.faults.plan?.strikes.reversed() ?? []
        settings = SessionSettings(id: "sess_\(tag)", model: model, expiresAt: configuration.expiresAt)
        detector.thresholdDecibels = configuration.thresholdDecibels
        applyTurnDetection()
    }

    /// Returns the first messages to the client: `session.created`, or an error if the connection is refused.
    package mutating func open(refusal: SimulatedRefusal? = nil) -> [SimulatedAction] {
        if let refusal {
            let (code, message, close) = refusal.error
            fail(code, message)
            end(.close(code: close, reason: "invalid_request_error.\(code)"))
        } else if script.faults.plan?.opening == .silent {
            report(.silentFromTheStart)
            end(.fallSilent)
        } else {
            send("session.created", ["session": settings.value])
        }
        return dequeue()
    }

    /// Handles one text message of the client.
    package mutating func receive(_ text: String) -> [SimulatedAction] {
        guard !ended else { return [] }
        guard let event = SimulatedJSON(text: text), event.object != nil else {
            fail("invalid_json", "The message is not a JSON object.")
            return dequeue()
        }
        receive(event)
        return dequeue()
    }

    /// Handles a binary message, which the service rejects.
    package mutating func receiveBinary() -> [SimulatedAction] {
        guard !ended else { return [] }
        fail("invalid_event", "Binary messages are not supported.")
        return dequeue()
    }

    /// Continues after a timer; a timer that is no longer relevant does nothing.
    package mutating func fire(_ timer: SimulatedTimer) -> [SimulatedAction] {
        guard !ended else { return [] }
        switch timer {
        case .response(let serial): continueResponse(serial)
        case .update(let value): send("session.updated", ["session": value])
        case .transcript(let item, let text): sendTranscript(item: item, text: text)
        }
        return dequeue()
    }

    private mutating func receive(_ event: SimulatedJSON) {
        let id = event["event_id"]?.string
        switch event["type"]?.string {
        case "session.update": updateSession(event, id: id)
        case "input_audio_buffer.append": appendAudio(event, id: id)
        case "input_audio_buffer.commit": commitAudio(id: id)
        case "input_audio_buffer.clear": clearAudio()
        case "conversation.item.create": createItem(event, id: id)
        case "conversation.item.truncate": truncateItem(event, id: id)
        case "conversation.item.delete": deleteItem(event, id: id)
        case "conversation.item.retrieve": retrieveItem(event, id: id)
        case "response.create": createResponse(event, id: id)
        case "response.cancel": cancelResponse(event, id: id)
        case .some(let type):
            fail(
                "invalid_value", "Invalid value: '\(type)'. Supported values are: 'session.update', ...", param: "type",
                eventID: id
            )
        case nil:
            fail("missing_required_parameter", "Missing required parameter: 'type'.", param: "type", eventID: id)
        }
    }

    private mutating func updateSession(_ event: SimulatedJSON, id: String?) {
        if let code = script.faults.rejectUpdateCode {
            fail(code, "The session update was rejected.", eventID: id)
            return
        }
        if case .rejectSettings(let code, let param) = script.faults.plan?.opening {
            report(.settingsRejected)
            fail(code, "The session update was rejected.", param: param, eventID: id)
            return
        }
        do throws(SessionSettings.Rejection) {
            try settings.update(event["session"], audioWasSpoken: audioWasSpoken)
        } catch {
            fail(error.code, error.message, param: error.param, eventID: id)
            return
        }
        applyTurnDetection()
        if case .lateSettings(let milliseconds) = script.faults.plan?.opening {
            report(.settingsLate)
            after(milliseconds, .update(settings.value))
        } else if script.faults.updateDelayMilliseconds > 0 {
            after(script.faults.updateDelayMilliseconds, .update(settings.value))
        } else {
            send("session.updated", ["session": settings.value])
        }
    }

    private mutating func applyTurnDetection() {
        let silence = settings.turnDetection?["silence_duration_ms"]?.int
        detector.releaseMilliseconds = max(50, configuration.releaseMilliseconds ?? silence ?? 500)
        if settings.turnDetection == nil {
            detector.reset()
            userItem = nil
        }
    }
}

// MARK: - Sending

extension SimulatedSession {
    /// A new id, for instance `item_s1_0004`.
    mutating func newID(_ kind: String) -> String {
        let number = (counts[kind] ?? 0) + 1
        counts[kind] = number
        let digits = String(number)
        return "\(kind)_\(tag)_\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }

    mutating func send(_ type: String, _ fields: [String: SimulatedJSON]) {
        guard !ended else { return }
        var event = fields
        event["type"] = .string(type)
        event["event_id"] = .string(newID("event"))
        if script.faults.betaNames {
            guard let renamed = BetaNames.event(event) else { return }
            event = renamed
        }
        actions.append(.send(.object(event)))
        sent += 1
        if let every = script.faults.unknownEventEvery, every > 0, sent.isMultiple(of: every) {
            let id = newID("event")
            actions.append(
                .send(["type": "simulator.something_new", "event_id": .string(id), "detail": ["of": [1, nil, "x"]]])
            )
        }
        if let limit = script.faults.dropAfterEvents, sent >= limit { end(.drop) }
        if let limit = script.faults.expireAfterEvents, sent == limit { expire() }
        while let strike = strikes.last, strike.event <= sent, !ended {
            strikes.removeLast()
            self.strike(strike)
        }
    }

    mutating func report(_ fault: FaultKind) {
        actions.append(.report(fault))
    }

    /// Applies a strike of the plan to the event sent last.
    private mutating func strike(_ strike: FaultPlan.Strike) {
        guard let index = actions.indices.last else { return }
        let event = actions[index]
        report(strike.kind)
        switch strike.kind {
        case .droppedBefore:
            actions.remove(at: index)
            end(.drop)
        case .droppedAfter: end(.drop)
        case .reset: end(.reset)
        case .closed: end(.close(code: [1011, 1012, 1001, 1013][strike.extent % 4], reason: "going away"))
        case .halfOpen: end(.fallSilent)
        case .expired: expire()
        case .stalledWriting: actions.append(.stallWriting(milliseconds: strike.extent))
        case .stalledReading: actions.append(.stallReading(milliseconds: strike.extent))
        case .duplicated: actions.append(event)
        case .binary: actions.append(.sendBinary([UInt8](repeating: 0xFE, count: strike.extent)))
        default: if let text = FaultyEvent.text(strike) { actions.append(.sendText(text)) }
        }
    }

    mutating func fail(_ code: String?, _ message: String, param: String? = nil, eventID: String? = nil) {
        func optional(_ text: String?) -> SimulatedJSON { text.map { .string($0) } ?? .null }
        send(
            "error",
            [
                "error": [
                    "type": "invalid_request_error", "code": optional(code), "message": .string(message),
                    "param": optional(param), "event_id": optional(eventID),
                ]
            ]
        )
    }

    mutating func after(_ milliseconds: Int, _ timer: SimulatedTimer) {
        guard !ended else { return }
        actions.append(.after(milliseconds: milliseconds, timer))
    }

    private mutating func expire() {
        let text = "Your session hit the maximum duration of 60 minutes."
        fail("session_expired", text)
        end(.close(code: 1001, reason: text))
    }

    private mutating func end(_ action: SimulatedAction) {
        guard !ended else { return }
        actions.append(action)
        ended = true
    }

    private mutating func dequeue() -> [SimulatedAction] {
        defer { actions.removeAll() }
        return actions
    }
}
