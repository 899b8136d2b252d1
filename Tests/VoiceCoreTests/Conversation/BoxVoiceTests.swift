import Testing

@testable import TestSupport
@testable import VoiceConversation

/// What the box says with its own voice while a session is open, through the same loudspeaker as the service.
struct BoxVoiceTests {
    private static let name = SpokenPart.nameOfBox(1)

    private static func heard(_ scene: inout Scene) {
        scene.on(.voiceReceived(responseID: name, itemID: name))
        scene.on(.voiceAudible(responseID: name))
    }

    /// The end of such a response would never be reported.
    @Test(arguments: [ServiceCapabilities.ResponseBounds.bothReported, .sound])
    func localVoiceIsNotAResponseOfTheService(bounds: ServiceCapabilities.ResponseBounds) {
        var scene = Scene.listening { $0.capabilities.responseBounds = bounds }
        Self.heard(&scene)
        #expect(scene.state == .aiSpeaking)
        scene.on(.voicePlayed(responseID: Self.name, heard: 900, received: 900))
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(scene.timer(.activeResponse) == nil)
    }

    @Test func localVoiceIsInterruptedLikeAnySpeech() {
        var scene = Scene.listening { $0.capabilities.responseBounds = .sound }
        Self.heard(&scene)
        scene.server(.speechStarted(itemID: "item_user", audioStart: 0))
        #expect(scene.latest.contains(.stopVoice(responseIDs: [Self.name])))
        #expect(scene.cancels.isEmpty && scene.state == .userSpeaking)
    }

    @Test func localVoiceIsNotAnAnswer() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        Self.heard(&scene)
        scene.on(.voiceDrained)
        #expect(scene.state == .processing)
        scene.on(LostQuestionTests.reset)
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(scene.texts(.user) == ["What is on?"], "the question is still open")
    }
}
