import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Events that a server does not implement are left out after the first refusal.
struct EventRefusalTests {
    private static let truncate = ServiceRequest.truncate(item: "i", part: 0, heard: 300, of: 900)

    @Test(
        arguments: [
            (ServiceRequest.clearInput, "Unknown or invalid event: input_audio_buffer.clear", nil, nil),
            (.forget(item: "i"), "Unsupported client event type: 'conversation.item.delete'", "unsupported_event", nil),
            (
                truncate, "Invalid value: 'conversation.item.truncate'. Supported values are: 'session.update'.",
                "invalid_value", nil
            ),
            (
                .cancel(response: "r"),
                "Input tag 'response.cancel' does not match any of the expected tags: 'session.update'", nil, nil
            ),
            (truncate, "Not implemented.", nil, "truncate-1"), (.clearInput, "No.", "unknown_message_type", nil),
        ] as [(ServiceRequest, String, String?, String?)]
    )
    func leavesOutAnEventAfterItsFirstRefusal(request: ServiceRequest, message: String, code: String?, id: String?) {
        var translator = RealtimeTranslator(Scene.settings)
        let sent = translator.ask(request)
        #expect(sent.count == 1)
        let error = ServerError(type: "invalid_request_error", code: code, message: message, eventID: id)
        guard case .trouble(let reported)? = translator.receive(.error(error)).first else {
            Issue.record("not reported")
            return
        }
        #expect(reported.meaning == .event && reported.setting == sent.first?.name)
        #expect(translator.ask(request).isEmpty)
        #expect(translator.receive(.error(error)).isEmpty, "one report is enough")
        #expect(!translator.ask(.respond(id: "q", mayCall: true)).isEmpty)
    }

    @Test(
        arguments: [
            ("Error deleting item: the item with id 'i' does not exist.", "delete-1"),
            ("Unknown item 'i'.", "delete-1"),
            ("conversation.item.delete: item not found", nil), ("Unknown or invalid event: response.create", nil),
            ("Unsupported value for voice.", nil),
        ] as [(String, String?)]
    )
    func keepsEventsThatFailForAnotherReason(message: String, id: String?) {
        var translator = RealtimeTranslator(Scene.settings)
        _ = translator.ask(.forget(item: "i"))
        _ = translator.receive(.error(ServerError(type: "x", code: nil, message: message, eventID: id)))
        #expect(translator.ask(.forget(item: "i")).count == 1)
    }

    @Test(arguments: [
        "Invalid value: 'function_call'. Supported values are: 'message' and 'function_call_output'.",
        "Items of type `function_call` are not supported.",
    ])
    func passesDataAsANoteToAServerWithoutCalls(message: String) {
        var translator = RealtimeTranslator(Scene.settings)
        let report = ForeignReport(name: "ask_jarvis", arguments: "{}", output: "Two meetings.")
        #expect(translator.ask(.inform(id: "n", report)).count == 2)
        _ = translator.receive(.error(ServerError(type: "x", code: "invalid_value", message: message)))
        guard case .userMessage(let text, _)? = translator.ask(.inform(id: "m", report)).first else {
            Issue.record("not a note")
            return
        }
        #expect(text.contains("Two meetings."))
    }

    @Test func tellsItInOneLineAndKeepsTheResponse() {
        var scene = Scene.calling()
        scene.answer("c1")
        let text = "Unknown event: conversation.item.truncate"
        scene.server(.error(ServerError(type: "x", code: nil, message: text)))
        #expect(scene.latest.contains(.note(.fieldsLeftOut(["conversation.item.truncate"]))))
        #expect(scene.creates.count == 1)
    }

    @Test func dialectRowStatesWhetherAModelIsRequired() {
        #expect(Dialect.speaches.does(.needsModel) && Dialect.localAI.does(.needsModel))
        #expect(!Dialect.huggingFace.does(.needsModel) && !Dialect.openAI.does(.needsModel))
    }
}
