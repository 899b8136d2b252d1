import Glibc
package import Logging
internal import Synchronization

/// Formats log lines: for the journal with their values as fields, otherwise for standard error. `LogOutlet` writes them.
///
/// Under systemd an entry goes to the journal's own socket. If that fails, a line goes to standard error, prefixed with its
/// priority ("<6>message key=value", sd-daemon(3)), which the journal parses and removes. Elsewhere a line begins with the
/// time of day and the level. Values with blanks are quoted and hidden characters are escaped, so that one event stays one line.
/// Repeated errors are logged once, see `TroubleFilter`.
package struct JournalLogHandler: LogHandler {
    package enum Style: Sendable {
        case journal
        case terminal
    }

    package var metadata: Logger.Metadata = [:]
    private let style: Style
    private let threshold: LogThreshold
    private var ownLevel: Logger.Level?
    private let troubles: Troubles
    private let hasJournal: Bool
    private let clean: @Sendable (String) -> String
    private let write: @Sendable (LogLine) -> Void
    private let seen: (@Sendable (Logger.Level, String) -> Void)?

    /// State shared by all handlers of a program.
    package final class Troubles: Sendable {
        let filter = Mutex(TroubleFilter())
        package init() {}
    }

    /// - Parameters:
    ///   - threshold: the level of all loggers without a level of their own.
    ///   - hasJournal: whether lines carry an entry for the journal.
    ///   - clean: removes text that no log may contain: servers quote what they were sent.
    ///   - write: receives the lines; must not block.
    ///   - seen: receives their text, for people who watch.
    package init(
        style: Style,
        threshold: LogThreshold,
        troubles: Troubles = Troubles(),
        hasJournal: Bool = false,
        clean: @escaping @Sendable (String) -> String = { $0 },
        write: @escaping @Sendable (LogLine) -> Void,
        seen: (@Sendable (Logger.Level, String) -> Void)? = nil
    ) {
        self.style = style
        self.threshold = threshold
        self.troubles = troubles
        self.hasJournal = hasJournal
        self.clean = clean
        self.write = write
        self.seen = seen
    }

    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var values = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let subject = values.removeValue(forKey: JournalEvent.key).flatMap { JournalEvent(rawValue: "\($0)") }
        if let error = event.error { values["error"] = "\(error)" }
        let marked = "\(event.message)"
        let message = Self.cut(clean(PrivateText.shown(marked)), to: Self.longestMessage)
        guard admit(subject, message: message, values: &values) else { return }
        let names = values.keys.sorted()
        let sorted = names.map { name in
            let value = values[name].map { PrivateText.shown("\($0)") } ?? ""
            return (key: name, value: Self.cut(clean(value), to: Self.longest(name)))
        }
        func shared() -> String {
            let values = sorted.map { ($0.key, values[$0.key]?.isPublic == true ? $0.value : PrivateText.hidden) }
            return Self.text(Self.cut(clean(PrivateText.shared(marked)), to: Self.longestMessage), values)
        }
        seen?(event.level, Self.text(message, sorted))
        write(
            Self.line(
                message, sorted, shared: shared(), subject: subject, level: event.level, style: style,
                hasJournal: hasJournal
            )
        )
    }

    /// The reason why a program ends: to the journal as an error, to a terminal as a plain line.
    package static func failure(_ message: String, style: Style, hasJournal: Bool) -> LogLine {
        guard style == .journal else { return LogLine("jarvis-voiced: \(message)\n") }
        return line(
            message, [], shared: PrivateText.hidden, subject: nil, level: .error, style: style, hasJournal: hasJournal
        )
    }

    private static func text(_ message: String, _ values: [(key: String, value: String)]) -> String {
        values.reduce(message.escapingHidden()) { "\($0) \($1.key)=\(quoted($1.value))" }
    }

    static func line(
        _ message: String,
        _ values: [(key: String, value: String)],
        shared: @autoclosure () -> String? = nil,
        subject: JournalEvent?,
        level: Logger.Level,
        style: Style,
        hasJournal: Bool
    ) -> LogLine {
        let text = text(message, values)
        guard style == .journal else { return LogLine("\(timeOfDay()) \(level.rawValue) \(text)\n") }
        var line = LogLine("<\(priority(level))>\(text)\n")
        guard hasJournal else { return line }
        var entry = JournalEntry()
        entry.add("MESSAGE", text)
        entry.add(JournalEntry.shared, shared() ?? text)
        entry.add("PRIORITY", "\(priority(level))")
        entry.add("SYSLOG_IDENTIFIER", "jarvis-voiced")
        if let subject { entry.add("JARVIS_EVENT", subject.rawValue) }
        if let messageID = subject?.messageID { entry.add("MESSAGE_ID", messageID) }
        for (key, value) in values { entry.add(JournalEntry.name(for: key), value.escapingHidden()) }
        line.entry = entry
        return line
    }

    /// Limits in bytes: text from others may appear in a line, but must not fill the journal. Transcripts may be long.
    private static let longestMessage = 1000
    private static func longest(_ key: String) -> Int { key == "text" ? 16_384 : 2000 }
    private static func cut(_ text: String, to limit: Int) -> String {
        text.shortened(toBytes: limit, mark: "...")
    }

    /// Whether to write the line; adds the number of occurrences of its problem if there was more than one.
    private func admit(_ event: JournalEvent?, message: String, values: inout Logger.Metadata) -> Bool {
        guard let event, event.isTrouble || !event.ends.isEmpty else { return true }
        let side = values["side"].map { "\($0)" } ?? ""
        if event.isTrouble {
            // Numbers differ each time: durations, pauses until the next attempt.
            let words = values.filter { Double("\($0.value)") == nil }.map { "\($0.key)=\($0.value)" }.sorted()
            let text = ([message] + words).joined(separator: " ")
            switch troubles.filter.withLock({ $0.happened(event, subject: side, words: text) }) {
            case .hold: return false
            case .write(let times): if times > 1 { values["times"] = .public(times) }
            }
        } else {
            let times = troubles.filter.withLock { $0.ended(event.ends, subject: side) }
            if times > 1 { values["failures"] = .public(times) }
        }
        return true
    }

    /// Journal style if standard error is the stream connected by the service manager (systemd.exec(5), JOURNAL_STREAM).
    package static func detectedStyle(journalStream: String?) -> Style {
        var status = stat()
        guard let journalStream, fstat(STDERR_FILENO, &status) == 0 else { return .terminal }
        return style(journalStream: journalStream, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    static func style(journalStream: String, device: UInt64, inode: UInt64) -> Style {
        journalStream == "\(device):\(inode)" ? .journal : .terminal
    }

    /// The syslog priority (RFC 5424 section 6.2.1).
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical, .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" }
        guard !isPlain else { return value.escapingHidden() }
        // Scalar by scalar: a quote with a combining mark is another character, but still a quote.
        var result = "\"".unicodeScalars
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        result.append("\"")
        return String(result).escapingHidden()
    }

    private static func timeOfDay() -> String {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
