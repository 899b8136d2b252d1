internal import Synchronization

/// Records when a call's request was sent and its reply was complete, and takes the words of an answer that is still being
/// written.
///
/// A task-local value, so that tools and transports need not pass it on.
package final class CallTrace: Sendable {
    @TaskLocal package static var current: CallTrace?

    private let times = Mutex<(sent: Duration?, replied: Duration?)>((nil, nil))

    /// Takes sentences of the answer, in order, while the call is out; nil if the answer is wanted as a whole.
    package let says: (@Sendable (String) -> Void)?

    package init(says: (@Sendable (String) -> Void)? = nil) { self.says = says }

    /// Monotonic times of the first byte of the first request and of the complete last reply.
    package func note(sent: Duration, replied: Duration) {
        times.withLock {
            $0.sent = $0.sent ?? sent
            $0.replied = replied
        }
    }

    package var sent: Duration? { times.withLock { $0.sent } }
    package var replied: Duration? { times.withLock { $0.replied } }
}
