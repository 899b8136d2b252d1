internal import Synchronization
internal import VoiceBase
package import VoiceConversation

/// Queue into which threads and tasks post the events of a conversation; delivers them in that order.
///
/// It holds control events only, never audio. The bound is far above what a session produces while its owner is busy for
/// seconds. Events beyond it are counted, and the owner logs the count.
package final class EventMailbox: Sendable {
    struct Envelope: Sendable {
        var event: ConversationEvent
        /// Monotonic time of the event itself.
        var at: Duration
        /// The connection it belongs to, so that events of an abandoned connection are not attributed to its successor.
        var connection: Int?
        /// The timer start it belongs to, so that a cancelled timer is not mistaken for its successor.
        var timerStart: Int?
    }

    static let capacity = 16_384

    let envelopes: AsyncStream<Envelope>
    private let continuation: AsyncStream<Envelope>.Continuation
    private let lostEnvelopes = Atomic<Int>(0)

    package init() {
        (envelopes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    package func post(_ event: ConversationEvent, at instant: Duration = Monotonic.now(), connection: Int? = nil) {
        put(Envelope(event: event, at: instant, connection: connection))
    }

    /// - Parameter start: distinguishes one start of the timer from the next.
    func post(_ timer: ConversationTimer, start: Int) {
        put(Envelope(event: .timer(timer), at: Monotonic.now(), timerStart: start))
    }

    private func put(_ envelope: Envelope) {
        if case .dropped = continuation.yield(envelope) { lostEnvelopes.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Ends the stream; queued events are still read.
    package func close() {
        continuation.finish()
    }

    /// Number of events dropped because the mailbox was full.
    package var lost: Int { lostEnvelopes.load(ordering: .relaxed) }
}
