import ArgumentParser
import Glibc
import Synchronization
import UnixSignals
import VoiceSimulator

/// `jarvis-simulator serve`: the simulated services alone, for a daemon that runs as its own process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the simulated Realtime service and the stand-in for Jarvis until told to stop.",
        discussion: """
            Prints "realtime=PORT jarvis=PORT", with --live " live=PORT" behind it, with --datagrid " datagrid=PORT". The key is sk-simulated, the token \
            simulated. Every turn of the user becomes a question to Jarvis.
            """
    )

    @Flag(name: .long, help: "Speak in marker tones, one for each word, instead of a synthesiser.")
    var tones = false

    @Flag(name: .long, help: "Run a simulated GPT-Live too: live.url is ws://127.0.0.1:PORT/v1/live/sessions.")
    var live = false

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
        let queries = reply.indices.map { "Question \($0 + 1)?" }
        let simulator = RealtimeSimulator(configuration: configuration, script: ConversationScript(queries: queries)) {
            record?.write($0)
        }
        let replies = Dictionary(zip(queries, reply)) { first, _ in first }
        // What nobody scripted, as it comes from a recogniser of words, is answered in order.
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
        let liveSimulator = LiveSimulator(.requests(queries), voice: configuration.voice) { record?.write($0) }
        let livePort = live ? try await liveSimulator.start() : nil
        let datagridSimulator = DatagridSimulator(.answers(reply), voice: configuration.voice) { record?.write($0) }
        let datagridPort = datagrid ? try await datagridSimulator.start() : nil
        let others = [("live", livePort), ("datagrid", datagridPort)]
            .compactMap { name, port in port.map { " \(name)=\($0)" } }
        print("realtime=\(ports.0) jarvis=\(ports.1)" + others.joined())
        fflush(nil)
        for await _ in signals { break }
        await simulator.stop()
        await liveSimulator.stop()
        await datagridSimulator.stop()
        await agent.stop()
    }
}
