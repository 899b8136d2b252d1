import FoundationEssentials

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Plays the messages of a dialect's server to decoder and machine, and keeps what is sent back.
struct DialectScene {
    let dialect: Dialect
    private let decoder: ServerEventDecoder
    /// The translator for requests; the scene has one for events.
    private var translator: RealtimeTranslator
    private var scene: Scene
    private var sounding: Set<String> = []
    private(set) var sent: [JSONValue] = []

    init(_ dialect: Dialect) {
        self.dialect = dialect
        decoder = ServerEventDecoder(dialect: dialect)
        let settings = RealtimeSettings(
            instructions: "Be brief.",
            tools: [["type": "function", "name": "ask_jarvis", "parameters": ["type": "object"]]],
            voice: "eve",
            turnDetection: dialect.does(.silenceTurns)
                ? .server(threshold: 0.5, silence: 500) : .semantic(eagerness: "auto"),
            transcription: .init(model: "whisper", language: "en"),
            dialect: dialect
        )
        translator = RealtimeTranslator(settings)
        scene = Scene(settings: settings)
        scene.on(.activate)
        scene.on(.connected)
    }

    var state: ConversationState { scene.state }
    var started: [String] { scene.started }
    var calls: [FunctionCall] {
        scene.effects.compactMap { if case .startCall(let call, _) = $0 { call } else { nil } }
    }
    func runs(_ timer: ConversationTimer) -> Bool { scene.machine.timers.contains(timer) }
    /// The types of the messages sent.
    var names: [String] { sent.compactMap { $0["type"]?.stringValue } }

    /// The complete settings that were sent.
    var session: JSONValue { sent.first { $0["type"] == "session.update" }?["session"] ?? .null }

    /// Plays the lines of a transcript, one event each; throws for a line that is neither audio nor a valid event.
    ///
    /// The loudspeaker has played 400 of 1000 ms when it is stopped.
    mutating func hear(_ lines: String) throws {
        for line in lines.split(separator: "\n") {
            let message = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
            let type = message["type"]?.stringValue ?? ""
            guard type == "response.output_audio.delta" || type == "response.audio.delta" else {
                keep(scene.server(try decoder.decode(String(line))))
                continue
            }
            let part = SpokenPart(
                responseID: message["response_id"]?.stringValue ?? "", itemID: message["item_id"]?.stringValue ?? "",
                contentIndex: 0
            )
            latest = part
            if sounding.insert(part.responseID).inserted {
                keep(scene.on(.voiceReceived(responseID: part.responseID, itemID: part.itemID)))
            }
        }
    }

    private var latest: SpokenPart?

    mutating func server(_ event: ServerEvent) {
        keep(scene.server(event))
    }

    mutating func on(_ event: ConversationEvent) {
        keep(scene.on(event))
    }

    private mutating func keep(_ effects: [ConversationEffect]) {
        var isStopped = false
        for effect in effects {
            switch effect {
            case .send(let request):
                for event in translator.ask(request) {
                    let bytes = event.encoded(for: dialect)
                    sent.append((try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) ?? .null)
                }
            case .stopVoice: isStopped = true
            default: break
            }
        }
        guard isStopped, let part = latest else { return }
        latest = nil
        keep(scene.on(.voiceStopped([HeardPart(part: part, heard: 400, received: 1000)])))
    }
}
