import FoundationEssentials
import VoiceBase
import VoiceConversation

/// Events of the Realtime service.
enum EventFuzz {
    private struct Delta: Decodable {
        var response_id: String
        var item_id: String
        var content_index: Int?
        var delta: String
    }

    /// The fast path to the audio must find what the general decoder finds, within the message.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        _ = try? ServerEventDecoder().decode(bytes)
        guard let found = AudioDelta(bytes) else { return }
        for range in [found.responseID, found.itemID, found.audio] {
            precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "beyond the message")
        }
        let output = UnsafeMutablePointer<UInt8>.allocate(capacity: found.audio.count / 4 * 3 + 1)
        defer { output.deallocate() }
        _ = Base64.decode(UnsafeRawBufferPointer(rebasing: bytes[found.audio]), into: output)
        // The meaning of a message with a duplicate name depends on its reader.
        guard let known = try? JSONDecoder().decode(Delta.self, from: Data(bytes)), !repeats(bytes) else { return }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        precondition(text(found.responseID) == known.response_id, "another response")
        precondition(text(found.itemID) == known.item_id, "another item")
        precondition(text(found.audio) == known.delta, "another audio")
        precondition(found.contentIndex == known.content_index ?? 0, "another part")
    }

    private static func repeats(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return ["response_id", "item_id", "content_index", "delta", "\\u"].contains { name in
            let hits = text.split(separator: name, omittingEmptySubsequences: false).count - 1
            return name == "delta" ? hits > 2 : name == "\\u" ? hits > 0 : hits > 1
        }
    }
}
