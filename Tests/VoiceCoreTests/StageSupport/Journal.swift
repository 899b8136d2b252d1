import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceConversation

/// Everything that a daemon under test did and its servers saw, in the order of observation.
final class Journal: Sendable {
    enum Entry: Sendable {
        case state(ConversationState)
        /// An effect, with the frame that the loudspeaker had reached.
        case effect(ConversationEffect, frame: Int)
        case wire(RealtimeSimulator.Event)
    }

    private let written = Mutex<[Entry]>([])

    var entries: [Entry] { written.withLock { $0 } }

    func add(_ entry: Entry) {
        written.withLock { $0.append(entry) }
    }

    /// Waits until `isThere`; fails after half a minute.
    func wait(
        for what: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isThere: @Sendable ([Entry]) -> Bool
    ) async throws {
        for _ in 0..<3000 {
            if isThere(entries) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("never seen: \(what); states: \(states)", sourceLocation: sourceLocation)
        throw NeverSeen(what: what)
    }

    struct NeverSeen: Error {
        var what: String
    }
}

// MARK: - Views

extension Journal {
    var states: [ConversationState] {
        entries.compactMap { if case .state(let state) = $0 { state } else { nil } }
    }

    /// What the daemon sent, as read by the server, without audio.
    func client(_ connection: Int? = nil) -> [SimulatedJSON] { entries.client(connection) }

    func client(_ type: String, connection: Int? = nil) -> [SimulatedJSON] {
        client(connection).filter { $0["type"]?.string == type }
    }

    /// The outputs of calls that reached the server.
    var outputs: [String] {
        client("conversation.item.create").compactMap { event in
            guard event["item"]?["type"] == "function_call_output" else { return nil }
            return event["item"]?["output"]?.string
        }
    }

    /// What single responses were told to say or do.
    var remarks: [String] {
        client("response.create").compactMap { event in
            guard let text = event["response"]?["instructions"]?.string else { return nil }
            return text.split(separator: "\n\n").last.map(String.init)
        }
    }

    /// The texts that reached the server as words of the user.
    var notes: [String] {
        client("conversation.item.create").compactMap { event in
            guard event["item"]?["role"] == "user" else { return nil }
            return event["item"]?["content"]?.array?.first?["text"]?.string
        }
    }

    func server(_ type: String) -> [SimulatedJSON] {
        entries.compactMap { entry in
            guard case .wire(.server(_, let event)) = entry, event["type"]?.string == type else { return nil }
            return event
        }
    }

    /// Codes of the close frames that the daemon sent.
    var closeCodes: [Int?] {
        entries.compactMap { if case .wire(.closing(_, let code)) = $0 { code } else { nil } }
    }

    /// The frame at which the voice was last stopped.
    var flushFrame: Int? {
        entries.reversed().lazy.compactMap { entry in
            if case .effect(.stopVoice, let frame) = entry { frame } else { nil }
        }.first
    }
}

extension [Journal.Entry] {
    var states: [ConversationState] { compactMap { if case .state(let state) = $0 { state } else { nil } } }

    func client(_ connection: Int? = nil) -> [SimulatedJSON] {
        compactMap { entry in
            guard case .wire(.client(let number, let event)) = entry, connection == nil || connection == number,
                event["type"] != "input_audio_buffer.append"
            else { return nil }
            return event
        }
    }

    func count(_ state: ConversationState) -> Int {
        reduce(0) { count, entry in
            if case .state(state) = entry { count + 1 } else { count }
        }
    }
}
