extension SimulatedSession {
    mutating func openMessage() {
        guard let active = response else { return }
        let message = SimulatedResponse.Message(id: newID("item"), index: active.output.count)
        response?.message = message
        let blank: SimulatedJSON = [
            "id": .string(message.id), "type": "message", "status": "in_progress", "role": "assistant", "content": [],
        ]
        let place: [String: SimulatedJSON] = ["response_id": .string(active.id), "output_index": .int(message.index)]
        send("response.output_item.added", place.merging(["item": blank]) { $1 })
        join(id: message.id, blank, done: false, audioBytes: 0)
        send("response.content_part.added", partPlace(["part": ["type": "audio", "transcript": ""]]))
    }

    mutating func speak(_ words: String, _ audio: [Int16]) {
        guard let message = response?.message else { return }
        if !words.isEmpty {
            response?.message?.transcript += words
            response?.words += words.split(separator: " ").count
            send(
                "response.output_audio_transcript.delta", partPlace(["delta": .string(words), "obfuscation": "Zk0aP3"])
            )
        }
        guard !audio.isEmpty else { return }
        let bytes = (items[message.id]?.audioBytes ?? 0) + audio.count * 2
        items[message.id]?.audioBytes = bytes
        response?.audioMilliseconds += audio.count / 24
        audioWasSpoken = true
        send("response.output_audio.delta", partPlace(["delta": .string(PCM16.base64(audio))]))
    }

    mutating func closeMessage(status: String) {
        guard let active = response, let message = active.message else { return }
        let text = SimulatedJSON.string(message.transcript)
        send("response.output_audio.done", partPlace([:]))
        send("response.output_audio_transcript.done", partPlace(["transcript": text]))
        send("response.content_part.done", partPlace(["part": ["type": "audio", "transcript": text]]))
        let item: SimulatedJSON = [
            "id": .string(message.id), "type": "message", "status": .string(status), "role": "assistant",
            "content": [["type": "output_audio", "transcript": text]],
        ]
        response?.message = nil
        close(item, id: message.id, index: message.index, completed: status == "completed")
    }

    mutating func call(_ tool: String, _ arguments: SimulatedJSON) {
        guard let active = response else { return }
        let (id, callID, text) = (newID("item"), newID("call"), arguments.text)
        let index = active.output.count
        func item(_ status: SimulatedJSON, _ arguments: String) -> SimulatedJSON {
            [
                "id": .string(id), "type": "function_call", "status": status, "name": .string(tool),
                "call_id": .string(callID), "arguments": .string(arguments),
            ]
        }
        let place: [String: SimulatedJSON] = [
            "response_id": .string(active.id), "item_id": .string(id), "output_index": .int(index),
            "call_id": .string(callID),
        ]
        let blank = item("in_progress", "")
        send(
            "response.output_item.added",
            ["response_id": .string(active.id), "output_index": .int(index), "item": blank]
        )
        join(id: id, blank, done: false)
        let half = text.index(text.startIndex, offsetBy: text.count / 2)
        for part in [text[..<half], text[half...]] {
            send(
                "response.function_call_arguments.delta",
                place.merging(["delta": .string(String(part)), "obfuscation": "m2"]) { $1 }
            )
        }
        send(
            "response.function_call_arguments.done",
            place.merging(["name": .string(tool), "arguments": .string(text)]) { $1 }
        )
        close(item("completed", text), id: id, index: index, completed: true)
    }

    /// Answers in text outside the conversation, which does not change.
    mutating func answerOutOfBand(metadata: SimulatedJSON) {
        let (id, item) = (newID("resp"), newID("item"))
        let words = SimulatedJSON.string(script.otherwise)
        func response(_ status: String, _ output: [SimulatedJSON], usage: SimulatedJSON) -> SimulatedJSON {
            var value =
                responseValue(id: id, status: status, output: output, metadata: metadata, usage: usage).object ?? [:]
            value["conversation_id"] = .null
            value["output_modalities"] = ["text"]
            return .object(value)
        }
        func message(_ status: String, _ content: SimulatedJSON) -> SimulatedJSON {
            [
                "id": .string(item), "type": "message", "status": .string(status), "role": "assistant",
                "content": content,
            ]
        }
        let whole: [String: SimulatedJSON] = ["response_id": .string(id), "output_index": 0]
        let part = whole.merging(["item_id": .string(item), "content_index": 0]) { $1 }
        let final = message("completed", [["type": "output_text", "text": words]])
        send("response.created", ["response": response("in_progress", [], usage: nil)])
        send("response.output_item.added", whole.merging(["item": message("in_progress", [])]) { $1 })
        send("response.content_part.added", part.merging(["part": ["type": "text", "text": ""]]) { $1 })
        send("response.output_text.delta", part.merging(["delta": words, "obfuscation": "x"]) { $1 })
        send("response.output_text.done", part.merging(["text": words]) { $1 })
        send("response.content_part.done", part.merging(["part": ["type": "text", "text": words]]) { $1 })
        send("response.output_item.done", whole.merging(["item": final]) { $1 })
        send(
            "response.done",
            ["response": response("completed", [final], usage: Self.usage(words: 8, audioMilliseconds: 0))]
        )
    }

    private mutating func close(_ item: SimulatedJSON, id: String, index: Int, completed: Bool) {
        guard let active = response else { return }
        let previous = items[id]?.previous
        items[id]?.value = item
        if completed {
            send(
                "conversation.item.done",
                ["previous_item_id": previous.map { .string($0) } ?? .null, "item": item]
            )
        }
        send(
            "response.output_item.done", ["response_id": .string(active.id), "output_index": .int(index), "item": item]
        )
        response?.output.append(item)
    }

    private func partPlace(_ fields: [String: SimulatedJSON]) -> [String: SimulatedJSON] {
        guard let active = response, let message = active.message else { return fields }
        return fields.merging([
            "response_id": .string(active.id), "item_id": .string(message.id), "output_index": .int(message.index),
            "content_index": 0,
        ]) { $1 }
    }

    func responseValue(
        id: String,
        status: String,
        output: [SimulatedJSON],
        metadata: SimulatedJSON,
        details: SimulatedJSON = nil,
        usage: SimulatedJSON = nil
    ) -> SimulatedJSON {
        [
            "object": "realtime.response", "id": .string(id), "status": .string(status), "status_details": details,
            "output": .array(output), "conversation_id": .string("conv_\(tag)"), "output_modalities": ["audio"],
            "max_output_tokens": settings.value["max_output_tokens"] ?? "inf",
            "audio": ["output": ["format": settings.outputFormat, "voice": settings.voice]], "usage": usage,
            "metadata": metadata,
        ]
    }

    /// Token counts in realistic proportions: assistant audio is one token per 50 ms.
    static func usage(words: Int, audioMilliseconds: Int) -> SimulatedJSON {
        let (text, audio) = (words + 4, audioMilliseconds / 50)
        return [
            "total_tokens": .int(225 + text + audio), "input_tokens": 225, "output_tokens": .int(text + audio),
            "input_token_details": [
                "text_tokens": 210, "audio_tokens": 15, "image_tokens": 0, "cached_tokens": 128,
                "cached_tokens_details": ["text_tokens": 128, "audio_tokens": 0, "image_tokens": 0],
            ],
            "output_token_details": ["text_tokens": .int(text), "audio_tokens": .int(audio)],
        ]
    }
}
