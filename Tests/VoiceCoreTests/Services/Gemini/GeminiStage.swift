import FoundationEssentials
import SimulatedGemini
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceGemini

/// A whole daemon with a simulated Gemini Live and a stand-in for the agent, in a room of files.
final class GeminiStage: ServiceStage {
    /// Unlike any other text, so that it is found wherever it leaks.
    static let key = "AIzaSyStageCanary"

    let house: StageHouse
    let simulator: GeminiSimulator
    /// All traffic on the wire, with its time.
    let lines = Collected<Line>()

    init(
        _ turns: [GeminiScript.Turn],
        faults: GeminiScript.Faults = .init(),
        trouble: SocketTrouble? = nil,
        behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour = { _ in .init(.reply("Nothing today.")) },
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) throws {
        let house = try StageHouse(behaviour: behaviour)
        self.house = house
        let lines = lines
        let script = GeminiScript(turns, faults: faults)
        simulator = GeminiSimulator(script, key: Self.key, voice: .tones, trouble: trouble) {
            house.journal.add(.wire($0))
            lines.add([Line($0)])
        } struck: {
            struck($0, $1)
        }
    }

    func start(
        key: String = GeminiStage.key,
        isPatient: Bool = true,
        adjust: @escaping (inout Configuration) -> Void = { _ in }
    ) async throws {
        let port = try await simulator.start()
        try await house.start(environment: ["GEMINI_API_KEY": key], isPatient: isPatient) { configuration in
            configuration.service.use = [.gemini]
            configuration.gemini.url = "ws://127.0.0.1:\(port)\(GeminiSimulator.path)"
            adjust(&configuration)
        }
    }

    /// Ends the daemon, then its servers; returns what the loudspeaker played.
    @discardableResult
    func stop() async throws -> MarkerTones { try await house.stop { await simulator.stop() } }

    /// The values of a message that the daemon sent.
    func sent(_ name: String, connection: Int? = nil) -> [SimulatedJSON] {
        journal.client(connection).compactMap { $0[name] }
    }

    /// The texts that went to the model as the user's.
    var texts: [String] {
        sent("clientContent").compactMap { $0["turns"]?.array?.last?["parts"]?.array?.first?["text"]?.string }
    }

    var answers: [SimulatedJSON] { sent("toolResponse").flatMap { $0["functionResponses"]?.array ?? [] } }

    /// Lines of the log, the events and the status that contain the key.
    var leaks: [String] { house.leaks("Canary") }

    /// Waits until the service has received so many messages with this name.
    func received(_ name: String, times: Int = 1) async throws {
        try await journal.wait(for: "\(name) \(times) times") { entries in
            entries.client().filter { $0[name] != nil }.count >= times
        }
    }

    /// An event of a connection, as the protocol's validator reads it.
    struct Line: Sendable {
        var connection = 0
        var text: String?
        var at = Monotonic.now()
        var isOpen = false
        static let close = "\"dir\":\"s\",\"close\":{\"code\":1000,\"reason\":\"\"}"

        init(_ event: RealtimeSimulator.Event) {
            switch event {
            case .connected(let connection):
                self.connection = connection
                isOpen = true
                text = """
                    "dir":"c","open":{"host":"generativelanguage.googleapis.com","path":"\(GeminiSimulator.path)",\
                    "headers":["x-goog-api-key"]}
                    """
            case .client(let connection, let event):
                self.connection = connection
                let isOrder = event["clientContent"] != nil && event.text.contains("Stop speaking")
                text = "\"dir\":\"c\",\"event\":\(event.text)" + (isOrder ? ",\"meant\":\"interrupt\"" : "")
            case .server(let connection, let event):
                (self.connection, text) = (connection, "\"dir\":\"s\",\"event\":\(event.text)")
            case .disconnected(let connection):
                (self.connection, text) = (connection, Self.close)
            default: break
            }
        }
    }

    /// Writes the sessions for the protocol's validator, in one file if one ends before the next begins: a resumed session is judged by
    /// the one before.
    func record(_ name: String, overlap: Bool = false) throws {
        guard let folder = ProcessInfo.processInfo.environment["VOICE_RECORD_DIR"] else { return }
        guard let start = lines.all.first?.at else { return }
        let connections = overlap ? Set(lines.all.map(\.connection)).subtracting([0]).sorted() : [0]
        for connection in connections {
            var open: Int?
            var text: [String] = []
            func write(_ line: String, at time: Duration) {
                text.append("{\"t\":\((time - start).wholeMilliseconds),\(line)}\n")
            }
            for line in lines.all where !overlap || line.connection == connection {
                guard let words = line.text else { continue }
                if line.isOpen {
                    // The socket of a connection that the service has closed ends a little later.
                    if open != nil { write(Line.close, at: line.at) }
                    open = line.connection
                }
                guard line.connection == open else { continue }
                write(words, at: line.at)
                if words == Line.close { open = nil }
            }
            try Data(text.joined().utf8).write(to: URL(filePath: "\(folder)/gemini-\(name)-\(connection).jsonl"))
        }
    }
}
