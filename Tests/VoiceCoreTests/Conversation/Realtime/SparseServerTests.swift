import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Servers written from the types of the official SDK alone: optional fields are omitted, events that add nothing are
/// not sent, ids are numbers.
struct SparseServerTests {
    private static let opening = """
        {"type":"session.created","event_id":"1","session":{"type":"realtime"}}
        """
    private static func turn(_ item: Int) -> String {
        """
        {"type":"input_audio_buffer.speech_started","event_id":"2","audio_start_ms":300,"item_id":"item_\(item)"}
        {"type":"input_audio_buffer.speech_stopped","event_id":"3","audio_end_ms":1900,"item_id":"item_\(item)"}
        """
    }
    private static func created(_ response: String) -> String {
        #"{"type":"response.created","event_id":"4","response":{"id":"\#(response)","status":"in_progress"}}"#
    }
    private static func arguments(_ response: String, _ call: String, name: String? = "ask_jarvis") -> String {
        let name = name.map { #""name":"\#($0)","# } ?? ""
        return #"{"type":"response.function_call_arguments.done","event_id":"5","response_id":"\#(response)","#
            + #""item_id":"f_\#(call)","output_index":0,"call_id":"\#(call)",\#(name)"arguments":"{\"query\":\"x\"}"}"#
    }
    private static func done(_ response: String, status: String = "completed", output: String = "") -> String {
        let output = output.isEmpty ? "" : #","output":[\#(output)]"#
        let response = #"{"id":"\#(response)","status":"\#(status)"\#(output)}"#
        return #"{"type":"response.done","event_id":"6","response":\#(response)}"#
    }
    private static func item(_ call: String, status: String? = nil) -> String {
        let status = status.map { #","status":"\#($0)""# } ?? ""
        return #"{"type":"function_call","call_id":"\#(call)","name":"ask_jarvis","arguments":"{}"\#(status)}"#
    }

    private func open() throws -> DialectScene {
        var scene = DialectScene(.openAI)
        try scene.hear(Self.opening)
        scene.server(.sessionUpdated(scene.session))
        #expect(scene.state == .listening)
        return scene
    }

    private func answer(_ scene: inout DialectScene, _ call: String) {
        scene.on(.callAnswered(callID: call, "Two meetings."))
    }

    // MARK: Calls

    @Test func callKnownOnlyByItsArgumentsIsMade() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.arguments("r1", "c1"))
        #expect(scene.started.isEmpty, "it may still be cut off")
        try scene.hear(Self.done("r1"))
        #expect(scene.started == ["c1"])
        answer(&scene, "c1")
        #expect(scene.names.suffix(2) == ["conversation.item.create", "response.create"])
    }

