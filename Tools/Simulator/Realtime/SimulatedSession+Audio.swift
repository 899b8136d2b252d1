extension SimulatedSession {
    mutating func appendAudio(_ event: SimulatedJSON, id: String?) {
        guard let text = event["audio"]?.string, let samples = PCM16.samples(base64: text) else {
            fail(
                "invalid_value",
                "Invalid 'audio'. Expected base64-encoded audio bytes (mono PCM16 at 24kHz) but got an invalid value.",
                param: "audio", eventID: id
            )
            return
        }
        bufferedSamples += samples.count
        guard let detection = settings.turnDetection else { return }
        for change in detector.process(samples) {
            switch change {
            case .started(let milliseconds): speechStarted(milliseconds, detection)
            case .stopped(let milliseconds): speechStopped(milliseconds, detection)
            }
        }
    }

    private mutating func speechStarted(_ milliseconds: Int, _ detection: SimulatedJSON) {
        let padding = detection["prefix_padding_ms"]?.int ?? 300
        let item = newID("item")
        userItem = item
        send(
            "input_audio_buffer.speech_started",
            ["audio_start_ms": .int(max(0, milliseconds - padding)), "item_id": .string(item)]
        )
        if response != nil, detection["interrupt_response"]?.bool != false {
            stopResponse(reason: "turn_detected")
        }
    }

    private mutating func speechStopped(_ milliseconds: Int, _ detection: SimulatedJSON) {
        let item = userItem ?? newID("item")
        userItem = nil
        send("input_audio_buffer.speech_stopped", ["audio_end_ms": .int(milliseconds), "item_id": .string(item)])
        commit(item)
        if detection["create_response"]?.bool != false { answerWaitingTurn() }
    }

    mutating func commitAudio(id: String?) {
        let milliseconds = bufferedSamples * 1000 / 24000
        guard milliseconds >= 100 else {
            fail(
                "input_audio_buffer_commit_empty",
                "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer "
                    + "only has \(milliseconds).00ms of audio.",
                eventID: id
            )
            return
        }
        detector.reset()
        let item = userItem ?? newID("item")
        userItem = nil
        commit(item)
    }

    mutating func clearAudio() {
        bufferedSamples = 0
        detector.reset()
        userItem = nil
        send("input_audio_buffer.cleared", [:])
    }

    private mutating func commit(_ item: String) {
        bufferedSamples = 0
        send(
            "input_audio_buffer.committed",
            ["previous_item_id": lastItem.map { .string($0) } ?? .null, "item_id": .string(item)]
        )
        let turn = turns
        turns += 1
        waitingTurn = turn
        join(
            id: item,
            [
                "id": .string(item), "type": "message", "status": "completed", "role": "user",
                "content": [["type": "input_audio", "transcript": nil]],
            ]
        )
        let words = script.turn(turn).transcript
        guard settings.transcribes else { return }
        let delays = script.faults.plan?.transcriptDelays ?? [40]
        let delay = delays[turn % delays.count]
        if delay > 40 { report(.lateTranscript) }
        after(delay, .transcript(item: item, text: words))
    }

    mutating func sendTranscript(item: String, text: String) {
        let place: [String: SimulatedJSON] = ["item_id": .string(item), "content_index": 0]
        for word in text.split(separator: " ") {
            send(
                "conversation.item.input_audio_transcription.delta",
                place.merging(["delta": .string(word + " "), "obfuscation": "q7Rz1"]) { $1 }
            )
        }
        let words = text.split(separator: " ").count
        send(
            "conversation.item.input_audio_transcription.completed",
            place.merging([
                "transcript": .string(text),
                "usage": [
                    "type": "tokens", "total_tokens": .int(15 + words), "input_tokens": 15,
                    "input_token_details": ["text_tokens": 0, "audio_tokens": 15], "output_tokens": .int(words),
                ],
            ]) { $1 }
        )
    }
}
