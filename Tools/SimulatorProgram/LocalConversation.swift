import FoundationEssentials
import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSimulator

/// Plays a conversation with real local speech servers. Only the room, the user's lines and, unless one is named, the
/// agent are simulated.
struct LocalConversation {
    /// Addresses as host:port.
    struct Servers {
        var recogniser: String
        var speaker: String
    }

    private static let token = "demo"
    /// Time between the end of an answer and the next line.
    private static let pause = Duration.milliseconds(700)
    /// How far into an answer the next line is spoken over it.
    private static let into = Duration.milliseconds(2000)
    /// Longest wait for an answer.
    private static let answerLimit = Duration.seconds(15)
    private static let agentLimit = Duration.seconds(120)

    let servers: Servers
    /// Path of the recording; nil if none can be written.
    let output: String?
    let verbose: Bool
    /// Address of the agent; nil for the stand-in.
    var agent: String?
    var lines = UserLine.conversation
    var echo = FileRoom.Echo(delayMilliseconds: 30, gainDecibels: -25)
    /// Path of the file for the outcomes; nil for none.
    var results: String?
    /// Whether to stay after a conversation, for another one at each Enter.
    var stays = false

    init(servers: Servers, output: String?, verbose: Bool) {
        self.servers = servers
        self.output = output
        self.verbose = verbose
    }

    func run() async throws {
        let voice = try WyomingVoice(servers.speaker)
        var spoken: [[Float]] = []
        for line in lines { spoken.append(try await voice.speak(line.text)) }
        // Measurements concern the beginning of an answer: unless a line interrupts it, a short answer is enough.
        let isShort = results != nil && !lines.contains { $0.isOver }
        let standIn = AgentStandIn(token: Self.token) { isShort ? "That is noted." : UserLine.answer(to: $0) }
        let port = try await standIn.start()
        let recorder = RecordedRoom(isRecorded: output != nil)
        let timeline = Timeline(showsHeard: true)
        let daemon = try makeDaemon(room: try recorder.room(echo: echo), agentPort: port, timeline: timeline)
        let who = agent.map { "your agent at \($0)" } ?? "a stand-in for Jarvis"
        print(
            "Real speech on 127.0.0.1: Whisper recognises, Piper speaks, also for you; \(who) answers. No key, no "
                + "sound card."
        )
        timeline.start()
        try await daemon.start()
        let control = ControlPath.daemon(environment: ProcessEnvironment.values).flatMap { path in
            try? daemon.controlServer(
                .init(path: path, version: ProgramVersion.current), logger: .ofConversation(isVerbose: verbose)
            )
        }
        let serving = control.map { control in Task { await control.run() } }
        try await timeline.wait(for: .listening)
        try report(try await converse(spoken, in: recorder, timeline), recorder)
        while stays, await isWanted() {
            timeline.forget()
            if output != nil { recorder.record() }
            try report(try await converse(spoken, in: recorder, timeline), recorder)
        }
        control?.stop()
        await serving?.value
        await daemon.stop()
        await standIn.stop()
    }

    /// Waits for Enter; false at the end of the input.
    private func isWanted() async -> Bool {
        print("\nEnter: another conversation. Ctrl-C: the end.")
        fflush(nil)
        return await OwnThread.run("jv-enter") { readLine() != nil }
    }

    private func converse(
        _ spoken: [[Float]],
        in room: RecordedRoom,
        _ timeline: Timeline
    ) async throws -> [LineOutcome] {
        var outcomes: [LineOutcome] = []
        for index in lines.indices { outcomes.append(try await say(index, spoken[index], in: room, timeline)) }
        return outcomes
    }

    /// Says a line and waits for its answer to end, or only to begin if the next line interrupts it.
    private func say(
        _ index: Int,
        _ sound: [Float],
        in room: RecordedRoom,
        _ timeline: Timeline
    ) async throws -> LineOutcome {
        let line = lines[index]
        let isCutShort = index + 1 < lines.count && lines[index + 1].isOver
        try await Task.sleep(for: line.isOver ? Self.into : Self.pause)
        timeline.say("user", line.text + (line.isOver ? "  (speaking over the answer)" : ""))
        room.say(sound, isMeasured: !line.isOver)
        var outcome = LineOutcome(line: line)
        do {
            let limit = agent == nil ? Self.answerLimit : Self.agentLimit
            if line.isOver { try await timeline.wait(for: .userSpeaking, within: limit) }
            try await timeline.wait(for: .aiSpeaking, within: limit)
            if !isCutShort { try await timeline.wait(for: .listening, within: limit) }
        } catch {
            // In a measurement, a line without an answer is a result too.
            guard results != nil else { throw error }
            outcome.heard = timeline.turn.heard
            return outcome
        }
        // The report of the turn follows its last state change.
        try await Task.sleep(for: .milliseconds(50))
        outcome.heard = timeline.turn.heard
        outcome.wait = room.wait
        guard let report = timeline.turn.report else { return outcome }
        if let dispatched = report.dispatched, let answered = report.answered { outcome.agent = answered - dispatched }
        if let wait = outcome.wait, let first = report.firstSample { outcome.sure = wait - first }
        return outcome
    }

    private func makeDaemon(room: FileRoom, agentPort: Int, timeline: Timeline) throws -> VoiceDaemon {
        var configuration = Configuration()
        configuration.service.use = [.local]
        configuration.local.recogniser = servers.recogniser
        configuration.local.speaker = servers.speaker
        configuration.jarvis.url = agent ?? "http://127.0.0.1:\(agentPort)/ui"
        if agent == nil { configuration.jarvis.preamble = .off }
        configuration.audio.realtimePriority = 0
        // The first sample of an answer must be a word, not an earcon.
        configuration.audio.earconVolume = 0
        let environment = [
            "JARVIS_TOKEN": agent == nil ? Self.token : getenv("JARVIS_TOKEN").map { String(cString: $0) } ?? ""
        ]
        let secrets = try Secrets(configuration: configuration, environment: environment)
        let events = DaemonEvents()
        let logger = Logger.ofConversation(isVerbose: verbose, events: events)
        var settings = try DaemonSettings(configuration, secrets: secrets, logger: logger)
        settings.audio.source = .file(room)
        return VoiceDaemon(settings, logger: logger, events: events, observer: timeline.observer)
    }

    // MARK: Results

    private func report(_ outcomes: [LineOutcome], _ recorder: RecordedRoom) throws {
        if let results {
            let text = outcomes.map { $0.json.text + "\n" }.joined()
            guard (try? Data(text.utf8).write(to: URL(filePath: results))) != nil else {
                throw LocalFailure.unwritable(results)
            }
        }
        let words = outcomes.reduce(0) { $0 + $1.errors.words }
        let wrong = outcomes.reduce(0) { $0 + $1.errors.wrong }
        print("")
        if let waits = LineOutcome.waits(outcomes) { print(waits) }
        print("Recognised: \(words - min(words, wrong)) of \(words) words.")
        if let output {
            print(recorder.write(to: output) ? "Recording of both sides: \(output)" : "\(output) cannot be written.")
        }
        // A conversation that was held but not understood is a failure.
        if results == nil, 2 * wrong > words { throw LocalFailure.notUnderstood(words: words, wrong: wrong) }
    }
}

private enum LocalFailure: Error, CustomStringConvertible {
    case unwritable(String)
    case notUnderstood(words: Int, wrong: Int)

    var description: String {
        switch self {
        case .unwritable(let path): "\(path) cannot be written"
        case .notUnderstood(let words, let wrong):
            "\(wrong) of \(words) words were not recognised; --verbose shows the daemon's log"
        }
    }
}
