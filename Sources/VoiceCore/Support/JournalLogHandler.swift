import Glibc
package import Logging

/// Writes log lines to standard error, one write(2) each.
///
/// Under systemd a line begins with its priority ("<6>message key=value", sd-daemon(3)), which the journal understands
/// and takes away. Elsewhere it begins with the time of day and the level. Values with blanks are quoted and line
/// breaks are escaped, so that one event stays one line.
package struct JournalLogHandler: LogHandler {
    package enum Style: Sendable {
        case journal
        case terminal
    }

    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let style: Style
    private let write: @Sendable (String) -> Void

    /// `write` gets whole lines with their line feed.
    package init(
        style: Style,
        level: Logger.Level = .info,
        write: @escaping @Sendable (String) -> Void = Self.writeToStandardError
    ) {
        self.style = style
        logLevel = level
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line =
            switch style {
            case .journal: "<\(Self.priority(event.level))>"
            case .terminal: "\(Self.timeOfDay()) \(event.level.rawValue) "
            }
        line += Self.escaped("\(event.message)")
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(Self.quoted("\(value)"))" }
        if let error = event.error { line += " error=\(Self.quoted("\(error)"))" }
        write(line + "\n")
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
