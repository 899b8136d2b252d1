import Testing
import VoiceSimulator

/// How the simulated service treats a client if faults are configured.
struct FaultySessionTests {
    private static func speak(_ action: ConversationScript.Action) -> SessionDriver {
        var driver = SessionDriver(script: ConversationScript(turns: [.init(transcript: "Go", action: action)]))
        driver.configure()
        driver.speakTurn()
        driver.run()
        return driver
    }

    @Test func itemsOfAResponseHaveTheirIndexes() {
        let call = ConversationScript.Call(tool: "ask_jarvis", arguments: ["query": "x"])
        let driver = Self.speak(.compose([.say("One."), .call(call), .say("Two.")], end: .completed))
        let items = driver.all("response.output_item.done")
        #expect(items.map { $0["output_index"]?.int } == [0, 1, 2])
        #expect(items.map { $0["item"]?["type"]?.string } == ["message", "function_call", "message"])
        #expect(driver.last("response.done")?["response"]?["status"] == "completed")
    }

    @Test func anIncompleteResponseEndsWithinItsLastItem() {
        let driver = Self.speak(.compose([.say("One."), .say("Two.")], end: .incomplete(reason: "max_output_tokens")))
        let response = driver.last("response.done")?["response"]
        #expect(response?["status"] == "incomplete")
        #expect(response?["status_details"]?["reason"] == "max_output_tokens")
        #expect(
            driver.all("response.output_item.done").map { $0["item"]?["status"]?.string } == [
                "completed", "incomplete",
            ]
        )
    }
}
