import Logging
import Synchronization

@testable import VoiceBase

/// A logger that keeps its lines.
final class LineLog: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in
            JournalLogHandler(style: .journal, threshold: LogThreshold()) { line in
                self.written.withLock { $0.append(line.text) }
            }
        }
    }
}
