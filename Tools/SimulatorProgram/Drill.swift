import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceConfiguration
import VoiceConversation
import VoiceCore
import VoiceSimulator

/// `jarvis-simulator drill`: takes the preferred service away and measures the time until the local service speaks
/// (scripts/voice-drill).
struct Drill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take the preferred service away and measure how long the local voice takes to answer.",
        shouldDisplay: false
    )

    enum Moment: String, CaseIterable, ExpressibleByArgument {
        case answer, turn, idle, key, budget
    }

    private static let question = "What is on my calendar today?"
    private static let limit = Duration.seconds(60)

    @Argument(help: "When to take it away: answer, turn, idle; or key, budget.")
    var moment: Moment

    @Option(name: .long, help: "Port of the simulated Realtime service.")
    var port: Int

    @Option(
        name: .long,
        help: "Its process, which is stopped: it keeps its connections but sends nothing, as behind a pulled cable."
    )
    var process: Int32

    @Option(name: .long, help: "host:port of the speech recogniser.")
    var recogniser: String

    @Option(name: .long, help: "host:port of the speaker.")
    var speaker: String

    func run() async throws {
        let sound = try await WyomingVoice(speaker).speak(Self.question)
        let agent = AgentStandIn(token: "drill") { UserLine.answer(to: $0) }
        let recorder = RecordedRoom(isRecorded: false)
        let timeline = Timeline(showsHeard: true)
        let daemon = try makeDaemon(try recorder.room(echo: Self.echo), agentPort: try await agent.start(), timeline)
        timeline.start()
        var takenAt = Monotonic.now()
        try await daemon.start()
        if moment != .key {
            try await timeline.wait(for: .listening, within: Self.limit)
            try await Task.sleep(for: .seconds(1))
            if moment != .idle { ask(sound, recorder, timeline) }
            switch moment {
            case .answer:
                try await timeline.wait(for: .aiSpeaking, within: Self.limit)
                try await Task.sleep(for: .milliseconds(700))
            case .turn:
                try await timeline.wait(for: .userSpeaking, within: Self.limit)
                try await Task.sleep(for: .milliseconds(500))
            // The answer that exhausts the budget is heard to its end.
            case .budget: try await timeline.wait(for: .aiSpeaking, within: Self.limit)
            case .idle, .key: break
            }
            takenAt = Monotonic.now()
            if moment != .budget { kill(process, SIGSTOP) }
        }
        let replacedAt = try await replaced(timeline)
        // There are several spoken notices, with gaps between them; a question over them is another matter.
        try await timeline.settle(in: .listening, for: .seconds(4), within: Self.limit)
        ask(sound, recorder, timeline)
        try await timeline.wait(for: .aiSpeaking, within: Self.limit)
        try await timeline.wait(for: .listening, within: Self.limit)
        await daemon.stop()
        await agent.stop()
        let outcome = LineOutcome(line: UserLine(text: Self.question), heard: timeline.turn.heard, wait: recorder.wait)
        print(
            "| \(moment) | \(Self.seconds(replacedAt - takenAt)) | \(Self.seconds(outcome.wait)) | \(outcome.errors.wrong) |"
        )
    }

    private static let echo = FileRoom.Echo(delayMilliseconds: 30, gainDecibels: -25)

    private func ask(_ sound: [Float], _ room: RecordedRoom, _ timeline: Timeline) {
        timeline.say("user", Self.question)
        room.say(sound, isMeasured: true)
    }

    private func replaced(_ timeline: Timeline) async throws -> Duration {
        let end = Monotonic.now() + Self.limit
        while Monotonic.now() < end {
            if let instant = timeline.replacedAt { return instant }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ValidationError("no other service took over within \(Self.limit)")
    }

    private func makeDaemon(_ room: FileRoom, agentPort: Int, _ timeline: Timeline) throws -> VoiceDaemon {
        var configuration = Configuration()
        configuration.service.use = [.openAI, .local]
        configuration.realtime.url = "ws://127.0.0.1:\(port)/v1/realtime"
        configuration.local.recogniser = recogniser
        configuration.local.speaker = speaker
        configuration.jarvis.url = "http://127.0.0.1:\(agentPort)/ui"
        configuration.jarvis.preamble = .off
        configuration.audio.realtimePriority = 0
        configuration.audio.earconVolume = 0
        if moment == .budget { configuration.budget.hourUSD = 0.0001 }
        let key = moment == .key ? "sk-revoked" : "sk-simulated"
        let secrets = try Secrets(
            configuration: configuration,
            environment: ["OPENAI_API_KEY": key, "JARVIS_TOKEN": "drill"]
        )
        let logger = Logger(label: "drill") { _ in SwiftLogNoOpLogHandler() }
        var settings = try DaemonSettings(
            configuration,
            secrets: secrets,
            tools: VoiceDaemon.advertised(logger: logger)
        )
        settings.audio.source = .file(room)
        return VoiceDaemon(settings, logger: logger, observer: timeline.observer)
    }

    private static func seconds(_ time: Duration?) -> String {
        time.map { "\(Double(Int($0 / .milliseconds(10))) / 100) s" } ?? "-"
    }
}
