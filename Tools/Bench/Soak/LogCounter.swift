import Logging
internal import Synchronization

/// Counts log lines and keeps the first warnings and errors.
final class LogCounter: Sendable {
    private struct Counts {
        var lines = 0
        var troubles: [String] = []
        var troubleCount = 0
    }

    private let counts = Mutex(Counts())

    var lines: Int { counts.withLock { $0.lines } }
    var troubles: (count: Int, first: [String]) { counts.withLock { ($0.troubleCount, $0.troubles) } }

    var logger: Logger {
        Logger(label: "soak") { _ in Handler(counter: self) }
    }

    private func count(_ event: LogEvent) {
        counts.withLock { counts in
            counts.lines += 1
            guard event.level >= .warning else { return }
            counts.troubleCount += 1
            if counts.troubles.count < 20 {
                counts.troubles.append("\(event.level): \(event.message) \(event.metadata ?? [:])")
            }
        }
    }

    private struct Handler: LogHandler {
        let counter: LogCounter
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { counter.count(event) }
    }
}
