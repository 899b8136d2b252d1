import Testing
import VoiceSimulator

struct RealtimeSimulatorTests {
    private func simulator(_ script: ConversationScript = .init()) -> RealtimeSimulator {
        var configuration = RealtimeSimulatorConfiguration()
        configuration.voice = .tones
        configuration.speed = 0
        configuration.responseLatencyMilliseconds = 0
        return RealtimeSimulator(configuration: configuration, script: script)
    }

    @Test func callTurnIsServedOverTheWire() async throws {
        let simulator = simulator()
        let port = try await simulator.start()
        let socket = try RawWebSocket(port: port)
        #expect(socket.status == 101)
        _ = try socket.events(until: "session.created")
        var driver = SessionDriver(script: .init())
        driver.configure()
        try socket.send(driver.sent[0])
        #expect(try socket.events(until: "session.updated").count == 1)
        driver.speakTurn()
        for event in driver.sent.dropFirst() { try socket.send(event) }
        let events = try socket.events(until: "response.done")
        let call = try #require(events.last { $0["type"] == "response.output_item.done" }?["item"])
        #expect(call["name"] == "ask_jarvis")
        #expect(call["arguments"] == #"{"query":"What is on today?"}"#)
        try socket.send([
            "type": "conversation.item.create",
            "item": ["type": "function_call_output", "call_id": call["call_id"] ?? nil, "output": "Nothing at all."],
        ])
        try socket.send(["type": "response.create"])
        let answer = try socket.events(until: "response.done")
        #expect(
            answer.last { $0["type"] == "response.output_audio_transcript.done" }?["transcript"] == "Nothing at all."
        )
        #expect(simulator.clientEventLines.count == driver.sent.count + 2)
        #expect(simulator.serverEventLines.contains { $0.contains("response.done") })
        #expect(simulator.connectionCount == 1)
        try socket.frame(0x88, [3, 232])
        var message = try socket.receive()
        while case .event = message { message = try socket.receive() }
        guard case .close(let code, _) = message else { return #expect(Bool(false), "no close frame") }
        #expect(code == 1000)
        await simulator.stop()
    }

    @Test(arguments: [
        (["Authorization": "Bearer wrong"], "gpt-realtime", "invalid_api_key", 3000),
        (
            ["Authorization": "Bearer sk-simulated", "OpenAI-Beta": "realtime=v1"], "gpt-realtime",
            "beta_api_shape_disabled", 4000
        ),
        (["Authorization": "Bearer sk-simulated"], "", "missing_model", 4000),
        (["Authorization": "Bearer sk-simulated"], "gpt-4o", "invalid_model", 4000),
    ])
    func refusalsComeAfterTheUpgrade(
        _ headers: [String: String], _ model: String, _ code: String, _ close: Int
    )
        async throws
    {
        let simulator = simulator()
        let port = try await simulator.start()
        let socket = try RawWebSocket(port: port, target: "/v1/realtime?model=\(model)", headers: headers)
        #expect(socket.status == 101)
        guard case .event(let error) = try socket.receive() else { return #expect(Bool(false), "no event") }
        #expect(error["error"]?["code"]?.string == code)
        guard case .close(let number, let reason) = try socket.receive() else {
            return #expect(Bool(false), "no close frame")
        }
        #expect(number == close)
        #expect(reason == "invalid_request_error.\(code)")
        await simulator.stop()
    }

    @Test func refusedUpgradeIsAnHTTPStatus() async throws {
        var faults = RealtimeFaults()
        faults.refuseStatus = 503
        faults.faultyConnections = 1
        let simulator = simulator(.init(faults: faults))
        let port = try await simulator.start()
        #expect(try RawWebSocket(port: port).status == 503)
        #expect(try RawWebSocket(port: port).status == 101)
        await simulator.stop()
    }

    @Test func anUnknownPathIsNotFound() async throws {
        let simulator = simulator()
        let port = try await simulator.start()
        #expect(try RawWebSocket(port: port, target: "/v2/other").status == 404)
        await simulator.stop()
    }

    @Test func theConnectionIsCutWithoutACloseFrameOnce() async throws {
        var faults = RealtimeFaults()
        faults.dropAfterEvents = 1
        faults.faultyConnections = 1
        let simulator = simulator(.init(faults: faults))
        let port = try await simulator.start()
        let first = try RawWebSocket(port: port)
        _ = try first.receive()
        guard case .end = try first.receive() else { return #expect(Bool(false), "still open") }
        let second = try RawWebSocket(port: port)
        _ = try second.events(until: "session.created")
        try second.send(["type": "input_audio_buffer.clear"])
        #expect(try second.events(until: "input_audio_buffer.cleared").count == 1)
        await simulator.stop()
    }

    @Test func fragmentsAreJoined() async throws {
        let simulator = simulator()
        let port = try await simulator.start()
        let socket = try RawWebSocket(port: port)
        let text = Array(#"{"type":"input_audio_buffer.clear"}"#.utf8)
        try socket.frame(0x01, Array(text.prefix(10)))
        try socket.frame(0x80, Array(text.dropFirst(10)))
        #expect(try socket.events(until: "input_audio_buffer.cleared").count == 2)
        await simulator.stop()
    }
}
