import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// A model that calls tools after every result.
struct ToolRoundTests {
    /// Lets the model call in every response until no further one is requested, 100 times at most.
    private func loop(_ scene: inout Scene, tool: String, from first: String = "r0", perResponse: Int = 1) {
        scene.begin(first)
        var response = first
        let before = scene.creates.count
        for round in 0..<100 {
            for number in 0..<perResponse { scene.call("\(first)-\(round)-\(number)", in: response, tool: tool) }
            scene.done(response)
            for number in 0..<perResponse { scene.answer("\(first)-\(round)-\(number)") }
            guard scene.creates.count == before + round + 1, let request = scene.creates.last else { return }
            response = "\(first)-\(round + 1)"
            scene.begin(response, for: request)
        }
    }

    private func warnings(_ scene: Scene) -> Int {
        scene.effects.count { if case .note(.callsLimited) = $0 { true } else { false } }
    }

    @Test func stopsAfterSixteenRoundsWithoutAWordOfTheUser() {
        var scene = Scene.listening()
        scene.userTurn()
        loop(&scene, tool: "get_now_playing")
        #expect(scene.creates.count == 16)
        #expect(scene.started.count == 16)
        #expect(warnings(scene) == 1)
        let mayCall = scene.sent().compactMap {
            if case .responseCreate(_, let mayCall, _) = $0 { mayCall } else { nil }
        }
        #expect(mayCall == Array(repeating: true, count: 15) + [false], "the last has to do without tools")
        #expect(scene.state == .listening)
    }

    @Test func nextTurnOfTheUserResetsTheCount() {
        var scene = Scene.listening()
        scene.userTurn()
        loop(&scene, tool: "get_now_playing")
        scene.userTurn("u2")
        loop(&scene, tool: "get_now_playing", from: "s0")
        #expect(scene.creates.count == 32)
        #expect(warnings(scene) == 2)
    }

    @Test func asksTheAgentEightTimesWithoutAWordOfTheUser() {
        var scene = Scene.listening()
        scene.userTurn()
        loop(&scene, tool: "ask_jarvis")
        #expect(scene.started.count == 8)
        #expect(scene.outputs.count == 17, "every call has its output")
        #expect(warnings(scene) == 1)
        #expect(scene.creates.count == 16)
    }

    @Test func callsAreLimitedTo64() {
        var scene = Scene.listening()
        scene.userTurn()
        loop(&scene, tool: "get_now_playing", perResponse: 10)
        #expect(scene.started.count == ToolRounds.mostCalls)
    }

    /// Responses that the service begins without a request.
    @Test func stopsAnUnpromptedService() {
        var scene = Scene.listening()
        scene.userTurn()
        for round in 0..<50 {
            scene.begin("r\(round)", for: "its own")
            scene.call("c\(round)", in: "r\(round)", tool: "get_now_playing")
            scene.done("r\(round)")
        }
        #expect(scene.started.count == 16)
    }
}
