import Glibc
package import Logging
internal import Synchronization

/// Writes log lines: to the journal with their values as fields, else to standard error, one write(2) each.
///
/// Under systemd an entry goes to the journal's own socket; should that fail, a line goes to standard error that begins
/// with its priority ("<6>message key=value", sd-daemon(3)), which the journal understands and takes away. Elsewhere a
/// line begins with the time of day and the level. Values with blanks are quoted and line breaks are escaped, so that one
/// event stays one line. The same trouble is written once per change, see `TroubleFilter`.
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
    private let send: (@Sendable (JournalEntry) -> Bool)?
    private let write: @Sendable (String) -> Void

    /// What handlers of one program have in common.
    package final class Troubles: Sendable {
        let filter = Mutex(TroubleFilter())
        package init() {}
    }

    /// - Parameters:
    ///   - threshold: of all loggers that have no level of their own.
    ///   - send: gives an entry to the journal; false where that failed. Nil: lines only.
    ///   - write: gets whole lines with their line feed.
    package init(
        style: Style,
        threshold: LogThreshold,
        troubles: Troubles = Troubles(),
        send: (@Sendable (JournalEntry) -> Bool)? = nil,
        write: @escaping @Sendable (String) -> Void = Self.writeToStandardError
    ) {
        self.style = style
        self.threshold = threshold
        self.troubles = troubles
        self.send = send
        self.write = write
    }

    package init(
        style: Style,
        level: Logger.Level = .info,
        write: @escaping @Sendable (String) -> Void = Self.writeToStandardError
    ) {
        self.init(style: style, threshold: LogThreshold(level), write: write)
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
        let message = "\(event.message)"
        guard admit(subject, message: message, values: &values) else { return }
        var text = Self.escaped(message)
        let sorted = values.map { (key: $0.key, value: "\($0.value)") }.sorted { $0.key < $1.key }
        for (key, value) in sorted { text += " \(key)=\(Self.quoted(value))" }
        switch style {
        case .terminal: write("\(Self.timeOfDay()) \(event.level.rawValue) \(text)\n")
        case .journal:
            let priority = Self.priority(event.level)
            if let send {
                var entry = JournalEntry()
                entry.add("MESSAGE", text)
                entry.add("PRIORITY", "\(priority)")
                entry.add("SYSLOG_IDENTIFIER", "jarvis-voiced")
                if let subject { entry.add("JARVIS_EVENT", subject.rawValue) }
                if let messageID = subject?.messageID { entry.add("MESSAGE_ID", messageID) }
                for (key, value) in sorted { entry.add(JournalEntry.name(for: key), value) }
                if send(entry) { return }
            }
            write("<\(priority)>\(text)\n")
        }
    }

    /// Whether the line is to be written; adds how often its trouble has happened, where that is more than once.
    private func admit(_ event: JournalEvent?, message: String, values: inout Logger.Metadata) -> Bool {
        guard let event, event.isTrouble || !event.ends.isEmpty else { return true }
        let side = values["side"].map { "\($0)" } ?? ""
        if event.isTrouble {
            // Numbers differ each time: how long it took, how long until the next attempt.
            let words = values.filter { Double("\($0.value)") == nil }.map { "\($0.key)=\($0.value)" }.sorted()
            let text = ([message] + words).joined(separator: " ")
            switch troubles.filter.withLock({ $0.happened(event, subject: side, words: text) }) {
            case .hold: return false
            case .write(let times): if times > 1 { values["times"] = "\(times)" }
            }
        } else {
            let times = troubles.filter.withLock { $0.ended(event.ends, subject: side) }
            if times > 1 { values["failures"] = "\(times)" }
        }
        return true
    }

    /// Journal style when standard error is the stream the service manager connected (systemd.exec(5), JOURNAL_STREAM).
    package static func detectedStyle(journalStream: String?) -> Style {
        var status = stat()
        guard let journalStream, fstat(STDERR_FILENO, &status) == 0 else { return .terminal }
        return style(journalStream: journalStream, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    static func style(journalStream: String, device: UInt64, inode: UInt64) -> Style {
        journalStream == "\(device):\(inode)" ? .journal : .terminal
    }

    /// The priority of syslog (RFC 5424 section 6.2.1).
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical, .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    package static func writeToStandardError(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" }
        guard !isPlain else { return escaped(value) }
        var result = "\""
        for character in value { result += character == "\"" ? "\\\"" : String(character) }
        return escaped(result + "\"")
    }

    /// Without control characters, so that no text from outside can begin a line or colour a terminal.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func timeOfDay() -> String {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
