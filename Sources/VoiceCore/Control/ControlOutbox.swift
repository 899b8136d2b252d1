internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase
internal import VoiceSession

/// Passes replies and events from tasks to the thread of the control socket.
///
/// Replies are bounded by the number of clients. Events are dropped while `capacity` envelopes are waiting.
final class ControlOutbox: Sendable {
    struct Envelope: Sendable {
        var client: Int
        /// nil if `sample` or `line` holds what is to be sent.
        var message: JSONValue?
        /// A line to send unchanged: sound, in which no secrets are looked for.
        var line: [UInt8]?
        /// This completes the client's request: the next one may be read.
        var endsRequest = false
        var subscription: Subscription?
        /// The last message of the client's subscription.
        var endsSubscription = false
        /// For a client that follows the status.
        var sample: StatusSample?
    }

    enum Subscription: Sendable {
        case events(DaemonEvents.Subscription)
        case answer(AnswerReaders.Reading)
        case status(StatusSubscription)
        case assist(AssistExchange.Follower)

        func cancel() {
            switch self {
            case .events(let events): events.cancel()
            case .answer(let reading): reading.cancel()
            case .status(let status): status.events.cancel()
            case .assist(let follower): follower.cancel()
            }
        }
    }

    static let capacity = 1024

    private struct Content {
        var envelopes: [Envelope] = []
        var isStopped = false
    }

    private let content = Mutex(Content())
    /// An eventfd, readable while envelopes are waiting.
    let wake = clinux_eventfd()

    deinit { if wake >= 0 { close(wake) } }

    /// A reply is always accepted: each client has one request under way. An event may be dropped: a client that follows events
    /// and does not read is disconnected anyway.
    ///
    /// - Returns: whether it was taken.
    @discardableResult
    func put(_ envelope: Envelope) -> Bool {
        let isTaken = content.withLock { content in
            guard envelope.endsRequest || content.envelopes.count < Self.capacity else { return false }
            content.envelopes.append(envelope)
            return true
        }
        clinux_eventfd_signal(wake)
        return isTaken
    }

    func stop() {
        content.withLock { $0.isStopped = true }
        clinux_eventfd_signal(wake)
    }

    func dequeue() -> (envelopes: [Envelope], isStopped: Bool) {
        _ = clinux_eventfd_take(wake)
        return content.withLock { content in
            defer { content.envelopes = [] }
            return (content.envelopes, content.isStopped)
        }
    }
}
