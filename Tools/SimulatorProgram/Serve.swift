import ArgumentParser
import Glibc
import ServiceSimulators
import Synchronization
import UnixSignals
import VoiceSimulator

/// `jarvis-simulator serve`: the simulated services alone, for a daemon in another process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the simulated Realtime service and the stand-in for Jarvis until told to stop.",
        discussion: """
            Prints "realtime=PORT jarvis=PORT", and behind it " NAME=PORT" of each service asked for with --service. The key is \
            sk-simulated, the token simulated. Every turn of the user becomes a question to Jarvis; a service with an agent of its \
            own gives the same replies.
            """
    )

    @Flag(name: .long, help: "Speak in marker tones, one for each word, instead of a synthesiser.")
    var tones = false

    @Option(
        help: "Run a simulated service too, by its name in service.use; may be given several times.",
        transform: { name in
            guard let service = SimulatorRegistry.named(name) else {
                let known = SimulatorRegistry.all.map { $0.name }.joined(separator: ", ")
                throw ValidationError("there is no service \(name): choose \(known)")
            }
            return service
        }
    )
    var service: [any ServiceSimulator.Type] = []

    @Option(
        name: .customLong("option"), help: "NAME=VALUE for each of these, see docs/services.md; as often as needed."
    )
    var options: [String] = []

    @Option(name: .long, help: "The port of the simulated service; 0 takes any free one.")
    var port = 0

    @Option(name: .long, help: "What Jarvis answers; for several questions give it several times.")
    var reply: [String] = ["Nothing on today."]

    @Option(name: .long, help: "How long Jarvis takes, in ms.")
    var delay = 1000

    @Option(name: .long, help: "How many times faster than real time the Realtime service speaks.")
    var speed = 5.0

    @Option(name: .long, help: "What the Realtime service answers to a typed question.")
    var otherwise: String?

    @Option(name: .long, help: "Write the events of both sides here, a line of JSON each, without audio.")
    var events: String?

    func run() async throws {
        let record = try events.map { try EventFile(path: $0) }
        var configuration = RealtimeSimulatorConfiguration()
        if tones { configuration.voice = .tones }
        configuration.recordLimit = 0
        configuration.speed = speed
        if service.isEmpty { configuration.port = port }
        let queries = reply.indices.map { "Question \($0 + 1)?" }
        var script = ConversationScript(queries: queries)
        if let otherwise { script.otherwise = otherwise }
        let simulator = RealtimeSimulator(configuration: configuration, script: script) {
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
        let named = try options.map { option in
            guard let equals = option.firstIndex(of: "=") else { throw ValidationError("--option must be NAME=VALUE") }
            return (String(option[..<equals]), String(option[option.index(after: equals)...]))
        }
        let talk = ServedTalk(
            queries: queries,
            answers: reply,
            options: Dictionary(named) { _, last in last }
        )
        var others = ""
        var running: [any ServiceSimulator] = []
        for kind in service {
            let one: any ServiceSimulator = try kind.serving(talk, port: port, voice: configuration.voice) {
                record?.write($0)
            }
            others += " \(kind.name)=\(try await one.start())"
            running.append(one)
        }
        print("realtime=\(ports.0) jarvis=\(ports.1)" + others)
        fflush(nil)
        for await _ in signals { break }
        await simulator.stop()
        for one in running { await one.stop() }
        await agent.stop()
    }
}
