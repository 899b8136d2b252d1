internal import VoiceBase
internal import VoiceConversation
package import VoiceNetwork
internal import VoiceReply

/// Speaks the box's own messages when no session does: notices, and texts from the command line.
///
/// They pass through the playout queue like all speech, so they are cancelled from the microphone, and stopped by whatever
/// stops the box. At most `most` texts wait; beyond that the oldest is dropped.
package struct LocalAnnouncer: Sendable {
    private let core: NetworkConfined<AnnouncerCore>

    package init(_ settings: LocalSettings, on network: NetworkThread, pump: NetworkConfined<VoicePump>) {
        core = NetworkConfined(AnnouncerCore(settings, on: network, pump: pump), on: network)
    }

    /// Says the text as soon as nothing else is being said.
    package func say(_ text: String) {
        let core = core
        core.perform { $0.say(text, core) }
    }

    /// Stops speaking and drops all waiting texts.
    package func hush() { core.perform { $0.hush() } }

    package func stop() { core.perform { $0.stop() } }
}

private final class AnnouncerCore {
    private static let most = 4
    private static let pause = Duration.milliseconds(200)

    private let settings: LocalSettings
    private let network: NetworkThread
    private let pump: NetworkConfined<VoicePump>
    private var sockets: WyomingSockets?
    private var speaker: LocalSpeaker?
    private var connections = 0
    private var waiting: [[String]] = []
    private var speech: LocalSpeech?
    private var number = 0
    private var isOver = false

    init(_ settings: LocalSettings, on network: NetworkThread, pump: NetworkConfined<VoicePump>) {
        self.settings = settings
        self.network = network
        self.pump = pump
    }

    func say(_ text: String, _ me: NetworkConfined<AnnouncerCore>) {
        let sentences = SpeechParts.split(text).filter { $0.contains { $0.isLetter || $0.isNumber } }
        guard !isOver, !sentences.isEmpty else { return }
        if waiting.count == Self.most { waiting.removeFirst() }
        waiting.append(sentences)
        next(me)
    }

    func hush() {
        waiting = []
        speech = nil
        speaker?.hush()
    }

    func stop() {
        isOver = true
        hush()
        sockets?.stop()
        sockets = nil
        speaker = nil
    }

    private func next(_ me: NetworkConfined<AnnouncerCore>) {
        guard !isOver, speech == nil, !waiting.isEmpty else { return }
        guard !pump.onThread.isSpeaking else { return Self.later { me.perform { $0.next(me) } } }
        guard let speaker = speaker ?? made(me) else {
            waiting = []
            return
        }
        let sentences = waiting.removeFirst()
        number += 1
        speech = LocalSpeech(response: "notice-\(number)", item: "notice-\(number)", sentences: sentences)
        speaker.speak(sentences)
    }

    private static func later(_ body: @escaping @Sendable () -> Void) {
        Task {
            try? await Task.sleep(for: pause)
            body()
        }
    }

    private func made(_ me: NetworkConfined<AnnouncerCore>) -> LocalSpeaker? {
        let network = network
        let sockets = WyomingSockets { number, event in
            network.enqueue { _ = me.onThread.speaker?.take(event, of: number) }
        }
        guard sockets.start() else { return nil }
        let language = settings.espeakLanguage
        let made = LocalSpeaker(
            sockets,
            at: settings.speaker,
            allowsPublic: settings.allowsPublic,
            voice: settings.voice,
            newNumber: { [unowned self] in
                connections += 1
                return connections
            },
            espeak: { text, speech in
                OwnThread.start("jv-espeak") {
                    let sound = EspeakVoice.speak(text, language: language)
                    network.enqueue { me.onThread.speaker?.spoken(sound, speech) }
                }
            },
            report: { [unowned self] in spoken($0, me) }
        )
        self.sockets = sockets
        speaker = made
        return made
    }

    private func spoken(_ outcome: LocalSpeaker.Outcome, _ me: NetworkConfined<AnnouncerCore>) {
        guard let speech else { return }
        switch outcome {
        case .began, .trouble: break
        case .sound(let index, let samples): pump.onThread.receive(samples, of: speech.part(index))
        case .finished(let index): pump.onThread.finish(speech.part(index))
        case .ended, .failed:
            self.speech = nil
            next(me)
        }
    }
}
