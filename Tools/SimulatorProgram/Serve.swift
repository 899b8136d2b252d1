import ArgumentParser
import Glibc
import Synchronization
import UnixSignals
import VoiceSimulator

/// `jarvis-simulator serve`: the simulated services alone, for a daemon in another process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the simulated Realtime service and the stand-in for Jarvis until told to stop.",
        discussion: """
            Prints "realtime=PORT jarvis=PORT", and behind it " live=PORT", " datagrid=PORT", " hero365=PORT" of those that were \
            asked for. The key is sk-simulated, the token simulated. Every turn of the user becomes a question to Jarvis; Datagrid and \
            Hero365 answer by themselves.
            """
    )

    @Flag(name: .long, help: "Speak in marker tones, one for each word, instead of a synthesiser.")
    var tones = false

    @Flag(name: .long, help: "Run a simulated GPT-Live too: live.url is ws://127.0.0.1:PORT/v1/live/sessions.")
    var live = false

    @Option(name: .long, help: "The port of the simulated service; 0 takes any free one.")
    var port = 0

    @Flag(
        name: .customLong("hero365"),
        help:
            "Run a simulated Hero365 too: hero365.url is ws://127.0.0.1:PORT/voice/stream/ws/1. It says what Jarvis answers."
    )
    var hasHero365 = false

    @OptionGroup(title: "Hero365")
    var hero365: Hero365Options

    @Flag(name: .long, help: "Run a simulated Datagrid Voice too: datagrid.url is ws://127.0.0.1:PORT/ws/voice.")
    var datagrid = false

    @Option(name: .long, help: "What Jarvis answers; for several questions give it several times.")
    var reply: [String] = ["Nothing on today."]

    @Option(name: .long, help: "How long Jarvis takes, in ms.")
    var delay = 1000

    @Option(name: .long, help: "Write the events of both sides here, a line of JSON each, without audio.")
    var events: String?

    func run() async throws {
        let record = try events.map { try EventFile(path: $0) }
        var configuration = RealtimeSimulatorConfiguration()
        if tones { configuration.voice = .tones }
        configuration.recordLimit = 0
        if !live && !hasHero365 && !datagrid { configuration.port = port }
        let queries = reply.indices.map { "Question \($0 + 1)?" }
        let simulator = RealtimeSimulator(configuration: configuration, script: ConversationScript(queries: queries)) {
            record?.write($0)
        }
        let replies = Dictionary(zip(queries, reply)) { first, _ in first }
        // A question that is not in the script, as a speech recogniser may produce, gets the next reply in order.
        let all = reply
        let count = Mutex(0)
        let agent = AgentStandIn(token: "simulated", delayMilliseconds: delay) { query in
            replies[query]
                ?? count.withLock { count in
                    defer { count += 1 }
                    return all.isEmpty ? "I do not know." : all[count % all.count]
                }
        }
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let ports = (try await simulator.start(), try await agent.start())
        let liveSimulator = LiveSimulator(.requests(queries), port: port, voice: configuration.voice) {
            record?.write($0)
        }
        let livePort = live ? try await liveSimulator.start() : nil
        let heroSimulator = Hero365Simulator(hero365.script(reply), port: port, voice: configuration.voice) {
            record?.write($0)
        }
        let heroPort = hasHero365 ? try await heroSimulator.start() : nil
        let datagridSimulator = DatagridSimulator(.answers(reply), port: port, voice: configuration.voice) {
            record?.write($0)
        }
        let datagridPort = datagrid ? try await datagridSimulator.start() : nil
        let others = [("live", livePort), ("datagrid", datagridPort), ("hero365", heroPort)]
            .compactMap { name, port in port.map { " \(name)=\($0)" } }
        print("realtime=\(ports.0) jarvis=\(ports.1)" + others.joined())
        fflush(nil)
        for await _ in signals { break }
        await simulator.stop()
        await liveSimulator.stop()
        await heroSimulator.stop()
        await datagridSimulator.stop()
        await agent.stop()
    }
}

/// Network faults of the simulated Hero365's audio, and its session.
struct Hero365Options: ParsableArguments {
    @Option(name: .long, help: "Messages of sound that are lost, in percent.")
    var loss = 0

    @Option(name: .long, help: "Messages of sound that come behind the next, in percent.")
    var reordered = 0

    @Option(name: .long, help: "Messages of sound that come twice, in percent.")
    var duplicated = 0

    @Option(name: .long, help: "How long its sessions last, in s.")
    var lasts = 300

    @Option(name: .customLong("form"), help: "How its sound is written: packet, lengths, ogg or pcm.")
    var form = "packet"

    func validate() throws {
        guard [loss, reordered, duplicated].allSatisfy((0...100).contains) else {
            throw ValidationError("--loss, --reordered and --duplicated must be 0 to 100")
        }
        guard (1...86_400).contains(lasts) else { throw ValidationError("--lasts must be 1 to 86400") }
        guard Hero365Script.Form(rawValue: form) != nil else {
            throw ValidationError("--form must be packet, lengths, ogg or pcm")
        }
    }

    func script(_ answers: [String]) -> Hero365Script {
        var script = Hero365Script(answers)
        script.faults.loss = loss
        script.faults.reordering = reordered
        script.faults.duplicates = duplicated
        script.lasts = lasts * 1000
        script.form = Hero365Script.Form(rawValue: form) ?? .packet
        return script
    }
}
