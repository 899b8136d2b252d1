@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceDatagrid

/// A Datagrid translator with a microphone and a loudspeaker, for tests that feed it.
struct DatagridScene {
    var translator: DatagridTranslator
    private(set) var now = Duration.zero
    private(set) var effects: [DatagridTranslator.Effect] = []
    /// Whether audio of the agent is playing or waiting to be played.
    var isPlaying = false

    init(_ translator: DatagridTranslator = DatagridTranslator(DatagridSettings())) { self.translator = translator }

    /// A session that is ready.
    static func live(_ translator: DatagridTranslator = DatagridTranslator(DatagridSettings())) -> DatagridScene {
        var scene = DatagridScene(translator)
        scene.add(scene.translator.connected())
        scene.ask(.open(history: []))
        scene.receive(.started(session: "s1", conversation: "conv_1"))
        scene.receive(.ready)
        return scene
    }

    mutating func add(_ more: [DatagridTranslator.Effect]) { effects += more }
    mutating func ask(_ request: ServiceRequest) { add(translator.ask(request, at: now)) }
    mutating func receive(_ message: DatagridServerMessage) { add(translator.receive(message, at: now)) }
    mutating func hear(_ text: String) { receive(.transcript(DatagridLine(.user, text))) }
    mutating func speak(_ text: String) { receive(.transcript(DatagridLine(.agent, text))) }
    mutating func forget() { effects = [] }

    /// Receives an audio message.
    mutating func sound() {
        add(translator.sound(at: now))
        isPlaying = true
    }

    /// Lets so many ms pass, with or without a voice in the room.
    mutating func pass(_ milliseconds: Int, voice: Bool = false) {
        for _ in 0..<milliseconds / 20 {
            now += .milliseconds(20)
            add(translator.sent(480, isVoice: voice, at: now))
            add(translator.tick(at: now, isPlaying: isPlaying))
        }
    }

    // MARK: Results

    var reports: [ServiceReport] { effects.compactMap { if case .report(let report) = $0 { report } else { nil } } }

    var sent: [DatagridClientMessage] {
        effects.compactMap { if case .send(let message) = $0 { message } else { nil } }
    }

    var played: Int { effects.count { if case .play = $0 { true } else { false } } }

    var closings: [ServiceClosing] {
        reports.compactMap { if case .closing(let closing, _) = $0 { closing } else { nil } }
    }

    var troubles: [ServiceError] { reports.compactMap { if case .trouble(let error) = $0 { error } else { nil } } }

    var ends: [ResponseEnd.Status] {
        reports.compactMap { if case .responseEnded(let end) = $0 { end.status } else { nil } }
    }

    var spoken: [String] {
        reports.compactMap { if case .said(_, _, _, let text, isWhole: true) = $0 { text } else { nil } }
    }

    var heardWhole: [String] {
        reports.compactMap { if case .heard(_, _, let text, isWhole: true) = $0 { text } else { nil } }
    }

    var turns: Int { reports.count { if case .userTurn = $0 { true } else { false } } }
}
