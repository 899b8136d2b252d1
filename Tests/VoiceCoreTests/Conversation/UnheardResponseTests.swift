import Testing

@testable import VoiceBase
@testable import VoiceConversation

/// Responses without sound: nothing that was accepted is lost in silence.
struct UnheardResponseTests {
    /// What becomes of the response that should say an announcement.
    enum Fate: CaseIterable {
        case noWords, call, wordsWithoutSound, interruptedUnheard, activeResponse, refused, neverBegan
    }

    private static func play(_ fate: Fate, _ scene: inout Scene, _ number: Int) {
        let (response, request) = ("r\(number)", scene.creates.last)
        if [.activeResponse, .refused, .neverBegan].contains(fate) {
            switch fate {
            case .activeResponse:
                scene.server(.error(.activeResponse))
                scene.done("other\(number)")
            case .refused:
                let error = ServerError(type: "x", code: "no_idea", message: "No.", eventID: request)
                scene.server(.error(error))
            default: scene.on(.timer(.requestedResponse))
            }
            return
        }
        scene.begin(response, for: request)
        switch fate {
        case .call: scene.call("c\(number)", in: response)
        case .wordsWithoutSound:
            scene.server(.spokenTranscript(responseID: response, itemID: "i\(number)", text: "Dinner is ready."))
        default: break
        }
        scene.done(response, fate == .interruptedUnheard ? .cancelled : .completed)
    }

    @Test(arguments: Fate.allCases) func anAnnouncementIsSaidAgainOnceAndThenReported(fate: Fate) {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        Self.play(fate, &scene, 1)
        #expect(scene.remarks.count == 2, "again")
        #expect(scene.remarks.allSatisfy { $0.hasSuffix("Dinner is ready.") })
        #expect(!scene.effects.contains(.note(.speechDropped(.announcement, 1))))
        Self.play(fate, &scene, 2)
        #expect(scene.remarks.count == 2)
        #expect(scene.effects.contains(.note(.speechDropped(.announcement, 1))))
        #expect(scene.effects.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func anAnnouncementThatWasHeardIsOver() {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.remarks.count == 1)
        #expect(!scene.effects.contains(.play(.error)))
    }

    @Test func anAnswerOfTheAgentWithoutAWordIsRequestedAgain() {
        var scene = Scene.calling()
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.last)
        scene.done("r2")
        #expect(scene.timer(.retryResponse) != nil)
        scene.on(.timer(.retryResponse))
        #expect(scene.creates.count == 2)
        scene.begin("r3", for: scene.creates.last)
        scene.done("r3")
        #expect(scene.latest.contains(.play(.error)), "the user is not left waiting")
        #expect(scene.state == .listening)
    }

    @Test(arguments: [true, false]) func aQuestionWithoutAnAnswerIsReported(hasWords: Bool) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        if hasWords { scene.server(.spokenTranscript(responseID: "r1", itemID: "i", text: "Two meetings.")) }
        scene.done("r1")
        #expect(scene.latest.contains(.note(.silentResponse(hadWords: hasWords))))
        #expect(scene.latest.contains(.play(.error)))
    }

    @Test func speechWithoutAVoiceIsNotMissed() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.on(.turnWasSilent(itemID: "i"))
        scene.begin("r1")
        scene.done("r1")
        #expect(!scene.effects.contains(.play(.error)))
    }

    // MARK: No response at all

    @Test func aQuestionThatIsNeverAnsweredIsReported() {
        var scene = Scene.listening { $0.responseLimit = .seconds(30) }
        scene.userTurn()
        #expect(scene.timer(.serverResponse) == .seconds(30))
        scene.on(.timer(.serverResponse))
        #expect(scene.latest.contains(.note(.noAnswer(after: .seconds(30)))))
        #expect(scene.latest.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func noiseIsNotAnsweredAndNotMissed() {
        var scene = Scene.listening()
        scene.userTurn("i")
        scene.server(.heardTranscript(itemID: "i", contentIndex: 0, text: " "))
        scene.on(.timer(.serverResponse))
        #expect(!scene.effects.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    /// Some servers report the end of speech behind the failure of the response to it.
    @Test func aResponseThatFailedBeforeTheEndOfSpeechWasReportedIsRequestedAgain() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.begin("r1")
        scene.done("r1", .failed)
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        #expect(scene.timer(.retryResponse) == .seconds(1))
        scene.on(.timer(.retryResponse))
        #expect(scene.creates.count == 1)
    }

    // MARK: When the user stopped

    @Test func aTurnIsMeasuredFromWhenTheUserStopped() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.service(.userStopped(at: 900, ago: .seconds(2))), after: .seconds(3))
        scene.begin("r1")
        scene.call("c1", in: "r1")
        #expect(scene.timer(.thinking) == .zero, "the user has waited for two seconds")
        scene.on(.callDispatched(callID: "c1"), after: .zero)
        scene.done("r1")
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.last)
        scene.speak("r2")
        scene.on(.voiceAudible(responseID: "r2"))
        scene.done("r2")
        scene.on(.voiceDrained)
        let report = scene.reports.first
        #expect(report.flatMap(\.dispatched).map { $0 >= .seconds(2) } == true, "\(String(describing: report))")
        #expect(report.flatMap(\.firstSample).map { $0 >= .seconds(2) } == true)
    }

    @Test func aCallOfAnEarlierTurnIsNotMeasuredByTheNext() {
        var scene = Scene.calling()
        scene.userTurn("second")
        scene.on(.callDispatched(callID: "c1"))
        scene.begin("r2")
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        scene.server(.speechStarted(itemID: "third", audioStart: 0))
        #expect(scene.reports.allSatisfy { $0.dispatched.map { $0 >= .zero } ?? true }, "\(scene.reports)")
        #expect(scene.reports.last?.dispatched == nil)
    }
}
