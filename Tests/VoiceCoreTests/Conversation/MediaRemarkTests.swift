import Testing

@testable import VoiceCore

/// News of the media player in a conversation.
struct MediaRemarkTests {
    private static func remarks(_ scene: Scene) -> [String] {
        scene.sent().compactMap { if case .systemMessage(let text, _) = $0 { text } else { nil } }
    }

    @Test func newsAreToldAtOnceWhenNobodySpeaks() {
        var scene = Scene.listening()
        scene.on(.mediaTold("It is over.", opens: false))
        #expect(Self.remarks(scene) == ["It is over."])
        #expect(scene.creates.count == 1)
        scene.begin("r1", for: scene.creates[0])
        scene.speak("r1")
        #expect(scene.state == .aiSpeaking)
    }

    @Test func nobodyIsTalkedOver() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.mediaTold("One.", opens: false))
        scene.on(.mediaTold("Two.", opens: false))
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        #expect(Self.remarks(scene).isEmpty)
        scene.on(.voiceDrained)
        #expect(Self.remarks(scene) == ["One.", "Two."])
        #expect(scene.creates.count == 1, "they are spoken about once")
    }

    @Test func aSleepingSessionIsOpenedOnlyWhereWanted() {
        var scene = Scene()
        scene.on(.mediaTold("One.", opens: false))
        #expect(scene.state == .idle)
        scene.on(.mediaTold("Two.", opens: true))
        #expect(scene.state == .connecting)
        scene.on(.connected)
        scene.server(.sessionCreated(id: "sess", expiresAt: nil))
        scene.server(.sessionUpdated(Scene.settings.json))
        #expect(Self.remarks(scene) == ["Two."])
    }

    @Test func oldNewsAreNone() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.mediaTold("One.", opens: false))
        scene.server(.speechStopped(itemID: "i", audioEnd: 900), after: .seconds(200))
        scene.begin("r1")
        scene.done("r1")
        #expect(Self.remarks(scene).isEmpty)
        #expect(scene.state == .listening)
    }
}
