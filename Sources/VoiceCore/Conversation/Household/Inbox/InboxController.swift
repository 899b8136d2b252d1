package import Logging
internal import VoiceBase

/// Runs the inbox: supplies the time and performs its effects.
package actor InboxController {
    /// The parts that the effects act on; none may block.
    package struct Parts: Sendable {
        /// Speaks a text in the conversation, in the next silence.
        package var tell: @Sendable (InboxText) -> Void = { _ in }
        /// Speaks words without a conversation; nil if there is no local voice.
        package var speak: (@Sendable (String) -> Void)?
        package var chime: @Sendable () -> Void = {}
        package var clock: @Sendable () -> Duration = { Monotonic.now() }
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Sleep.for($0) }
        package var logger: Logger

        package init(logger: Logger) { self.logger = logger }
    }

    private let parts: Parts
    private var inbox: Inbox
    private var next = NextLook()
    /// The conversation's states, in order. When full, the oldest is dropped: only the latest matters.
    private let talks: AsyncStream<Talk>
    private let talking: AsyncStream<Talk>.Continuation

    package init(_ parts: Parts) {
        self.parts = parts
        inbox = Inbox(hasVoice: parts.speak != nil)
        (talks, talking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    /// Follows the conversation until the task is cancelled.
    package func run() async {
        for await talk in talks { handle(.talk(talk)) }
        next.cancel()
    }

    /// Reports that the conversation changed its state.
    package nonisolated func follow(_ talk: Talk) { talking.yield(talk) }

    package func setQuietHours(_ isQuiet: Bool) { handle(.quietHours(isQuiet)) }

    /// - Returns: what happens to the announcement next.
    @discardableResult
    package func announce(_ announcement: Announcement) throws(InboxProblem) -> InboxReceipt {
        for effect in handle(.announce(announcement)) {
            switch effect {
            case .taken(let receipt): return receipt
            case .refused(let problem): throw problem
            default: break
            }
        }
        throw .full
    }

    /// Number of waiting announcements.
    package var count: Int { inbox.count }

    @discardableResult
    private func handle(_ event: InboxEvent) -> [InboxEffect] {
        let effects = inbox.handle(event, at: parts.clock())
        for effect in effects {
            switch effect {
            case .tell(let text): parts.tell(text)
            case .speak(let words): parts.speak?(words)
            case .chime: parts.chime()
            case .dropped(let count):
                parts.logger.notice("announcements were dropped unheard", metadata: ["count": .public(count)])
            case .lookAfter(let pause):
                next.plan(after: pause, sleep: parts.sleep) { [weak self] in await self?.handle(.look) }
            case .taken, .refused: break
            }
        }
        return effects
    }
}
