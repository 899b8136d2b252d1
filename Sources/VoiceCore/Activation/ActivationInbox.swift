/// Where the events of activation are put, in their order, by whoever sees them.
///
/// The bound is far above what minutes bring; what does not fit is lost, the newest first.
package final class ActivationInbox: Sendable {
    package let events: AsyncStream<ActivationEvent>
    private let continuation: AsyncStream<ActivationEvent>.Continuation

    package init() {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
    }

    package func post(_ event: ActivationEvent) {
        continuation.yield(event)
    }

    package func close() {
        continuation.finish()
    }
}
