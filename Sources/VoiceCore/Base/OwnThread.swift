internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of its own, for what may block for long, such as opening a sound card, and for what has a loop of its own.
///
/// Every signal is masked on it: signals belong to the main thread, and SIGPIPE to nobody, since the TLS library writes to
/// sockets without MSG_NOSIGNAL.
package final class OwnThread: Sendable {
    /// The errno with which real-time scheduling was refused; 0 where it was not, or was not asked for.
    package let realtimeRefused: Int32

    /// A thread's handle may go from thread to thread; it is used under the mutex.
    private struct Handle: @unchecked Sendable {
        var thread: OpaquePointer?
    }

    private let handle: Mutex<Handle>

    /// Starts a thread. It goes on when nobody keeps this object; one with a priority has to be joined.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes.
    ///   - priority: of SCHED_FIFO, 1 ... 99; 0 for usual scheduling, which is also what it gets where that is refused.
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

    /// Waits for the end of the thread, which blocks; for tasks to call when its body has done all it has to.
    package func join() {
        if let thread = taken().thread { clinux_thread_join(thread) }
    }

    /// Runs `body` and returns its result; on the caller's thread should the system refuse another one.
    package static func run<Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        let result = Promise<Result>()
        guard let thread = try? OwnThread(name, { result.give(body()) }) else { return body() }
        let value = await result.wait()
        // It gave the result as its last act: this takes microseconds.
        thread.join()
        return value
    }

    /// Lets `body` run by itself; false should the system refuse a thread. Needs none of Swift's own.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        (try? OwnThread(name, body)) != nil
    }

    private func taken() -> Handle {
        handle.withLock { handle in
            defer { handle.thread = nil }
            return Handle(thread: handle.thread)
        }
    }

    /// The closure on its way into the thread.
    fileprivate final class Work {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func execute() { body() }
    }
}

/// At file level: a closure formed in an actor's context would trap on a thread of its own.
private let ownThreadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    Unmanaged<OwnThread.Work>.fromOpaque(context).takeRetainedValue().execute()
    return nil
}
