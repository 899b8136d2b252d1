import FoundationEssentials
import VoiceBase
import VoiceConversation
import VoiceDatagrid

/// Messages of Datagrid Voice.
enum DatagridFuzz {
    private struct Message: Decodable {
        struct Payload: Decodable { var data: String }

        var type: String
        var payload: Payload
    }

    /// No message may break a translator; the fast path to the audio must find what the general decoder finds.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        if let message = DatagridDecoder.decode(bytes) {
            for isReady in [false, true] {
                var translator = DatagridTranslator(DatagridSettings())
                _ = translator.ask(.open(history: []), at: .zero)
                if isReady { _ = translator.receive(.ready, at: .zero) }
                _ = translator.receive(message, at: .zero)
                _ = translator.sound(at: .zero)
                _ = translator.receive(message, at: .seconds(1))
                _ = translator.tick(at: .seconds(200), isPlaying: false)
            }
        }
        _ = DatagridHandoff(Array(bytes), isEncrypted: true)
        guard let found = DatagridAudio(bytes) else { return }
        precondition(found.data.lowerBound >= 0 && found.data.upperBound <= bytes.count, "beyond the message")
        // The meaning of a message with a duplicate name depends on its reader.
        let text = String(decoding: bytes, as: UTF8.self)
        let isPlain = ["payload", "data", "type"].allSatisfy {
            text.split(separator: $0, omittingEmptySubsequences: false).count == 2
        }
        guard isPlain, !text.contains("\\u"), let known = try? JSONDecoder().decode(Message.self, from: Data(bytes))
        else {
            return
        }
        precondition(String(decoding: bytes[found.data], as: UTF8.self) == known.payload.data, "other sound")
    }
}
