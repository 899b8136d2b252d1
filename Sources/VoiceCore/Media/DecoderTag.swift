internal import VoiceBase

/// What ffmpeg logs about a stream, parsed line by line: titles, duration, errors.
package enum DecoderTag: Sendable, Equatable {
    case title(String)
    case artist(String)
    /// The station's name.
    case station(String)
    /// What the station is playing (ICY), usually "Artist - Title"; empty if it does not say, or plays an advertisement.
    case nowPlaying(String)
    /// Seconds.
    case duration(Double)
    case error(String)

    /// A year; no recording is longer.
    private static let longestDuration = 365.0 * 24 * 3600

    /// Parses one line. Only the position at which ffmpeg puts a report counts: similar words inside a title remain
    /// part of the title.
    ///
    /// - Parameter line: as written with `-loglevel level+verbose`: contexts in brackets, level in brackets, message.
    package init?(line: some StringProtocol) {
        guard let (level, message) = Self.parts(Substring(line)) else { return nil }
        switch level {
        case "error", "fatal", "panic":
            let text = ForeignText.sentence(message)
            guard !text.isEmpty else { return nil }
            self = .error(text)
        case "info", "verbose": self.init(message: message)
        default: return nil
        }
    }

    private init?(message: Substring) {
        let update = "Metadata update for "
        let info = (message.hasPrefix(update) ? message.dropFirst(update.count) : message).drop { $0 == " " }
        guard let colon = info.firstIndex(of: ":") else { return nil }
        let value = info[info.index(after: colon)...]
        let name = info[..<colon].prefix { $0 != " " }.lowercased()
        if name == "duration" {
            guard let seconds = Self.seconds(value.drop { $0 == " " }.prefix { $0 != "," }) else { return nil }
            self = .duration(seconds)
            return
        }
        if name == "streamtitle" || StationTitle.isMark(name, value) {
            self = .nowPlaying(name == "streamtitle" ? StationTitle.reduced(value) : "")
            return
        }
        let text = ForeignText.title(value)
        guard !text.isEmpty else { return nil }
        switch name {
        case "title": self = .title(text)
        case "artist": self = .artist(text)
        case "icy-name": self = .station(text)
        default: return nil
        }
    }

    private static func parts(_ line: Substring) -> (level: Substring, message: Substring)? {
        var rest = line
        // "[hls @ 0x55] [http @ 0x56] [error] message"
        for _ in 0..<4 {
            guard rest.first == "[", let end = rest.firstIndex(of: "]") else { return nil }
            let group = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...].dropFirst()
            if !group.contains("@") { return (group, rest) }
        }
        return nil
    }

    /// Converts "00:03:12.01" to seconds; nil if the text is not a duration.
    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let hours = UInt32(parts[0]), let minutes = UInt32(parts[1]),
            let seconds = Double(parts[2])
        else { return nil }
        let all = Double(hours) * 3600 + Double(minutes) * 60 + seconds
        return all.isFinite && all >= 0 && all <= longestDuration ? all : nil
    }
}
