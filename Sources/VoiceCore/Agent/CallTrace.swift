internal import Synchronization

/// Notes when a call's request went out and its reply was in, for whoever runs the call.
///
/// It travels with the task, so that tools and transports need not hand it on.
package final class CallTrace: Sendable {
    @TaskLocal package static var current: CallTrace?

    private let times = Mutex<(sent: Duration?, replied: Duration?)>((nil, nil))

    package init() {}

    /// Monotonic times of the request's first byte (the first request's) and of the whole reply (the last one's).
    package func note(sent: Duration, replied: Duration) {
        times.withLock {
            $0.sent = $0.sent ?? sent
            $0.replied = replied
        }
    }

    package var sent: Duration? { times.withLock { $0.sent } }
    package var replied: Duration? { times.withLock { $0.replied } }
}
