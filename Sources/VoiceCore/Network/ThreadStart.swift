import CCurl
import Glibc

/// What the network thread takes over when it starts.
final class ThreadStart {
    fileprivate let label: String
    fileprivate let multi: UnsafeMutableRawPointer
    fileprivate let queue: CommandQueue
    fileprivate let end: ThreadEnd

    init(label: String, multi: UnsafeMutableRawPointer, queue: CommandQueue, end: ThreadEnd) {
        self.label = label
        self.multi = multi
        self.queue = queue
        self.end = end
    }
}

/// Starts the thread with every signal masked: signals belong to the main thread.
///
/// SIGPIPE too: the TLS library writes to sockets without MSG_NOSIGNAL.
nonisolated func spawn(_ start: ThreadStart) throws -> pthread_t {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(start)
    let code = pthread_create(&thread, nil, networkThreadMain, context.toOpaque())
    guard code == 0 else {
        curl_multi_cleanup(start.multi)
        context.release()
        throw NetworkThreadError.thread(errno: code)
    }
    return thread
}

private func networkThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    name(start.label)
    NetworkLoop(multi: start.multi, queue: start.queue).run()
    start.end.signal()
    return nil
}

/// Linux takes a thread's name through /proc as well.
private func name(_ label: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = label.utf8CString.withUnsafeBytes { write(file, $0.baseAddress, min($0.count - 1, 15)) }
    close(file)
}
