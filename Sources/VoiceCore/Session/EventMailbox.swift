internal import Synchronization
internal import VoiceBase
package import VoiceConversation

/// Where the events of a conversation are put by the threads and tasks that see them, in the order they are put.
///
/// It holds control events only, never audio. The bound is far above what a session produces while its owner is away
/// for seconds; what does not fit is counted, and the owner says so.
package final class EventMailbox: Sendable {
    struct Envelope: Sendable {
        var event: ConversationEvent
        /// Monotonic time of the event itself.
        var at: Duration
        /// The connection it is about, so that a connection that was given up cannot speak for its successor.
        var connection: Int?
        /// Which start of its timer it is about, so that a timer that was cancelled cannot speak for its successor.
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

    /// - Parameter start: tells one start of the timer from the next.
    func post(_ timer: ConversationTimer, start: Int) {
        put(Envelope(event: .timer(timer), at: Monotonic.now(), timerStart: start))
    }

    private func put(_ envelope: Envelope) {
        if case .dropped = continuation.yield(envelope) { lostEnvelopes.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Ends the stream: what is in it is still read.
    package func close() {
        continuation.finish()
    }

    /// Events that found the mailbox full.
    package var lost: Int { lostEnvelopes.load(ordering: .relaxed) }
}
