import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceLive
@testable import VoiceReply

/// What the user's own words decide with GPT-Live, whose model has no tools: orders to the box, and replies to the agent.
struct LiveOrderTests {
    private static let permission = AgentPrompt(
        number: 1, kind: .permission(action: "rm -r photos"),
        facts: [#"run the command "rm -r photos""#, #"It would run in the folder "/home""#]
    )

    /// A scene in which the agent has asked for permission, and the model has put it to the user.
    private static func asked() -> LiveScene {
        var scene = LiveScene.live()
        scene.say("Clean up my photos")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(600)
        scene.ask(.answer(call: "d1", ToolResult(.prompt(permission))))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(800)
        scene.pass(3000, model: true)
        scene.pass(1500)
        return scene
    }

    // MARK: Orders

    @Test(arguments: [
        ("Stop.", "stop_talking", "{}"), ("Mute", "mute_microphone", "{}"), ("Pause the music", "pause_playback", "{}"),
        ("Louder please", "change_volume", #"{"by":10}"#), ("Volume forty", "change_volume", #"{"to":40}"#),
        ("Hey Jarvis, quieter", "change_volume", #"{"by":-10}"#),
    ])
    func orderRunsWithoutADelegation(words: String, tool: String, arguments: String) {
        var scene = LiveScene.live()
        scene.say(words)
        scene.pass(1500)
        #expect(scene.calls.map(\.name) == [tool])
        #expect(scene.calls.first?.arguments == arguments)
    }

    @Test func delegatedOrderRunsOnce() {
        var scene = LiveScene.live()
        scene.say("Volume forty")
        let place = scene.lastWord
        scene.pass(1500)
        scene.receive(.delegated(id: "d1", target: "client", at: place))
        scene.pass(6000)
        #expect(scene.calls.map(\.name) == ["change_volume"])
        // The model is not told to ask again.
        #expect(scene.reported(.thinking).map(\.delegation) == ["d1"])
        #expect(scene.reported(.thinking).first?.text.contains("ask the user") == false)
    }

    @Test func orderDelegatedFirstRunsOnce() {
        var scene = LiveScene.live()
        scene.say("Volume forty")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(3000)
        #expect(scene.calls.map(\.name) == ["change_volume"])
        scene.ask(.answer(call: "d1", "Volume 40 percent."))
        #expect(scene.reported(.commentary).map(\.text) == ["Volume 40 percent."])
        #expect(scene.reported(.commentary).map(\.delegation) == ["d1"])
    }

    // MARK: A model that speaks before the words have settled

    /// The responses since the scene was last forgotten: each with its calls, in the order in which they were reported.
    private static func responses(_ scene: LiveScene) -> [(id: String, calls: [String])] {
        var found: [(id: String, calls: [String])] = []
        for report in scene.reports {
            switch report {
            case .responseBegan(let id, _): found.append((id, []))
            case .call(let id, let call, _):
                guard let index = found.lastIndex(where: { $0.id == id }) else { break }
                found[index].calls.append(call.name)
            default: break
            }
        }
        return found
    }

    /// Says the words, to which the model replies from 240 ms after the last one on; they are reported `late` ms after it.
    private static func interruptedByAReply(_ scene: inout LiveScene, _ text: String, late: Int = 460) -> Int {
        let start = (scene.position + 199) / 200 * 200
        let words = text.split(separator: " ")
        scene.pass(start - scene.position)
        scene.pass(words.count * 200, voice: true)
        scene.pass(260)
        scene.pass(late - 260, model: true)
        for (index, word) in words.enumerated() {
            let begin = start + index * 200
            scene.receive(.heard(LiveFragment((index == 0 ? "" : " ") + word, start: begin, end: begin + 200)))
        }
        return start + (words.count - 1) * 200
    }

    /// The user's word is behind the first response after the turn alone: what is done for the turn has to be in it.
    @Test(arguments: [false, true]) func orderBelongsToTheEarlierReply(isHandedOver: Bool) {
        var scene = LiveScene.live()
        let place = Self.interruptedByAReply(&scene, "Volume forty")
        if isHandedOver { scene.receive(.delegated(id: "d1", target: "client", at: place)) }
        scene.pass(1500, model: true)
        let responses = Self.responses(scene)
        #expect(responses.map(\.calls) == [["change_volume"], []], "\(responses)")
    }

    @Test(arguments: [false, true]) func yesBelongsToTheEarlierReply(isHandedOver: Bool) {
        var scene = Self.asked()
        scene.forget()
        let place = Self.interruptedByAReply(&scene, "Yes please do it")
        if isHandedOver { scene.receive(.delegated(id: "d2", target: "client", at: place)) }
        scene.pass(1500, model: true)
        let responses = Self.responses(scene)
        #expect(responses.map(\.calls) == [["approve"], []], "\(responses)")
    }

    @Test func requestBelongsToTheEarlierReply() {
        var scene = LiveScene.live()
        let place = Self.interruptedByAReply(&scene, "What is on today")
        scene.receive(.delegated(id: "d1", target: "client", at: place))
        scene.pass(1500, model: true)
        let responses = Self.responses(scene)
        #expect(responses.map(\.calls) == [["ask_jarvis"], []], "\(responses)")
    }

    /// Speech that began before the turn ended answers something else, and does not carry out the order of the turn.
    @Test func speechBeforeTheEndOfTheTurnDoesNotAnswerTheOrder() {
        var scene = LiveScene.live()
        let start = (scene.position + 199) / 200 * 200
        scene.pass(start - scene.position)
        scene.pass(400, voice: true)
        scene.pass(100)
        scene.pass(700, model: true)
        for (index, word) in ["Volume", " forty"].enumerated() {
            scene.receive(.heard(LiveFragment(word, start: start + 200 * index, end: start + 200 * index + 200)))
        }
        scene.pass(1500, model: true)
        let responses = Self.responses(scene)
        #expect(responses.first?.calls == [] && responses.dropFirst().first?.calls == ["change_volume"], "\(responses)")
    }

    /// A second request of one turn is not slipped into the reply to the first.
    @Test func onlyTheFirstResponseAnswersTheTurn() {
        var scene = LiveScene.live()
        scene.say("What is on today")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(600)
        scene.pass(300, model: true)
        scene.receive(.heard(LiveFragment(" and tomorrow", start: scene.lastWord, end: scene.lastWord + 200)))
        scene.receive(.delegated(id: "d2", target: "client", at: scene.lastWord))
        scene.pass(1500, model: true)
        let responses = Self.responses(scene)
        #expect(responses.first?.calls == ["ask_jarvis"])
        #expect(!responses.contains { $0.calls.count > 1 }, "\(responses)")
    }

    // MARK: Wishes

    /// The model asks once more for what the box has done, a second later: there is nothing to ask the user again.
    @Test func lateRepetitionOfAnOrderIsIgnored() {
        var scene = LiveScene.live()
        scene.say("Volume forty")
        let place = scene.lastWord
        scene.pass(1500)
        scene.receive(.delegated(id: "d1", target: "client", at: place + 1400))
        scene.pass(6000)
        #expect(scene.calls.map(\.name) == ["change_volume"])
        #expect(scene.reported(.thinking).map(\.delegation) == ["d1"])
        #expect(scene.reported(.thinking).first?.text.contains("ask the user") == false)
    }

    /// The next request may be handed over shortly after an order, and before its words are there: it is not the order's.
    @Test func requestAfterAnOrderIsNotMistakenForIt() {
        var scene = LiveScene.live()
        scene.say("Volume forty")
        scene.pass(340)
        let start = (scene.position + 199) / 200 * 200
        scene.pass(start - scene.position)
        scene.pass(400, voice: true)
        scene.pass(200)
        scene.receive(.delegated(id: "d1", target: "client", at: start + 200))
        scene.pass(300)
        for (index, word) in [" The", " news"].enumerated() {
            scene.receive(.heard(LiveFragment(word, start: start + 200 * index, end: start + 200 * index + 200)))
        }
        scene.pass(2000)
        #expect(scene.calls.map(\.name) == ["change_volume", "ask_jarvis"])
        #expect(scene.queries == ["The news"])
    }

    @Test func requestContainingAnOrderIsNotAnOrder() {
        var scene = LiveScene.live()
        scene.say("Stop the washing machine at nine")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(2000)
        #expect(scene.queries == ["Stop the washing machine at nine"])
        #expect(scene.calls.count == 1)
    }

    /// The transcript trails: the first word of a wish may look like an order until the rest is there.
    @Test func anOrderWaitsForTheRestOfTheTurn() {
        var scene = LiveScene.live()
        scene.pass(200)
        scene.pass(1600, voice: true)
        scene.pass(800)
        scene.receive(.heard(LiveFragment("Stop", start: 200, end: 400)))
        scene.pass(1000)
        #expect(scene.calls.isEmpty)
        for (index, word) in [" the", " washing", " machine."].enumerated() {
            scene.receive(.heard(LiveFragment(word, start: 600 + 400 * index, end: 800 + 400 * index)))
        }
        scene.pass(1000)
        #expect(scene.calls.isEmpty, "\(scene.calls)")
    }

    @Test func phantomWordsDoNotOrder() {
        var scene = LiveScene.live()
        scene.pass(3000)
        scene.receive(.heard(LiveFragment("Stop.", start: 1000, end: 1200)))
        scene.pass(2000)
        #expect(scene.calls.isEmpty)
    }

    @Test func audibleOrderNeedsNoSpokenReply() {
        var scene = LiveScene.live()
        scene.say("Pause the music")
        scene.pass(1500)
        let id = scene.calls.first?.callID ?? ""
        scene.ask(.answer(call: id, ToolResult(.data(#"{"state":"paused"}"#))))
        scene.ask(.respond(id: "q1", mayCall: true))
        #expect(scene.reported(.commentary).isEmpty)
        let ended = scene.reports.contains { if case .responseBegan(_, "q1") = $0 { true } else { false } }
        #expect(ended, "the conversation does not wait for words")
    }

    // MARK: Permissions

    @Test func permissionIsAskedInExactWords() {
        let scene = Self.asked()
        let put = scene.reported(.commentary).first
        #expect(put?.delegation == "d1")
        #expect(put?.text.hasPrefix("Say exactly this: ") == true)
        #expect(put?.text.contains("\"rm -r photos\"") == true && put?.text.contains("/home") == true)
        #expect(put?.text.contains("call approve") == false)
    }

    @Test(arguments: [true, false]) func aClearYesAllowsAndANoDenies(isHandedOver: Bool) {
        for (words, allow) in [("Yes", "true"), ("Yes please do it", "true"), ("No", "false"), ("No don't", "false")] {
            var scene = Self.asked()
            scene.forget()
            scene.say(words)
            if isHandedOver { scene.receive(.delegated(id: "d2", target: "client", at: scene.lastWord)) }
            scene.pass(2000)
            #expect(scene.calls.map(\.name) == ["approve"], "\(words)")
            #expect(scene.calls.first?.arguments == #"{"allow":\#(allow),"command":"rm -r photos"}"#)
        }
    }

    @Test func turnIsReportedBeforeItsYes() throws {
        var scene = Self.asked()
        scene.forget()
        scene.say("Yes")
        scene.pass(2000)
        let turn = try #require(scene.reports.firstIndex { if case .userTurn = $0 { true } else { false } })
        let call = try #require(scene.reports.firstIndex { if case .call = $0 { true } else { false } })
        #expect(turn < call)
    }

    @Test func unclearReplyIsRepromptedThenDenied() {
        var scene = Self.asked()
        scene.forget()
        scene.say("Which photos are those")
        scene.receive(.delegated(id: "d2", target: "client", at: scene.lastWord))
        scene.pass(2000)
        #expect(scene.calls.isEmpty)
        #expect(scene.reported(.commentary).map(\.delegation) == ["d2"])
        scene.say("Well maybe")
        scene.receive(.delegated(id: "d3", target: "client", at: scene.lastWord))
        scene.pass(2000)
        #expect(scene.calls.map(\.arguments) == [#"{"allow":false,"command":"rm -r photos"}"#])
    }

    /// A sound that the local detector did not take for speech permits nothing.
    @Test func barelyAudibleYesAllowsNothing() {
        var scene = Self.asked()
        scene.forget()
        scene.pass(200)
        let place = scene.position
        scene.pass(40, voice: true)
        scene.pass(600)
        scene.receive(.heard(LiveFragment("Yes", start: place / 200 * 200, end: place / 200 * 200 + 200)))
        scene.pass(2000)
        #expect(scene.calls.isEmpty)
    }

    /// The model may hand over the beginning of a turn: a user who says "Yes" and continues has not allowed it.
    @Test func yesFollowedByMoreAllowsNothing() {
        var scene = Self.asked()
        scene.forget()
        let start = (scene.position + 199) / 200 * 200
        scene.pass(start - scene.position)
        scene.pass(300, voice: true)
        scene.pass(200)
        scene.receive(.heard(LiveFragment("Yes", start: start, end: start + 200)))
        scene.receive(.delegated(id: "d2", target: "client", at: start + 200))
        scene.pass(1000, voice: true)
        for (index, word) in [" but", " only", " the", " old", " ones"].enumerated() {
            let begin = start + 500 + 200 * index
            scene.receive(.heard(LiveFragment(word, start: begin, end: begin + 200)))
        }
        scene.pass(2000)
        #expect(!scene.calls.contains { $0.arguments.contains(#""allow":true"#) }, "\(scene.calls)")
    }

    /// A "Yes" of the television, handed over late, does not become that of the person who has begun to speak since.
    @Test func yesOfAnEarlierSoundAllowsNothing() {
        var scene = Self.asked()
        scene.forget()
        scene.pass(200)
        let place = scene.position / 200 * 200
        scene.pass(40, voice: true)
        scene.pass(900)
        scene.receive(.heard(LiveFragment("Yes", start: place, end: place + 200)))
        scene.pass(600, voice: true)
        scene.receive(.delegated(id: "d2", target: "client", at: place + 200))
        scene.pass(2000)
        #expect(!scene.calls.contains { $0.arguments.contains(#""allow":true"#) }, "\(scene.calls)")
    }

    @Test func phantomYesAllowsNothing() {
        var scene = Self.asked()
        scene.forget()
        let place = scene.position / 200 * 200
        scene.pass(2000)
        scene.receive(.heard(LiveFragment("Yes", start: place + 1000, end: place + 1200)))
        scene.receive(.delegated(id: "d2", target: "client", at: place + 1000))
        scene.pass(6000)
        #expect(scene.calls.isEmpty)
    }

    @Test func questionIsAnsweredInTheWordsOfTheUser() {
        var scene = LiveScene.live()
        scene.say("Book a table")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(600)
        let question = AgentPrompt(number: 1, kind: .question, facts: [#""For how many?""#])
        scene.ask(.answer(call: "d1", ToolResult(.prompt(question))))
        scene.pass(500)
        scene.pass(1500, model: true)
        scene.pass(1500)
        scene.forget()
        scene.say("For three people")
        scene.receive(.delegated(id: "d2", target: "client", at: scene.lastWord))
        scene.pass(2000)
        #expect(scene.calls.map(\.name) == ["answer_question"])
        #expect(scene.calls.first?.arguments == #"{"answers":["For three people"]}"#)
    }
}
