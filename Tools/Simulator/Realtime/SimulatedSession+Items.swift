extension SimulatedSession {
    /// Number of items that a session keeps; later ones cannot be referred to.
    static let itemLimit = 4000

    /// Number of function outputs that wait for one response; further ones join the conversation but are not spoken.
    static let outputLimit = 64

    /// Appends an item to the conversation.
    mutating func join(id: String, _ value: SimulatedJSON, done: Bool = true, audioBytes: Int? = nil) {
        let previous = lastItem
        lastItem = id
        if items.count < Self.itemLimit {
            items[id] = SimulatedItem(value: value, audioBytes: audioBytes, previous: previous)
        }
        let fields: [String: SimulatedJSON] = [
            "previous_item_id": previous.map { .string($0) } ?? .null, "item": value,
        ]
        send("conversation.item.added", fields)
        if done { send("conversation.item.done", fields) }
    }

    mutating func createItem(_ event: SimulatedJSON, id: String?) {
        guard var item = event["item"]?.object else {
            return fail("missing_required_parameter", "Missing required parameter: 'item'.", param: "item", eventID: id)
        }
        if let previous = event["previous_item_id"]?.string, previous != "root", items[previous] == nil {
            return fail(
                "invalid_value", "Previous item with id not found: \(previous)", param: "previous_item_id", eventID: id
            )
        }
        switch item["type"]?.string {
        case "message":
            guard item["role"]?.string != nil, item["content"]?.array != nil else {
                return fail(
                    "missing_required_parameter", "Missing required parameter: 'item.content'.", param: "item.content",
                    eventID: id
                )
            }
        case "function_call":
            if item["name"]?.string == "recall_conversation" { recallID = item["call_id"]?.string }
        case "function_call_output":
            guard let callID = item["call_id"]?.string, let output = item["output"]?.string else {
                return fail(
                    "missing_required_parameter", "Missing required parameter: 'item.output'.", param: "item.output",
                    eventID: id
                )
            }
            // Earlier items are not an answer to speak about.
            if callID != recallID, newOutputs.count < Self.outputLimit { newOutputs.append(output) }
            outputs += 1
        default:
            return fail("invalid_value", "Invalid value for 'item.type'.", param: "item.type", eventID: id)
        }
        let itemID = item["id"]?.string ?? newID("item")
        item["id"] = .string(itemID)
        item["status"] = "completed"
        join(id: itemID, .object(item))
        if let every = script.faults.plan?.raceEvery, every > 0, item["type"] == "function_call_output",
            outputs.isMultiple(of: every)
        {
            beginUnasked()
        }
    }

    mutating func truncateItem(_ event: SimulatedJSON, id: String?) {
        let name = event["item_id"]?.string ?? ""
        guard let item = items[name] else {
            return fail("item_truncate_invalid_item_id", "Item with item_id not found: \(name)", eventID: id)
        }
        guard let length = item.audioMilliseconds else {
            return fail(nil, "Only model output audio messages can be truncated")
        }
        guard let end = event["audio_end_ms"]?.int, end >= 0 else {
            return fail("invalid_value", "Invalid 'audio_end_ms': expected an integer.", param: "audio_end_ms")
        }
        guard let index = event["content_index"]?.int, index == 0 else {
            return fail("invalid_value", "Invalid 'content_index'.", param: "content_index", eventID: id)
        }
        guard end <= length else {
            return fail("invalid_value", "Audio content of \(length)ms is already shorter than \(end)ms")
        }
        items[name]?.audioBytes = end * 48
        send(
            "conversation.item.truncated",
            ["item_id": .string(name), "content_index": .int(index), "audio_end_ms": .int(end)]
        )
    }

    mutating func deleteItem(_ event: SimulatedJSON, id: String?) {
        let name = event["item_id"]?.string ?? ""
        guard let item = items.removeValue(forKey: name) else {
            return fail("item_delete_invalid_item_id", "Item with item_id not found: \(name)", eventID: id)
        }
        if lastItem == name { lastItem = item.previous }
        send("conversation.item.deleted", ["item_id": .string(name)])
    }

    mutating func retrieveItem(_ event: SimulatedJSON, id: String?) {
        let name = event["item_id"]?.string ?? ""
        guard let item = items[name] else {
            return fail("item_retrieve_invalid_item_id", "Item with item_id not found: \(name)", eventID: id)
        }
        send("conversation.item.retrieved", ["item": item.value])
    }
}

/// An item of the conversation, as stored by the server.
struct SimulatedItem: Sendable {
    var value: SimulatedJSON
    /// Assistant audio generated for it, in bytes of PCM16; nil for items without audio output.
    var audioBytes: Int?
    var previous: String?

    /// Audio at 24 kHz, 48 bytes per millisecond.
    var audioMilliseconds: Int? { audioBytes.map { $0 / 48 } }
}
