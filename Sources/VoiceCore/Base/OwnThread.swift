internal import CLinux
internal import Glibc
internal import Synchronization

/// A dedicated thread, for work that may block for long, such as opening a sound card, and for loops.
///
/// Every signal is masked on it. Signals belong to the main thread; SIGPIPE must not be delivered at all, since the TLS
/// library writes to sockets without MSG_NOSIGNAL.
package final class OwnThread: Sendable {
    /// The errno with which real-time scheduling was refused; 0 if it was granted or not requested.
    package let realtimeRefused: Int32

    /// A thread handle may move between threads; it is used under the mutex.
    private struct Handle: @unchecked Sendable {
        var thread: OpaquePointer?
    }

    private let handle: Mutex<Handle>

    /// Starts a thread. It keeps running if this object is released; one with a priority must be joined.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes.
    ///   - priority: for SCHED_FIFO, 1 ... 99; 0 for normal scheduling, which is also the fallback if SCHED_FIFO is
    ///     refused.
    package init(
        _ name: String,
        priority: Int = 0,
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let context = Unmanaged.passRetained(Work(body))
        var refused: Int32 = 0
        let thread = clinux_thread_start(name, Int32(priority), ownThreadMain, context.toOpaque(), &refused)
        guard let thread else {
            let code = errno
            context.release()
            throw SystemError(code: code)
        }
        realtimeRefused = refused
        handle = Mutex(Handle(thread: thread))
    }

    deinit {
        if let thread = taken().thread { clinux_thread_detach(thread) }
    }

    /// Waits for the thread to end; blocks. Tasks may call it only once its body has finished its work.
    package func join() {
        if let thread = taken().thread { clinux_thread_join(thread) }
    }

    /// Runs `body` on a thread and returns its result; runs it on the caller's thread if the system refuses another one.
    package static func run<Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        let result = Promise<Result>()
        guard let thread = try? OwnThread(name, { result.give(body()) }) else { return body() }
        let value = await result.wait()
        // The thread gave the result as its last act, so this takes microseconds.
        thread.join()
        return value
    }

    /// Runs `body` on a detached thread; false if the system refuses one. Uses none of Swift's own threads.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        (try? OwnThread(name, body)) != nil
    }

    private func taken() -> Handle {
        handle.withLock { handle in
            defer { handle.thread = nil }
            return Handle(thread: handle.thread)
        }
    }

    /// Carries the closure into the thread.
    fileprivate final class Work {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func execute() { body() }
    }
}

/// At file level, because a closure formed in an actor's context would trap on this thread.
private let ownThreadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    Unmanaged<OwnThread.Work>.fromOpaque(context).takeRetainedValue().execute()
    return nil
}
