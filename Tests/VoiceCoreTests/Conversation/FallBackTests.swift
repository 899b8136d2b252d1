import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceReply

/// The cloud's session is lost, and the local voice continues: nothing is asked or said twice.
struct FallBackTests {
    /// A conversation that begins with a service of the Realtime protocol and continues with the local voice.
    private struct House {
        var scene: Scene
        private var local: LocalTranslator?
        private var sentences: [String] = []
        /// What the local voice says, apart from the notice that it has taken over.
        var said: [String] {
            let notice = SpeechParts.split(ConversationMachine.substituteNotice)
            return sentences.filter { !notice.contains($0) }
        }
        /// Questions that went to Jarvis.
        var asked: [String] {
            scene.effects.compactMap {
                if case .startCall(let call, _) = $0, call.name == "ask_jarvis" { call.callID } else { nil }
            }
        }

        init() {
            scene = Scene { $0.substitutes = [.init(name: "local", capabilities: .local)] }
            scene.open()
        }

        /// The cloud's session breaks, and no other can be had. What was received is played to its end.
        mutating func fallBack() {
            scene.on(.disconnected(LinkFailure(.transient, "reset")))
            scene.on(.voiceDrained)
            scene.on(.timer(.reconnect), after: .seconds(1))
            scene.on(.disconnected(LinkFailure(.transient, "no route to host")))
            #expect(scene.latest.contains(.choose(service: 1, isBeside: false)))
            let options = LocalTranslator.Options()
            local = LocalTranslator(options)
            on(.service(.opened(id: "local", ends: nil)))
        }

        /// Passes on what both have for each other until neither has more; all speech is heard to its end.
        mutating func on(_ event: ConversationEvent) {
            var events = [event]
            while !events.isEmpty {
                for effect in scene.on(events.removeFirst()) {
                    guard case .send(let request) = effect else { continue }
                    events += receive(.asked(request))
                }
            }
        }

        private mutating func receive(_ event: LocalEvent) -> [ConversationEvent] {
            var events: [ConversationEvent] = []
            for effect in local?.handle(event) ?? [] {
                switch effect {
                case .report(let event): events.append(event)
                case .speak(let speech):
                    sentences += speech.sentences
                    for index in speech.sentences.indices {
                        events += receive(.sentenceBegan(index))
                        events.append(.voiceReceived(responseID: speech.response, itemID: speech.item))
                        events += receive(.sentenceEnded(index))
                    }
                    events += receive(.speechEnded) + [.voiceDrained]
                default: break
                }
            }
            return events
        }

        mutating func answer(_ callID: String, _ text: String) {
            on(.callAnswered(callID: callID, ToolResult(text)))
        }
    }

    private static let answer = "You have two meetings today. The first is at nine in the morning. Lunch is with Ann."

    /// The user has asked, and the cloud has called.
    private static func calling() -> House {
        var house = House()
        house.scene.userTurn()
        house.scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on today?"))
        house.scene.begin("r1")
        house.scene.call("c1", in: "r1")
        house.scene.done("r1")
        return house
    }

    /// The cloud has begun to tell the answer.
    private static func telling(_ deltas: [String], isWhole: Bool = false) -> House {
        var house = calling()
        house.scene.answer("c1", ToolResult(answer))
        house.scene.begin("r2", for: house.scene.creates.last)
        house.scene.speak("r2", item: "item_told")
        for text in deltas {
            house.scene.server(.spokenDelta(responseID: "r2", itemID: "item_told", contentIndex: 0, text: text))
        }
        if isWhole {
            house.scene.server(
                .spokenTranscript(responseID: "r2", itemID: "item_told", text: deltas.joined(), contentIndex: 0)
            )
        }
        return house
    }

    @Test(arguments: ["before", "after"]) func runningCallIsAnsweredOnceAndNotRepeated(answered: String) {
        var house = Self.calling()
        if answered == "before" { house.scene.on(.disconnected(LinkFailure(.transient, "reset"))) }
        if answered == "before" { house.answer("c1", Self.answer) }
        house.fallBack()
        if answered == "after" { house.answer("c1", Self.answer) }
        #expect(house.asked == ["c1"], "Jarvis has it already")
        #expect(house.said == SpeechParts.split(Self.answer))
        #expect(house.scene.state == .listening)
    }

    /// The cloud has not asked Jarvis yet.
    @Test func unansweredQuestionIsAskedOnce() {
        var house = House()
        house.scene.userTurn()
        house.scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on today?"))
        house.fallBack()
        #expect(house.asked.count == 1)
        house.answer(house.asked.first ?? "", Self.answer)
        #expect(house.asked.count == 1 && house.said == SpeechParts.split(Self.answer))
    }

    /// The sentence whose sound may be missing is said again, those before it are not.
    @Test func answerContinuesWhereTheCloudBrokeOff() {
        var house = Self.telling(["You have two meetings", " today. The first is at nine", " in the morning. Lunch"])
        house.fallBack()
        #expect(house.said == ["The first is at nine in the morning.", "Lunch is with Ann."])
        #expect(house.asked == ["c1"] && house.scene.state == .listening)
    }

    @Test func finishedAnswerIsNotRepeated() {
        var house = Self.telling([Self.answer], isWhole: true)
        house.fallBack()
        #expect(house.said.isEmpty && house.asked == ["c1"] && house.scene.state == .listening)
    }

    /// In other words: it is unknown how much of it was spoken.
    @Test func rewordedAnswerIsRepeatedInFull() {
        var house = Self.telling(["Sure! There are a couple of meetings. You start", " at nine."])
        house.fallBack()
        #expect(house.said == SpeechParts.split(Self.answer))
    }

    /// What the user interrupted was not heard, whatever was received.
    @Test func interruptedWordsDoNotCountAsSpoken() {
        var words = WordsSaid()
        let sentences = ["One is here.", "Two is there.", "Three is gone."]
        words.said("One is here. Two is there. Three", by: "r1", isWhole: false)
        #expect(words.count(of: sentences) == 1)
        #expect(words.count(of: ["Something else."]) == 0)
        words.wasCut("r1")
        #expect(words.count(of: sentences) == 0)
        words.said("One is here.", by: "r2", isWhole: true)
        #expect(words.count(of: sentences) == 1)
        #expect(words.count(of: []) == 0)
    }
}
