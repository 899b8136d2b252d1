import Testing

@testable import TestSupport
@testable import VoiceConversation

/// Announcements from outside the conversation.
struct AnnouncementTests {
    private static func texts(_ scene: Scene) -> [String] {
        scene.remarks
    }

    @Test func announcementIsSpokenImmediatelyInSilence() {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        #expect(Self.texts(scene).count == 1)
        #expect(Self.texts(scene).first?.hasSuffix("Dinner is ready.") == true)
        #expect(scene.creates.count == 1)
        scene.begin("r1", for: scene.creates[0])
        scene.speak("r1")
        #expect(scene.state == .aiSpeaking)
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(scene.creates.count == 1)
    }

    @Test func announcementWaitsForSilence() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.say("One."))
        scene.on(.say("Two."))
        #expect(Self.texts(scene).isEmpty)
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        #expect(Self.texts(scene).isEmpty)
        scene.on(.voiceDrained)
        // One after another.
        #expect(Self.texts(scene).count == 1)
        scene.begin("r2", for: scene.creates[0])
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(Self.texts(scene).count == 2)
        #expect(scene.creates.count == 2)
    }

    @Test func announcementWaitsForTheAnswerOfTheAgent() {
        var scene = Scene.calling()
        scene.on(.say("Later."))
        #expect(scene.state == .waitingForJarvis)
        #expect(Self.texts(scene).isEmpty)
    }

    /// An announcement whose words were received up to the third sentence, ahead of their sound.
    private static func halfSaid() -> Scene {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready. It gets cold. Come down now."))
        scene.begin("r1", for: scene.creates[0])
        scene.speak("r1")
        scene.server(
            .spokenDelta(
                responseID: "r1", itemID: "item_voice", contentIndex: 0, text: "Dinner is ready. It gets cold. Come"
            )
        )
        return scene
    }

    @Test func announcementContinuesInTheNextSession() {
        var scene = Self.halfSaid()
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.voiceDrained)
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        #expect(Self.texts(scene).count == 2)
        #expect(Self.texts(scene).last?.contains("Dinner") == false, "it was heard")
        #expect(Self.texts(scene).last?.hasSuffix("It gets cold. Come down now.") == true)
    }

    @Test func announcementContinuesAfterAFailedResponse() {
        var scene = Self.halfSaid()
        scene.done("r1", .failed, reason: "server_error")
        scene.on(.voiceDrained)
        scene.on(.timer(.retryResponse))
        #expect(Self.texts(scene).count == 2)
        #expect(Self.texts(scene).last?.contains("Dinner") == false, "it was heard")
        #expect(Self.texts(scene).last?.hasSuffix("It gets cold. Come down now.") == true)
    }

    @Test func announcementThatWasSaidWholeIsNotRepeated() {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        scene.begin("r1", for: scene.creates[0])
        scene.speak("r1")
        scene.server(
            .spokenTranscript(responseID: "r1", itemID: "item_voice", text: "Dinner is ready.", contentIndex: 0)
        )
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.voiceDrained)
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        #expect(Self.texts(scene).count == 1)
    }

    @Test func endOfTheConversationDropsAnnouncements() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.say("Too late."))
        scene.on(.deactivate)
        #expect(scene.latest.contains(.note(.speechDropped(.announcement, 1))), "and says so")
        scene.on(.say("Nobody listens."))
        scene.open()
        #expect(Self.texts(scene).isEmpty)
    }

    /// A flood of one source drops itself, not what others wait for.
    @Test func fullQueueDropsTheOldestAnnouncement() {
        var queue = SpeechQueue()
        queue.add(.media(MediaRemark(report: "{}", wish: nil)), at: .zero)
        queue.add(.words("Dinner is ready."), at: .zero)
        for number in 1...20 { queue.add(.news(ToolResult(.answer("\(number)")), aloud: nil), at: .zero) }
        var all: [SpeechQueue.Entry.Content] = []
        while let next = queue.next(of: [.announcement, .agent]) { all.append(next.content) }
        #expect(all == [.words("Dinner is ready.")] + (7...20).map { .news(ToolResult(.answer("\($0)")), aloud: nil) })
        #expect(queue.takeDropped().map { "\($0.source) \($0.count)" } == ["agent 6"])
        #expect(queue.holds(.media))
    }
}
