internal import CLinux
import Glibc
package import Logging
internal import Synchronization

/// A log line to be written.
package struct LogLine: Sendable, Equatable {
    /// For the journal; nil if there is none.
    package var entry: JournalEntry?
    /// For standard error, including the line feed; also used if the journal does not accept the entry.
    package var text: String

    package init(_ text: String, entry: JournalEntry? = nil) {
        self.text = text
        self.entry = entry
    }

    /// Approximate memory use, in bytes.
    var size: Int {
        (entry?.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } ?? 0) + text.utf8.count
    }
}

/// Accepts log lines from every thread without blocking, and writes them on a thread of its own.
///
///     any thread --put--> queue --> [ jv-log ] --> the journal, else standard error
///
/// A hanging journal, or a pipe that is not read, blocks that thread only. Lines that find the queue full are dropped and
/// counted, and once lines flow again, one reports how many are missing.
package final class LogOutlet: Sendable {
    /// Limits of the queue.
    package struct Bounds: Sendable {
        package var lines = 2048
        package var bytes = 1 << 20

        package init() {}
    }

    private struct Content {
        var lines: [LogLine] = []
        /// Lines not yet written, including the current batch.
        var count = 0
        var bytes = 0
        /// Dropped and not yet reported.
        var lost = 0
        var hasThread = false
        var isEnding = false
    }

    /// How long to wait for a journal that is restarting.
    private static let restartPause = Duration.milliseconds(500)

    package let style: JournalLogHandler.Style
    private let journal: JournalSocket?
    private let descriptor: Int32
    private let bounds: Bounds
    private let content = Mutex(Content())
    private let wake = clinux_eventfd()
    private let ended = clinux_eventfd()

    /// - Parameters:
    ///   - journal: the destination of entries; nil for text only.
    ///   - descriptor: the destination of text.
    package init(
        style: JournalLogHandler.Style,
        journal: JournalSocket? = nil,
        descriptor: Int32 = STDERR_FILENO,
        bounds: Bounds = Bounds()
    ) {
        self.style = style
        self.journal = journal
        self.descriptor = descriptor
        self.bounds = bounds
    }

    deinit {
        if wake >= 0 { close(wake) }
        if ended >= 0 { close(ended) }
    }

    package var hasJournal: Bool { journal != nil }

    /// Adds a line; never blocks.
    package func put(_ line: LogLine) {
        let hasThread = content.withLock { content in
            // Once the end has begun, only lines already queued are written.
            guard !content.isEnding else { return true }
            guard content.count < bounds.lines, content.bytes + line.size <= bounds.bytes else {
                content.lost += 1
                return true
            }
            if content.lost > 0 { add(lossNote(&content), to: &content) }
            add(line, to: &content)
            defer { content.hasThread = true }
            return content.hasThread
        }
        clinux_eventfd_signal(wake)
        if !hasThread { begin() }
    }

    /// Waits until everything is written, at most for `limit`. Lines added afterwards are not written.
    package func finish(within limit: Duration) {
        let hasThread = content.withLock { content in
            content.isEnding = true
            return content.hasThread
        }
        guard hasThread else { return }
        clinux_eventfd_signal(wake)
        let end = Monotonic.now() + limit
        while case let left = end - Monotonic.now(), left > .zero {
            if clinux_wait_readable(ended, Int32(clamping: left.wholeMilliseconds + 1)) > 0 { return }
        }
    }

    private func begin() {
        // If no thread can be started, the caller writes.
        if !OwnThread.start("jv-log", { self.work() }) {
            content.withLock { $0.hasThread = false }
            for line in dequeue().lines { write(line) }
        }
    }

    private func add(_ line: LogLine, to content: inout Content) {
        content.lines.append(line)
        content.count += 1
        content.bytes += line.size
    }

    private func lossNote(_ content: inout Content) -> LogLine {
        defer { content.lost = 0 }
        let lines = content.lost == 1 ? "a line is" : "\(content.lost) lines are"
        return JournalLogHandler.line(
            "\(lines) missing here: the log was not read fast enough", [("lines", "\(content.lost)")],
            subject: .logLost, level: .warning, style: style, hasJournal: hasJournal
        )
    }

    // MARK: The thread

    private func work() {
        while true {
            let (lines, isEnd) = dequeue()
            for line in lines { write(line) }
            guard lines.isEmpty else { continue }
            if isEnd { return clinux_eventfd_signal(ended) }
            _ = clinux_wait_readable(wake, -1)
            _ = clinux_eventfd_take(wake)
        }
    }

    private func dequeue() -> (lines: [LogLine], isEnd: Bool) {
        content.withLock { content in
            if content.lines.isEmpty, content.lost > 0 { add(lossNote(&content), to: &content) }
            defer { content.lines = [] }
            return (content.lines, content.isEnding)
        }
    }

    private func write(_ line: LogLine) {
        if line.entry.map(deliver) != true { StandardError.write(line.text, to: descriptor) }
        content.withLock { content in
            content.count -= 1
            content.bytes -= line.size
        }
    }

    /// Sends an entry to the journal, however long that takes; false if the journal is gone.
    private func deliver(_ entry: JournalEntry) -> Bool {
        guard let journal else { return false }
        var pause: UInt32 = 5_000
        let began = Monotonic.now()
        while true {
            switch journal.send(entry) {
            case .taken: return true
            case .busy: break
            case .away: if Monotonic.now() - began > Self.restartPause { return false }
            case .refused: return false
            }
            usleep(pause)
            pause = min(pause * 2, 100_000)
        }
    }
}

/// The minimum level of lines that are written; may change at run time.
package final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    package init(_ level: Logger.Level = .info) {
        index = Atomic(Self.index(level))
    }

    package var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(newValue), ordering: .relaxed) }
    }

    private static func index(_ level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}

/// Text for standard error, for callers that may block until it is written.
package enum StandardError {
    /// Writes the text, with one write(2) if the reader keeps up.
    package static func write(_ text: String, to descriptor: Int32 = STDERR_FILENO) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                // Another process sharing the descriptor has made it non-blocking.
                if count < 0 && errno == EAGAIN {
                    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&polled, 1, -1)
                    continue
                }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
