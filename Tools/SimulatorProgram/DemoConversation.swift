import FoundationEssentials
import Logging
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSimulator

/// Plays the demonstration: three turns, the last of which is an interruption.
struct DemoConversation {
    /// Path of the recording; nil if none can be written.
    let output: String?
    let question: String?
    let verbose: Bool

    private static let key = "sk-demo"
    private static let token = "demo"
    private static let first = "What is on my calendar today?"
    private static let second = "And how is the weather on Mars?"
    private static let third = "Thanks, that will do."

    func run() async throws {
        let simulator = RealtimeSimulator(configuration: simulatorConfiguration, script: script)
        let agent = AgentStandIn(token: Self.token, delayMilliseconds: 900) { Self.reply(to: $0) }
        let realtimePort = try await simulator.start()
        let agentPort = try await agent.start()
        let room = try FileRoom(recording: output, echo: .init(delayMilliseconds: 30, gainDecibels: -25))
        let timeline = Timeline()
        let daemon = try makeDaemon(
            realtimePort: realtimePort, agentPort: agentPort, room: room, timeline: timeline
        )

        print("Simulated services on 127.0.0.1: Realtime \(realtimePort), Jarvis \(agentPort). No key, no sound card.")
        if !SpokenVoice.hasSynthesiser { print("Missing: espeak-ng. The voices are tones, one for each word.") }
        timeline.start()
        try await daemon.start()
        try await timeline.wait(for: .listening)
        try await talk(room, timeline)
        await daemon.stop()
        await simulator.stop()
        await agent.stop()
        if let output { print("\nWhat the loudspeaker played: \(output)") }
        print("With your own key and a sound card: sudo jarvis-voiced setup.")
    }

    private func talk(_ room: FileRoom, _ timeline: Timeline) async throws {
        timeline.say("user", question.map { "(\($0))" } ?? Self.first)
        if let question {
            try room.say(file: question)
            room.say([Float](repeating: 0, count: AudioFormat.deviceRate))
        } else {
            say(Self.first, in: room)
        }
        try await timeline.wait(for: .aiSpeaking)
        try await timeline.wait(for: .listening)

        timeline.say("user", Self.second)
        say(Self.second, in: room)
        try await timeline.wait(for: .aiSpeaking)
        try await Task.sleep(for: .milliseconds(1500))

        timeline.say("user", "\(Self.third)  (speaking over the answer)")
        say(Self.third, in: room)
        try await timeline.wait(for: .userSpeaking)
        try await timeline.wait(for: .aiSpeaking)
        try await timeline.wait(for: .listening)
    }

    private func say(_ text: String, in room: FileRoom) {
        let samples = SpokenQuestion.samples48k(text, leadMilliseconds: 100, tailMilliseconds: 300)
        room.say(samples.map { Float($0) / 32768 })
    }

    private func makeDaemon(
        realtimePort: Int,
        agentPort: Int,
        room: FileRoom,
        timeline: Timeline
    ) throws -> VoiceDaemon {
        var configuration = Configuration()
        configuration.realtime.url = "ws://127.0.0.1:\(realtimePort)/v1/realtime"
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.audio.realtimePriority = 0
        // An echo canceller learns little from marker tones: it would rightly choose half duplex and miss the
        // interruption.
        if !SpokenVoice.hasSynthesiser { configuration.echo.duplex = .full }
        let secrets = try Secrets(
            configuration: configuration, environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token]
        )
        let logger = Logger.ofConversation(isVerbose: verbose)
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: logger)
        settings.audio.source = .file(room)
        return VoiceDaemon(settings, logger: logger, observer: timeline.observer)
    }

    private var simulatorConfiguration: RealtimeSimulatorConfiguration {
        var configuration = RealtimeSimulatorConfiguration(key: Self.key)
        configuration.recordLimit = 0
        return configuration
    }

    private var script: ConversationScript {
        ConversationScript(turns: [
            .init(
                transcript: Self.first,
                action: .call(filler: "Checking now.", tool: "ask_jarvis", arguments: ["query": .string(Self.first)])
            ),
            .init(
                transcript: Self.second,
                action: .call(filler: "One moment.", tool: "ask_jarvis", arguments: ["query": .string(Self.second)])
            ),
            .init(transcript: Self.third, action: .say("You are welcome.")),
        ])
    }

    private static func reply(to query: String) -> String {
        query.contains("Mars")
            ? """
            ## Weather on Mars

            * Gale crater: **-63 °C**, dusty
            * Wind from the *north west*, see [the station](https://example.org/mars)

            It will stay cold for the rest of the week, with some clouds of water ice in the early morning hours.
            """
            : "You have **two meetings**: stand-up at *nine thirty*, and lunch with Ada at twelve."
    }
}
