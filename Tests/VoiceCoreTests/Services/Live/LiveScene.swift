import FoundationEssentials

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceLive

/// A GPT-Live translator with a timeline, for tests that feed it.
struct LiveScene {
    var translator: LiveTranslator
    private(set) var now = Duration.zero
    private(set) var effects: [LiveTranslator.Effect] = []
    private static let block = [Int16](repeating: 0, count: 2400)
    private static let loud = (0..<2400).map { Int16(truncatingIfNeeded: $0 % 48 < 24 ? 6000 : -6000) }

    init(_ settings: LiveSettings = LiveSettings(model: "gpt-live-1.1", instructions: "Be brief.")) {
        translator = LiveTranslator(settings)
    }

    /// A session that has started.
    static func live() -> LiveScene {
        var scene = LiveScene()
        scene.add(scene.translator.connected())
        scene.ask(.open(history: []))
        scene.receive(.started(id: "live_x", ends: nil, delegation: "client"))
        return scene
    }

    mutating func add(_ more: [LiveTranslator.Effect]) { effects += more }
    mutating func ask(_ request: ServiceRequest) { add(translator.ask(request, at: now)) }
    mutating func receive(_ event: LiveServerEvent) { add(translator.receive(event, at: now)) }

    /// Lets so many ms pass, with a voice in the room, with the model speaking, or with neither.
    mutating func pass(_ milliseconds: Int, voice: Bool = false, model: Bool = false) {
        for step in 0..<milliseconds / 20 {
            now += .milliseconds(20)
            add(translator.sent(480, isVoice: voice, at: now))
            if step % 5 == 0 {
                let block = model ? Self.loud : Self.block
                add(block.withUnsafeBufferPointer { translator.sound($0, waiting: 0, at: now) })
            }
            add(translator.tick(at: now))
        }
    }

    /// Lets time pass without audio in either direction.
    mutating func stall(_ milliseconds: Int) {
        for _ in 0..<milliseconds / 100 {
            now += .milliseconds(100)
            add(translator.tick(at: now))
        }
    }

    /// Sets the test's clock.
    mutating func wait(until then: Duration) { now = max(now, then) }

    var position: Int { translator.voice.position }

    /// The user says words that the service hears: 200 ms each, reported 460 ms after their end.
    mutating func say(_ text: String) {
        let start = (position + 199) / 200 * 200
        let words = text.split(separator: " ")
        pass(start - position)
        pass(words.count * 200, voice: true)
        pass(460)
        for (index, word) in words.enumerated() {
            let begin = start + index * 200
            receive(.heard(LiveFragment((index == 0 ? "" : " ") + word, start: begin, end: begin + 200)))
        }
    }

    /// The position of the last word, as in a delegation.
    var lastWord: Int { (position - 460) / 200 * 200 - 200 }

    // MARK: Results

    var reports: [ServiceReport] {
        effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    var sent: [LiveClientEvent] { effects.compactMap { if case .send(let event) = $0 { event } else { nil } } }

    var calls: [FunctionCall] {
        reports.compactMap { if case .call(_, let call, _) = $0 { call } else { nil } }
    }

    /// The questions to the agent.
    var queries: [String] {
        calls.compactMap { (try? JSONDecoder().decode([String: String].self, from: Data($0.arguments.utf8)))?["query"] }
    }

    /// The texts sent in a tone, with their delegations.
    func reported(_ tone: LiveTone) -> [(text: String, delegation: String?)] {
        sent.compactMap { event in
            if case .append(tone, let text, let delegation, _) = event { (text, delegation) } else { nil }
        }
    }

    var troubles: [String] { reports.compactMap { if case .trouble(let error) = $0 { error.name } else { nil } } }

    var closings: [ServiceClosing] {
        reports.compactMap { if case .closing(let closing, _) = $0 { closing } else { nil } }
    }

    var played: Int {
        effects.reduce(0) { sum, effect in if case .play(let range, _) = effect { sum + range.count } else { sum } }
    }

    var spoken: [String] {
        reports.compactMap { if case .said(_, _, _, let text, isWhole: true) = $0 { text } else { nil } }
    }

    mutating func forget() { effects = [] }
}
