internal import Synchronization
package import VoiceActivation
package import VoiceAudio
internal import VoiceBase
package import VoiceConversation

/// The one queue of events about a conversation, and about its beginning and end, from all threads and tasks; delivers
/// them in the order of posting.
///
/// It holds control events only, never audio. Orders and reports of the user, the tools and the clocks are always accepted;
/// their sources are bounded. What a service causes is bounded here: beyond `capacity` waiting events, far above what a session
/// produces while its owner is busy for seconds, the newest is refused, and the owner ends that session (`wasOverrun`). The end
/// of a connection is never refused. Wishes are refused while `wishes` of them wait.
package final class EventMailbox: Sendable {
    enum Event: Equatable, Sendable {
        case conversation(ConversationEvent)
        case activation(ActivationEvent)
    }

    struct Envelope: Sendable {
        var event: Event
        /// Monotonic time of the event itself.
        var at: Duration
        /// The connection it belongs to, so that events of an abandoned connection are not attributed to its successor.
        var connection: Int?
        /// The timer start it belongs to, so that a cancelled timer is not mistaken for its successor.
        var timerStart: Int?
        /// The order of silence that the event gave; lifted by the parts that carry it out.
        var silence: SilenceOrders.Order?
        /// Fulfilled with true once the event's effects have been started.
        var isHandled: Promise<Bool>?

        /// Whether a service decides how many of these events there are.
        fileprivate var isOfService: Bool {
            switch event {
            case .conversation(.disconnected): false
            case .conversation(.voiceReceived): true
            case .conversation: connection != nil
            case .activation: false
            }
        }

        fileprivate var isWish: Bool { if case .activation(let event) = event { event.mayBeRefused } else { false } }
    }

    static let capacity = 4096

    static let wishes = 1024

    let envelopes: AsyncStream<Envelope>
    private let continuation: AsyncStream<Envelope>.Continuation
    private let silence: SilenceOrders
    private let lostEnvelopes = Atomic<Int>(0)
    /// Events of a service, and wishes, that wait.
    private let waiting = Atomic<Int>(0)
    private let waitingWishes = Atomic<Int>(0)
    private let overrun = Atomic<Bool>(false)

    package init(silence: SilenceOrders = SilenceOrders()) {
        self.silence = silence
        (envelopes, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    package func post(_ event: ConversationEvent, at instant: Duration = Monotonic.now(), connection: Int? = nil) {
        put(Envelope(event: .conversation(event), at: instant, connection: connection))
    }

    /// Posts an event of activation. The audio thread obeys an order of silence before the event is read.
    ///
    /// - Returns: the order of silence that the event gave; nil for none.
    @discardableResult
    package func post(activation event: ActivationEvent) -> SilenceOrders.Order? {
        let order = event.silences.isEmpty ? nil : silence.give(event.silences)
        put(Envelope(event: .activation(event), at: Monotonic.now(), silence: order))
        return order
    }

    /// Posts an event of activation and waits until its effects have been started.
    ///
    /// - Returns: false if the event was refused, or was not handled within `limit`.
    package func handle(_ event: ActivationEvent, within limit: Duration) async -> Bool {
        let isHandled = Promise<Bool>()
        let envelope = Envelope(event: .activation(event), at: Monotonic.now(), isHandled: isHandled)
        guard put(envelope) else { return false }
        return await TimeLimit.run(limit) { await isHandled.wait() } ?? false
    }

    /// - Parameter start: distinguishes one start of the timer from the next.
    func post(activation timer: ActivationTimer, start: Int) {
        put(Envelope(event: .activation(.timer(timer)), at: Monotonic.now(), timerStart: start))
    }

    /// - Parameter start: distinguishes one start of the timer from the next.
    func post(_ timer: ConversationTimer, start: Int) {
        put(Envelope(event: .conversation(.timer(timer)), at: Monotonic.now(), timerStart: start))
    }

    @discardableResult
    private func put(_ envelope: Envelope) -> Bool {
        if envelope.isOfService, waiting.wrappingAdd(1, ordering: .relaxed).newValue > Self.capacity {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            lostEnvelopes.wrappingAdd(1, ordering: .relaxed)
            overrun.store(true, ordering: .relaxed)
            return false
        }
        if envelope.isWish, waitingWishes.wrappingAdd(1, ordering: .relaxed).newValue > Self.wishes {
            waitingWishes.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        if case .enqueued = continuation.yield(envelope) { return true }
        // The mailbox is closed, so nothing carries out the order of silence.
        envelope.silence?.lift([.voice, .media, .ring])
        return false
    }

    /// The reader has taken this envelope.
    func received(_ envelope: Envelope) {
        if envelope.isOfService { waiting.wrappingSubtract(1, ordering: .relaxed) }
        if envelope.isWish { waitingWishes.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// Whether events of a service were refused since the last call.
    func wasOverrun() -> Bool { overrun.exchange(false, ordering: .relaxed) }

    /// Ends the stream; queued events are still read.
    package func close() {
        continuation.finish()
    }

    /// Number of events of a service refused because too many waited.
    package var lost: Int { lostEnvelopes.load(ordering: .relaxed) }
}
