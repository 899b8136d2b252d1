import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

struct RealtimeSettingsTests {
    private let settings = RealtimeSettings(
        instructions: "Be brief.",
        tools: [["type": "function", "name": "ask_jarvis", "parameters": ["type": "object"]]]
    )

    /// The settings as a server would echo them, after a change.
    private func echoed(_ change: (inout [String: JSONValue]) -> Void) throws -> JSONValue {
        let data = Data(ClientEvent.sessionUpdate(settings, eventID: "e").encoded())
        let event = try JSONDecoder().decode(JSONValue.self, from: data)
        guard case .object(var session) = try #require(event["session"]) else { return .null }
        session["object"] = "realtime.session"
        session["expires_at"] = 1_795_000_000
        change(&session)
        return .object(session)
    }

    @Test func echoedSettingsHaveNoDifference() throws {
        let echo = try echoed { _ in }
        #expect(settings.differences(from: echo).isEmpty)
    }

    @Test func numbersMayBeEchoedInAnotherForm() throws {
        let echo = try echoed { $0["max_output_tokens"] = 1200.0 }
        #expect(settings.differences(from: echo).isEmpty)
    }

    @Test func missingToolsAreFatal() throws {
        let differences = settings.differences(from: try echoed { $0["tools"] = [] })
        #expect(differences.map(\.path) == ["session.tools"])
        #expect(differences.allSatisfy { $0.isFatal })
    }

    @Test func foreignInstructionsAreFatal() throws {
        let differences = settings.differences(from: try echoed { $0["instructions"] = "(server default)" })
        #expect(differences.contains { $0.isFatal })
    }

    @Test func otherTruncationIsNotFatal() throws {
        let differences = settings.differences(from: try echoed { $0["truncation"] = "auto" })
        #expect(differences.map(\.path) == ["session.truncation"])
        #expect(!differences.contains { $0.isFatal })
    }

    @Test func theSameSettingsAreTheSameBytes() {
        let first = ClientEvent.sessionUpdate(settings, eventID: "e").encoded()
        let second = ClientEvent.sessionUpdate(settings, eventID: "e").encoded()
        #expect(first == second)
    }
}
