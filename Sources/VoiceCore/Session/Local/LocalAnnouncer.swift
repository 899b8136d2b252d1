package import Logging
internal import Synchronization
internal import VoiceBase
internal import VoiceConversation
package import VoiceNetwork
internal import VoiceReply

/// Speaks the box's own messages when no session does: notices, and texts from the command line.
///
/// They pass through the playout queue like all speech, so they are cancelled from the microphone, and stopped by whatever
/// stops the box. At most `most` texts wait: a caller that can be refused asks `isFull` first; beyond that the oldest is
/// dropped, with a line in the journal.
package struct LocalAnnouncer: Sendable {
    package static let most = 16
    private let core: NetworkConfined<AnnouncerCore>
    private let queue = AnnouncerQueue()

    /// - Parameters:
    ///   - speaks: called when it begins to speak, and once nothing waits and everything has been heard or silenced.
    ///   - failed: called when neither the server nor espeak-ng speaks.
    package init(
        _ settings: LocalSettings,
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        speaks: @escaping @Sendable (Bool) -> Void = { _ in },
        failed: @escaping @Sendable () -> Void = {},
        logger: Logger
    ) {
        let core = AnnouncerCore(
            settings, on: network, pump: pump, speaks: speaks, failed: failed, queue: queue, logger: logger
        )
        self.core = NetworkConfined(core, on: network)
    }

    /// Whether no further text can wait.
    package var isFull: Bool { queue.count.load(ordering: .relaxed) >= Self.most }

    /// Says the text as soon as nothing else is being said.
    package func say(_ text: String) {
        let core = core
        core.perform { $0.say(text, core) }
    }

    /// Stops speaking and drops all waiting texts.
    package func stopSpeaking() {
        let core = core
        core.perform { $0.stopSpeaking(core) }
    }

    package func stop() { core.perform { $0.stop() } }
}

/// Number of texts that wait, for other threads.
private final class AnnouncerQueue: Sendable {
    let count = Atomic<Int>(0)
}

private final class AnnouncerCore {
    private static let pause = Duration.milliseconds(200)

    private let settings: LocalSettings
    private let network: NetworkThread
    private let pump: NetworkConfined<VoicePump>
    private let speaks: @Sendable (Bool) -> Void
    private let failed: @Sendable () -> Void
    private let queue: AnnouncerQueue
    private let logger: Logger
    private var speaker: LocalSpeaker?
    private var waiting: [[String]] = [] {
        didSet { queue.count.store(waiting.count, ordering: .relaxed) }
    }
    private var speech: LocalSpeech?
    /// Whether sound of the speech was received.
    private var hasBegun = false
    private var number = 0
    /// Whether `speaks` was called with true last.
    private var isSpeaking = false
    private var isOver = false

    init(
        _ settings: LocalSettings,
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        speaks: @escaping @Sendable (Bool) -> Void,
        failed: @escaping @Sendable () -> Void,
        queue: AnnouncerQueue,
        logger: Logger
    ) {
        self.settings = settings
        self.network = network
        self.pump = pump
        self.speaks = speaks
        self.failed = failed
        self.queue = queue
        self.logger = logger
    }

    func say(_ text: String, _ me: NetworkConfined<AnnouncerCore>) {
        let sentences = SpeechParts.split(text).filter(\.isSayable)
        guard !isOver else { return }
        guard !sentences.isEmpty else { return logger.notice("a text was dropped unsaid: it has no words") }
        if waiting.count == LocalAnnouncer.most {
            waiting.removeFirst()
            logger.notice("a text was dropped unsaid: too many wait for the local voice")
            failed()
        }
        waiting.append(sentences)
        next(me)
    }

    func stopSpeaking(_ me: NetworkConfined<AnnouncerCore>) {
        let unsaid = waiting.count + (speech != nil && !hasBegun ? 1 : 0)
        if unsaid > 0 {
            logger.notice("texts were dropped unsaid: the box was silenced", metadata: ["count": .public(unsaid)])
        }
        stopSpeaking()
        settle(me)
    }

    private func stopSpeaking() {
        waiting = []
        speech = nil
        speaker?.stopSpeaking()
    }

    func stop() {
        isOver = true
        stopSpeaking()
        speaker?.stop()
        speaker = nil
    }

    private func next(_ me: NetworkConfined<AnnouncerCore>) {
        guard !isOver, speech == nil, !waiting.isEmpty else { return }
        guard !pump.onThread.playout.isSpeaking else { return Self.later { me.perform { $0.next(me) } } }
        let speaker = speaker ?? made(me)
        let sentences = waiting.removeFirst()
        tell(true)
        number += 1
        let name = SpokenPart.nameOfBox(number)
        speech = LocalSpeech(response: name, item: name, sentences: sentences)
        hasBegun = false
        speaker.speak(sentences)
    }

    private func tell(_ isSpeaking: Bool) {
        guard isSpeaking != self.isSpeaking else { return }
        self.isSpeaking = isSpeaking
        speaks(isSpeaking)
    }

    /// Reports the end once the last of the speech has been heard: its sound arrives sooner than it is played.
    private func settle(_ me: NetworkConfined<AnnouncerCore>) {
        guard !isOver, isSpeaking, speech == nil, waiting.isEmpty else { return }
        guard !pump.onThread.playout.isSpeaking else { return Self.later { me.perform { $0.settle(me) } } }
        tell(false)
    }

    private static func later(_ body: @escaping @Sendable () -> Void) {
        Task {
            try? await Task.sleep(for: pause)
            body()
        }
    }

    private func made(_ me: NetworkConfined<AnnouncerCore>) -> LocalSpeaker {
        let made = LocalSpeaker(
            settings,
            on: network,
            me: { me.onThread.speaker },
            report: { [unowned self] in spoken($0, me) }
        )
        speaker = made
        return made
    }

    private func spoken(_ outcome: LocalSpeaker.Outcome, _ me: NetworkConfined<AnnouncerCore>) {
        guard let speech else { return }
        switch outcome {
        case .began: break
        case .trouble(let end):
            logger.warning(
                "the local voice has trouble", metadata: ["error": "\(end.description); espeak-ng speaks meanwhile"]
            )
        case .sound(let index, let samples):
            hasBegun = true
            pump.onThread.playout.receive(samples, of: speech.part(index))
        case .finished(let index): pump.onThread.playout.finish(speech.part(index))
        case .ended, .failed:
            if case .failed(let reason) = outcome {
                logger.error("a text was not said", metadata: ["error": "\(reason)"])
                failed()
            }
            self.speech = nil
            next(me)
            settle(me)
        }
    }
}
