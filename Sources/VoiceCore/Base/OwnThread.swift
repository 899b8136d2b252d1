internal import CLinux
internal import Glibc
internal import Synchronization

/// Runs what may block for long, such as opening a sound card, on a thread of its own instead of one of Swift's few.
package enum OwnThread {
    /// Runs `body` and returns its result; on the caller's thread should the system refuse another one.
    package static func run<Result: Sendable>(_ name: String, _ body: @escaping @Sendable () -> Result) async -> Result
    {
        let work = Work()
        let result: Result = await withCheckedContinuation { continuation in
            work.start(name) { continuation.resume(returning: body()) }
        }
        work.join()
        return result
    }

    /// Lets `body` run by itself; false should the system refuse a thread. Needs none of Swift's own.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Work()
        guard work.begin(name, body) else { return false }
        work.leave()
        return true
    }

    /// The closure on its way into the thread, and the thread's handle on its way out.
    private final class Work: Sendable {
        /// A thread's handle may go from thread to thread; it is used under the mutex.
        private struct Handle: @unchecked Sendable {
            var thread: OpaquePointer?
        }

        private let handle = Mutex(Handle())
        private let body = Mutex<(@Sendable () -> Void)?>(nil)

        func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
            if !begin(name, work) { execute() }
        }

        /// False where there is no thread.
        func begin(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
            body.withLock { $0 = work }
            let context = Unmanaged.passRetained(self)
            var refused: Int32 = 0
            let started = handle.withLock { handle in
                handle.thread = clinux_thread_start(name, 0, ownThreadMain, context.toOpaque(), &refused)
                return handle.thread != nil
            }
            if !started { context.release() }
            return started
        }

        func execute() {
            let work = body.withLock { body in
                defer { body = nil }
                return body
            }
            work?()
        }

        /// The continuation was resumed as the thread's last act: this takes microseconds.
        func join() {
            if let thread = taken().thread { clinux_thread_join(thread) }
        }

        func leave() {
            if let thread = taken().thread { clinux_thread_detach(thread) }
        }

        private func taken() -> Handle {
            handle.withLock { handle in
                defer { handle.thread = nil }
                return Handle(thread: handle.thread)
            }
        }
    }

    fileprivate static func enter(_ context: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().execute()
    }
}

/// At file level: a closure formed in an actor's context would trap on a thread of its own.
private let ownThreadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    OwnThread.enter(context)
    return nil
}
