import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// An answer whose session is gone is reported to the next one, once, and one response is requested.
struct OutlivedAnswerTests {
    /// When the answer arrives.
    enum Moment: CaseIterable {
        case whileNobodyListens, afterwards, beforeTheLossUnheard
    }

    @Test(arguments: Moment.allCases, [true, false])
    func survivingAnswerIsSpokenOnce(moment: Moment, echoesMetadata: Bool) {
        var scene = Scene.calling()
        if moment == .beforeTheLossUnheard { scene.answer("c1", "Two meetings.") }
        let before = scene.creates.count
        scene.on(LostQuestionTests.reset)
        if moment == .whileNobodyListens { scene.answer("c1", "Two meetings.") }
        scene.on(.timer(.reconnect))
        scene.open()
        if moment == .afterwards { scene.answer("c1", "Two meetings.") }
        #expect(scene.reported.map(\.output) == ["Two meetings."])
        #expect(scene.creates.count == before + 1)

        // The service repeats the items, begins the response and ends it.
        let reported = scene.sent().compactMap { item in
            if case .functionCall(let callID, _, _, _) = item { callID } else { nil }
        }
        for callID in reported {
            scene.server(.itemAdded(itemID: "item_call", kind: "function_call", callID: callID))
            scene.confirm(callID)
        }
        scene.begin("n1", for: echoesMetadata ? scene.creates.last : nil)
        scene.speak("n1", item: "item_told")
        scene.done("n1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        scene.userTurn()
        scene.begin("n2")
        scene.speak("n2", item: "item_next")
        scene.done("n2")
        scene.on(.voiceDrained)
        #expect(scene.reported.count == 1)
        #expect(scene.creates.count == before + 1, "\(moment)")
        #expect(scene.started == ["c1"], "what is told is not carried out")
    }

    /// The user speaks in the new session first: the response to that turn has seen the answer.
    @Test func turnThatSawTheAnswerNeedsNoOtherResponse() {
        var scene = Scene.calling()
        scene.on(LostQuestionTests.reset)
        scene.on(.timer(.reconnect))
        scene.open()
        scene.server(.speechStarted(itemID: "item_user", audioStart: 0))
        scene.answer("c1", "Two meetings.")
        #expect(scene.reported.count == 1)
        let reported = scene.sent().compactMap { item in
            if case .functionCall(let callID, _, _, _) = item { callID } else { nil }
        }
        for callID in reported { scene.confirm(callID) }
        scene.server(.speechStopped(itemID: "item_user", audioEnd: 900))
        scene.server(.committed(itemID: "item_user"))
        scene.begin("n1")
        scene.speak("n1")
        scene.done("n1")
        scene.on(.voiceDrained)
        #expect(scene.creates.isEmpty)
        #expect(scene.reported.count == 1)
        #expect(scene.state == .listening)
    }

    /// Services that take no calls receive the report as words of the user.
    @Test func serviceWithoutCallsGetsTheAnswerOnce() {
        var settings = Scene.settings
        settings.dialect.differences[.noCalls] = "a test"
        var scene = Scene.calling(settings: settings)
        scene.on(LostQuestionTests.reset)
        scene.on(.timer(.reconnect))
        scene.open()
        scene.answer("c1", "Two meetings.")
        #expect(scene.texts(.user).count { $0.contains("Two meetings.") } == 1)
        #expect(scene.texts(.system).isEmpty)
        #expect(scene.creates.count == 1)
    }

    /// The service that took over accepts no text.
    @Test(
        arguments: ServiceRegistry.all.flatMap { $0.kinds }.map(\.capabilities).filter { !$0.takesText },
        [true, false]
    )
    func serviceWithoutTextLeavesTheAnswerToTheLocalVoice(capabilities: ServiceCapabilities, hasLocalVoice: Bool) {
        var scene = Scene.calling {
            $0.substitutes = [.init(name: "other", capabilities: capabilities)]
            $0.hasLocalVoice = hasLocalVoice
        }
        scene.on(LostQuestionTests.reset)
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.on(.disconnected(LinkFailure(.transient, "no route to host")))
        scene.on(.service(.opened(id: "x", ends: nil)))
        scene.on(.service(.ready(ServiceReadiness())))
        scene.answer("c1", "Two meetings.")
        let said = { (scene: Scene) in
            scene.effects.count { $0 == .announce("Two meetings.") }
                + scene.reported.count { $0.output == "Two meetings." }
        }
        #expect(said(scene) == (hasLocalVoice ? 1 : 0))
        #expect(hasLocalVoice || scene.effects.contains(.play(.error)))
        // The usual service is back.
        scene.on(.timer(.preferred), after: .seconds(120))
        scene.beside(.service(.opened(id: "y", ends: nil)))
        scene.beside(.service(.ready(ServiceReadiness())))
        scene.on(.timer(.quiet), after: .seconds(30))
        #expect(said(scene) == 1)
    }
}
