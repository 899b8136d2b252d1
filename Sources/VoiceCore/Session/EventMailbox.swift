internal import Synchronization
package import VoiceAudio
internal import VoiceBase
package import VoiceConversation

/// Queue into which threads and tasks post the events of a conversation; delivers them in that order.
///
/// It holds control events only, never audio. What the user, the tools and the clocks post is always accepted. What a service
/// causes is bounded: beyond `capacity` waiting events, far above what a session produces while its owner is busy for seconds,
/// the newest is refused, and the owner ends that session (`wasOverrun`). The end of a connection is never refused.
package final class EventMailbox: Sendable {
    struct Envelope: Sendable {
        var event: ConversationEvent
        /// Monotonic time of the event itself.
        var at: Duration
        /// The connection it belongs to, so that events of an abandoned connection are not attributed to its successor.
        var connection: Int?
        /// The timer start it belongs to, so that a cancelled timer is not mistaken for its successor.
        var timerStart: Int?
        /// The order of silence that came with the event, to be lifted once the event is carried out.
        var silence: SilenceOrders.Order?

        /// Whether a service decides how many of these there are.
        fileprivate var isOfService: Bool {
            switch event {
            case .disconnected: false
            case .voiceReceived: true
            default: connection != nil
            }
        }
    }

    static let capacity = 4096

    let envelopes: AsyncStream<Envelope>
    private let continuation: AsyncStream<Envelope>.Continuation
    private let lostEnvelopes = Atomic<Int>(0)
    /// Events of a service that wait.
    private let waiting = Atomic<Int>(0)
    private let overrun = Atomic<Bool>(false)

    package init() {
        (envelopes, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    package func post(
        _ event: ConversationEvent,
        at instant: Duration = Monotonic.now(),
        connection: Int? = nil,
        silence: SilenceOrders.Order? = nil
    ) {
        put(Envelope(event: event, at: instant, connection: connection, silence: silence))
    }

    /// - Parameter start: distinguishes one start of the timer from the next.
    func post(_ timer: ConversationTimer, start: Int) {
        put(Envelope(event: .timer(timer), at: Monotonic.now(), timerStart: start))
    }

    private func put(_ envelope: Envelope) {
        if envelope.isOfService {
            guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.capacity else {
                waiting.wrappingSubtract(1, ordering: .relaxed)
                lostEnvelopes.wrappingAdd(1, ordering: .relaxed)
                return overrun.store(true, ordering: .relaxed)
            }
        }
        continuation.yield(envelope)
    }

    /// The reader has taken this envelope.
    func received(_ envelope: Envelope) {
        if envelope.isOfService { waiting.wrappingSubtract(1, ordering: .relaxed) }
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
