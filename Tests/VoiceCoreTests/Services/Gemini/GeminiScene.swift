import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceGemini

/// A Gemini translator with a microphone, a loudspeaker and a timeline, for tests that feed it.
struct GeminiScene {
    var translator: GeminiTranslator
    private(set) var now = Duration.zero
    private(set) var effects: [GeminiTranslator.Effect] = []
    /// When the loudspeaker has played all it was given.
    private(set) var playsUntil = Duration.zero

    init(
        _ settings: GeminiSettings = GeminiSettings(instructions: "Be brief."),
        _ start: GeminiStart = GeminiStart(tag: "g")
    ) {
        translator = GeminiTranslator(settings, start)
    }

    /// A session that is ready.
    static func live(
        _ settings: GeminiSettings = GeminiSettings(instructions: "Be brief."),
        _ start: GeminiStart = GeminiStart(tag: "g"),
        history: [ServiceHistoryLine] = []
    ) -> GeminiScene {
        var scene = GeminiScene(settings, start)
        scene.add(scene.translator.connected())
        scene.ask(.open(history: history))
        scene.receive(#"{"setupComplete":{}}"#)
        return scene
    }

    mutating func add(_ more: [GeminiTranslator.Effect]) {
        for case .play(let range, _) in more {
            playsUntil = max(playsUntil, now) + .milliseconds(range.count / 24)
        }
        effects += more
    }

    mutating func ask(_ request: ServiceRequest) { add(translator.ask(request, at: now)) }

    /// Receives a message, whose sound is `samples` long or as long as its base64.
    mutating func receive(_ text: String, samples: Int? = nil) {
        guard let message = GeminiDecoder.decode(text) else {
            Issue.record("unreadable: \(text.prefix(80))")
            return
        }
        add(translator.receive(message, samples: samples ?? (message.sounds.isEmpty ? 0 : 4800), at: now))
    }

    /// 200 ms of the model's speech with these words.
    mutating func speak(_ words: String, milliseconds: Int = 200) {
        var message = GeminiServerMessage()
        message.said = words
        add(translator.receive(message, samples: milliseconds * 24, at: now))
    }

    mutating func hear(_ words: String) { receive(#"{"serverContent":{"inputTranscription":{"text":"\#(words)"}}}"#) }

    /// The end of a turn, with what it cost.
    mutating func endTurn(reason: String? = nil) {
        let reason = reason.map { #","turnCompleteReason":"\#($0)""# } ?? ""
        receive(#"{"serverContent":{"turnComplete":true\#(reason)},"usageMetadata":{"promptTokenCount":100}}"#)
    }

    /// A whole answer of the model: its words, and the ends of its generation and of its turn.
    mutating func answer(_ words: String) {
        speak(words)
        receive(#"{"serverContent":{"generationComplete":true}}"#)
        pass(400)
        endTurn()
    }

    mutating func call(_ id: String, _ name: String = "ask_jarvis", query: String = "What time is it?") {
        receive(#"{"toolCall":{"functionCalls":[{"id":"\#(id)","name":"\#(name)","args":{"query":"\#(query)"}}]}}"#)
    }

    /// Lets so many ms pass, with or without a voice in the room.
    mutating func pass(_ milliseconds: Int, voice: Bool = false) {
        for _ in 0..<milliseconds / 20 {
            now += .milliseconds(20)
            add(translator.sent(480, isVoice: voice, at: now))
            tick()
        }
    }

    mutating func tick() { add(translator.tick(at: now, isPlaying: now < playsUntil)) }

    /// Lets time pass without sound.
    mutating func wait(until then: Duration) {
        while now < then {
            now = min(then, now + .milliseconds(100))
            tick()
        }
    }

    mutating func sent(_ samples: Int, isVoice: Bool) { add(translator.sent(samples, isVoice: isVoice, at: now)) }

    /// The user says something, and the service hears it.
    mutating func say(_ words: String) {
        pass(800, voice: true)
        pass(760)
        hear(words)
    }

    // MARK: Results

    var reports: [ServiceReport] { effects.compactMap { if case .report(let report) = $0 { report } else { nil } } }
    var sent: [GeminiClientMessage] { effects.compactMap { if case .send(let message) = $0 { message } else { nil } } }

    /// The texts that went to the model as the user's.
    var texts: [String] {
        sent.compactMap {
            if case .content(let lines) = $0 { lines.map(\.text).joined(separator: " | ") } else { nil }
        }
    }

    var answers: [GeminiAnswer] {
        sent.flatMap { message -> [GeminiAnswer] in if case .answers(let answers) = message { answers } else { [] } }
    }

    var calls: [FunctionCall] {
        reports.compactMap { if case .call(_, let call, isComplete: true) = $0 { call } else { nil } }
    }

    /// Request ids of the responses that began.
    var requests: [String?] {
        reports.compactMap { if case .responseBegan(_, let request) = $0 { request } else { nil } }
    }

    var ends: [ResponseEnd.Status] {
        reports.compactMap { if case .responseEnded(let end) = $0 { end.status } else { nil } }
    }

    var spoken: [String] {
        reports.compactMap { if case .said(_, _, _, let text, isWhole: true) = $0 { text } else { nil } }
    }

    var heard: [String] {
        reports.compactMap { if case .heard(_, _, let text, isWhole: true) = $0 { text } else { nil } }
    }

    var bills: [Usage] {
        reports.compactMap {
            if case .charged(let bill) = $0, case .response(let usage) = bill.usage { usage } else { nil }
        }
    }

    var closings: [ServiceClosing] {
        reports.compactMap { if case .closing(let closing, _) = $0 { closing } else { nil } }
    }

    var troubles: [String] { reports.compactMap { if case .trouble(let error) = $0 { error.name } else { nil } } }
    var news: [String] { reports.compactMap { if case .news(let text) = $0 { text } else { nil } } }
    var played: Int { effects.reduce(0) { if case .play(let range, _) = $1 { $0 + range.count } else { $0 } } }
    var lastItem: String? {
        reports.compactMap { if case .speaks(_, let item) = $0 { item } else { nil } }.last
    }

    mutating func forget() { effects = [] }
}
