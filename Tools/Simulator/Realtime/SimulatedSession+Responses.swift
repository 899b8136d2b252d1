extension SimulatedSession {
    /// Answers the last committed user turn, unless a response is in progress.
    mutating func answerWaitingTurn(metadata: SimulatedJSON = nil) {
        guard response == nil, let turn = waitingTurn else { return }
        waitingTurn = nil
        if script.faults.plan != nil, let fault = script.turn(turn).action.fault { report(fault) }
        guard script.turn(turn).action != .nothing else { return }
        // The model has seen the outputs that came before the turn, and speaks of them first.
        begin(outputSteps() + steps(of: script.turn(turn).action), metadata: metadata)
    }

    private func steps(of action: ConversationScript.Action) -> [SimulatedResponse.Step] {
        switch action {
        case .say(let text): spoken(text)
        case .call(let filler, let tool, let arguments): spoken(filler) + [.call(tool: tool, arguments: arguments)]
        case .callOnly(let tool, let arguments): [.call(tool: tool, arguments: arguments)]
        case .calls(let filler, let calls):
            spoken(filler ?? "") + calls.map { .call(tool: $0.tool, arguments: $0.arguments) }
        case .fail(let code, let message): [.failed(code: code, message: message)]
        case .compose(let parts, let end): composed(parts, end)
        case .nothing: []
        }
    }

    mutating func createResponse(_ event: SimulatedJSON, id: String?) {
        let request = event["response"]
        let metadata = request?["metadata"] ?? .null
        if request?["conversation"] == "none" {
            return answerOutOfBand(metadata: metadata)
        }
        if let response {
            return fail(
                "conversation_already_has_active_response",
                "Conversation already has an active response in progress: \(response.id). Wait until the response is "
                    + "finished before creating a new one.",
                eventID: id
            )
        }
        if waitingTurn != nil {
            answerWaitingTurn(metadata: metadata)
        } else if !newOutputs.isEmpty {
            begin(answerToOutputs(request), metadata: metadata)
        } else if remarks < script.toRemarks.count {
            remarks += 1
            begin(steps(of: script.toRemarks[remarks - 1]), metadata: metadata)
        } else {
            // The daemon sends what is for this response alone behind the instructions of the session.
            let last = request?["instructions"]?.string?.split(separator: "\n\n").last.map(String.init)
            let words = last.flatMap(Self.quoted) ?? script.otherwise
            begin(spoken(words), metadata: metadata)
        }
    }

    mutating func cancelResponse(_ event: SimulatedJSON, id: String?) {
        let wanted = event["response_id"]?.string
        guard let response, wanted == nil || wanted == response.id else {
            return fail(
                "response_cancel_not_active", "Cancellation failed: no active response found", eventID: id
            )
        }
        stopResponse(reason: "client_cancelled")
    }

    /// The words between the first pair of double quotes, for instructions such as `Say exactly "..."`.
    private static func quoted(_ text: String) -> String? {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 3, !parts[1].isEmpty else { return nil }
        return String(parts[1])
    }

    /// The script's action on the outputs, or words about them.
    private mutating func answerToOutputs(_ request: SimulatedJSON?) -> [SimulatedResponse.Step] {
        outputAnswers += 1
        guard outputAnswers <= script.toOutputs.count, let action = script.toOutputs[outputAnswers - 1] else {
            return playNamed(request) ?? outputSteps()
        }
        newOutputs.removeAll()
        return steps(of: action)
    }

    /// Calls that play what the outputs name; nil if they name nothing or calls are not allowed.
    private mutating func playNamed(_ request: SimulatedJSON?) -> [SimulatedResponse.Step]? {
        guard script.playsNamedMedia, request?["tool_choice"] != "none" else { return nil }
        let lines = newOutputs.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("media-") }
        let handles = lines.compactMap { line in
            line.firstIndex(of: ":").map { SimulatedJSON.string(String(line[..<$0])) }
        }
        guard let first = handles.first else { return nil }
        newOutputs.removeAll()
        let others = Array(handles.dropFirst())
        return [.call(tool: "play_audio", arguments: ["what": first])]
            + (others.isEmpty ? [] : [.call(tool: "enqueue", arguments: ["what": .array(others)])])
    }

    private mutating func outputSteps() -> [SimulatedResponse.Step] {
        let text = newOutputs.joined(separator: " ")
        newOutputs.removeAll()
        return spoken(text)
    }

    /// Longest text spoken in one message, in characters.
    private static let longestText = 4000

    /// A message as steps: audio in equal chunks, with the words spread over them.
    private func spoken(_ text: String) -> [SimulatedResponse.Step] {
        let text = String(text.prefix(Self.longestText))
        let words = text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return [] }
        let samples = configuration.voice.samples(text)
        let size = 24 * max(20, min(200, configuration.chunkMilliseconds))
        let count = max(1, (samples.count + size - 1) / size)
        var steps: [SimulatedResponse.Step] = [.openMessage]
        var said = 0
        for chunk in 0..<count {
            // Words run slightly ahead of the audio, as with the real service.
            let upTo = min(words.count, words.count * (chunk + 1) / count + 1)
            let part = words[min(said, upTo)..<upTo].map(String.init).joined(separator: " ")
            let lead = said > 0 && !part.isEmpty ? " " : ""
            said = max(said, upTo)
            let from = min(samples.count, chunk * size)
            steps.append(
                .speak(words: lead + part, audio: Array(samples[from..<min(samples.count, from + size)]))
            )
        }
        return steps + [.closeMessage]
    }

    /// The items in order; the last one has no end unless the response is completed.
    private func composed(_ parts: [ConversationScript.Part], _ end: ConversationScript.End) -> [SimulatedResponse.Step]
    {
        var steps: [SimulatedResponse.Step] = []
        for part in parts {
            switch part {
            case .say(let text): steps += spoken(text)
            case .call(let call): steps.append(.call(tool: call.tool, arguments: call.arguments))
            }
        }
        switch end {
        case .completed: return steps
        case .incomplete(let reason): return steps.dropLast() + [.incomplete(reason: reason)]
        case .cancelled(let reason): return steps.dropLast() + [.cancelled(reason: reason)]
        }
    }

    /// Begins an unrequested response, as when speech is detected between a call's output and the request.
    mutating func beginUnasked() {
        guard response == nil, waitingTurn == nil, !newOutputs.isEmpty else { return }
        report(.race)
        begin(outputSteps())
    }

    private mutating func begin(_ steps: [SimulatedResponse.Step], metadata: SimulatedJSON = nil) {
        responses += 1
        let id = newID("resp")
        response = SimulatedResponse(serial: responses, id: id, metadata: metadata, steps: steps.reversed())
        send(
            "response.created",
            ["response": responseValue(id: id, status: "in_progress", output: [], metadata: metadata)]
        )
        after(configuration.responseLatencyMilliseconds, .response(responses))
    }

    mutating func continueResponse(_ serial: Int) {
        guard response?.serial == serial else { return }
        while let step = response?.steps.popLast() {
            switch step {
            case .openMessage: openMessage()
            case .closeMessage: closeMessage(status: "completed")
            case .call(let tool, let arguments): call(tool, arguments)
            case .failed(let code, let message): response?.failure = (code, message)
            case .incomplete(let reason): endEarly("incomplete", reason: reason)
            case .cancelled(let reason): endEarly("cancelled", reason: reason)
            case .speak(let words, let audio):
                speak(words, audio)
                guard configuration.speed > 0 else { continue }
                let pause = Double(audio.count) / 24 / configuration.speed
                return after(max(1, Int(pause)), .response(serial))
            }
        }
        if let failure = response?.failure {
            finish(
                "failed",
                details: [
                    "type": "failed",
                    "error": [
                        "type": "invalid_request_error", "code": .string(failure.code),
                        "message": .string(failure.message),
                    ],
                ]
            )
        } else {
            finish("completed", details: nil)
        }
        if settings.turnDetection?["create_response"]?.bool == true, newOutputs.isEmpty { answerWaitingTurn() }
    }

    /// Ends the response early: open items get their `done` events; nothing else is generated.
    mutating func stopResponse(reason: String) {
        guard let active = response else { return }
        guard script.faults.lateDeltas == 0 || active.message == nil || reason != "turn_detected" else {
            let late = active.steps.reversed().prefix(script.faults.lateDeltas).prefix { step in
                if case .speak = step { true } else { false }
            }
            response?.steps = [.cancelled(reason: reason)] + late.reversed()
            return
        }
        endEarly("cancelled", reason: reason)
    }

    private mutating func endEarly(_ status: String, reason: String) {
        if response?.message != nil { closeMessage(status: "incomplete") }
        finish(status, details: ["type": .string(status), "reason": .string(reason)])
    }

    private mutating func finish(_ status: String, details: SimulatedJSON) {
        guard let ended = response else { return }
        response = nil
        send(
            "response.done",
            [
                "response": responseValue(
                    id: ended.id, status: status, output: ended.output, metadata: ended.metadata, details: details,
                    usage: Self.usage(words: ended.words, audioMilliseconds: ended.audioMilliseconds)
                )
            ]
        )
        send(
            "rate_limits.updated",
            ["rate_limits": [["name": "tokens", "limit": 40000, "remaining": 38800, "reset_seconds": 1.8]]]
        )
    }
}