    @Test func callNamedAtItsBeginningIsMade() throws {
        var scene = try open()
        let begun =
            #"{"type":"response.output_item.added","event_id":"7","response_id":"r1","output_index":0,"#
            + #""item":{"id":"f_c1","type":"function_call","name":"ask_jarvis","call_id":"c1","arguments":""}}"#
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + begun)
        try scene.hear(Self.arguments("r1", "c1", name: nil) + "\n" + Self.done("r1"))
        #expect(scene.calls.map(\.name) == ["ask_jarvis"])
    }

    @Test func callOnlyInTheOutputOfItsResponseIsMade() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("c1")))
        #expect(scene.started == ["c1"])
        answer(&scene, "c1")
        #expect(scene.names.suffix(2) == ["conversation.item.create", "response.create"])
    }

    @Test func callWithoutAnIDUsesThatOfItsItem() throws {
        var scene = try open()
        let item = #"{"id":"f1","type":"function_call","name":"ask_jarvis","arguments":"{}"}"#
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: item))
        #expect(scene.started == ["f1"])
    }

    @Test(arguments: ["cancelled", "incomplete", "failed"])
    func callOfAFailedResponseIsRefusedOnce(status: String) throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.arguments("r1", "c1"))
        try scene.hear(Self.done("r1", status: status, output: Self.item("c1", status: "incomplete")))
        #expect(scene.started.isEmpty)
        #expect(scene.names.filter { $0 == "conversation.item.create" }.count == 1)
    }

    @Test func callReportedInEveryWayIsMadeOnce() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.arguments("r1", "c1"))
        try scene.hear(
            #"{"type":"response.output_item.done","event_id":"8","response_id":"r1","output_index":0,"item":"#
                + Self.item("c1") + "}"
        )
        #expect(scene.started == ["c1"])
        try scene.hear(Self.done("r1", output: Self.item("c1")))
        #expect(scene.started == ["c1"])
    }

    @Test func reusedIDIsAnotherCall() throws {
        var scene = try open()
        for response in ["r1", "r2"] {
            try scene.hear(Self.turn(1) + "\n" + Self.created(response))
            try scene.hear(Self.done(response, output: Self.item("call_0")))
            answer(&scene, scene.started.last ?? "")
            try scene.hear(Self.created(response + "b"))
            scene.on(.voiceReceived(responseID: response + "b", itemID: "i"))
            try scene.hear(Self.done(response + "b"))
            scene.on(.voiceDrained)
        }
        #expect(scene.started.count == 2)
        let outputs = scene.sent.filter { $0["item"]?["type"] == "function_call_output" }
        #expect(outputs.compactMap { $0["item"]?["call_id"] } == ["call_0", "call_0"])
        #expect(scene.names.filter { $0 == "response.create" }.count == 2)
    }

    @Test func reusedIDDuringACallIsAnotherCall() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("call_0")))
        try scene.hear(Self.turn(2) + "\n" + Self.created("r2") + "\n" + Self.done("r2", output: Self.item("call_0")))
        #expect(scene.started.count == 2)
        #expect(Set(scene.started).count == 2, "each answer finds its call")
        for call in scene.started { answer(&scene, call) }
        // The second answer is due once the first has been spoken.
        try scene.hear(Self.created("r3"))
        scene.on(.voiceReceived(responseID: "r3", itemID: "i"))
        try scene.hear(Self.done("r3"))
        scene.on(.voiceDrained)
        #expect(scene.sent.filter { $0["item"]?["type"] == "function_call_output" }.count == 2)
    }

    // MARK: Ids that begin anew with each session

    @Test func nextSessionMayReuseIDs() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("call_0")))
        // The answer to the first is never spoken: the user speaks over it.
        try scene.hear(Self.turn(2) + "\n" + Self.created("r2"))
        scene.on(.voiceReceived(responseID: "r2", itemID: "i"))
        try scene.hear(#"{"type":"input_audio_buffer.speech_started","audio_start_ms":1,"item_id":"item_3"}"#)
        scene.on(.disconnected(LinkFailure(.transient, "the connection is dead")))
        scene.on(.timer(.reconnect))
        try scene.hear(Self.opening)
        scene.server(.sessionUpdated(scene.session))
        let before = scene.started.count
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("call_0")))
        #expect(scene.started.count == before + 1)
        try scene.hear(Self.turn(2) + "\n" + Self.created("r2"))
        scene.on(.voiceReceived(responseID: "r2", itemID: "i"))
        #expect(scene.state == .aiSpeaking, "an id that was interrupted then is heard now")
    }

    /// The answer to a question of the first session is not mistaken for that of a call with the same id in the next.
    @Test func oldAnswerIsNotThatOfANewCall() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("call_0")))
        scene.on(.deactivate)
        scene.on(.activate)
        try scene.hear(Self.opening)
        scene.server(.sessionUpdated(scene.session))
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("call_0")))
        let sent = scene.sent.count
        answer(&scene, "call_0")
        #expect(scene.sent.count == sent)
        answer(&scene, scene.started.last ?? "")
        #expect(scene.sent.count == sent + 2)
    }

    // MARK: Refusals

    private static let refusal =
        #"{"type":"error","event_id":"9","error":{"type":"invalid_request_error","#
        + #""message":"Conversation already has an active response"}}"#

    @Test func endOfAnUnknownResponseAllowsARequest() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1") + "\n" + Self.done("r1", output: Self.item("c1")))
        answer(&scene, "c1")
        try scene.hear(Self.refusal + "\n" + Self.done("r7"))
        #expect(scene.names.last == "response.create")
        try scene.hear(Self.created("r8"))
        scene.on(.voiceReceived(responseID: "r8", itemID: "i"))
        try scene.hear(Self.done("r8"))
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    // MARK: Missing events

    @Test func responseWithoutAReportedBeginningIsHeard() throws {
        var scene = try open()
        try scene.hear(Self.turn(1))
        try scene.hear(
            #"{"type":"response.output_item.added","event_id":"7","response_id":"r1","output_index":0,"#
                + #""item":{"id":"i1","type":"message","role":"assistant"}}"#
        )
        scene.on(.voiceReceived(responseID: "r1", itemID: "i1"))
        #expect(scene.state == .aiSpeaking)
        try scene.hear(Self.done("r1"))
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    @Test func responseWithoutAReportedEndTimesOut() throws {
        var scene = try open()
        try scene.hear(Self.turn(1) + "\n" + Self.created("r1"))
        scene.on(.voiceReceived(responseID: "r1", itemID: "i1"))
        scene.on(.voiceDrained)
        #expect(scene.state == .aiSpeaking)
        scene.on(.timer(.activeResponse))
        #expect(scene.state == .listening)
    }
}
