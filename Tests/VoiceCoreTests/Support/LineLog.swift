import Logging
import Synchronization

@testable import VoiceCore

/// A logger whose lines can be looked at.
final class LineLog: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in
            JournalLogHandler(style: .journal, level: .info) { line in self.written.withLock { $0.append(line) } }
        }
    }
}
