/// What ffmpeg writes about a stream, read line by line: titles, duration, what went wrong.
package enum DecoderTag: Sendable, Equatable {
    case title(String)
    case artist(String)
    /// The station's name.
    case station(String)
    /// What the station plays now (ICY), usually "Artist - Title".
    case nowPlaying(String)
    /// Seconds.
    case duration(Double)
    case error(String)

    /// Longest text kept, in characters.
    private static let longest = 300

    /// - Parameter line: as written with `-loglevel level+verbose`.
    package init?(line: some StringProtocol) {
        let line = Substring(line)
        if let range = line.firstRange(of: "Metadata update for StreamTitle: ") {
            self = .nowPlaying(Self.clean(line[range.upperBound...]))
            return
        }
        if line.contains("[error]") || line.contains("[fatal]") {
            let text = line.split(separator: "]").last.map { Self.clean($0) } ?? ""
            guard !text.isEmpty else { return nil }
            self = .error(text)
            return
        }
        guard let range = line.firstRange(of: "[info] ") else { return nil }
        let info = line[range.upperBound...]
        if let mark = info.firstRange(of: "Duration: ") {
            guard let seconds = Self.seconds(info[mark.upperBound...].prefix { $0 != "," }) else { return nil }
            self = .duration(seconds)
            return
        }
        guard let colon = info.firstIndex(of: ":") else { return nil }
        let text = Self.clean(info[info.index(after: colon)...])
        guard !text.isEmpty else { return nil }
        switch info[..<colon].drop(while: { $0 == " " }).prefix(while: { $0 != " " }).lowercased() {
        case "title": self = .title(text)
        case "artist": self = .artist(text)
        case "icy-name": self = .station(text)
        case "streamtitle": self = .nowPlaying(text)
        default: return nil
        }
    }

    /// "00:03:12.01" in seconds.
    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let hours = Double(parts[0]), let minutes = Double(parts[1]),
            let seconds = Double(parts[2])
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// One line without control characters, of bounded length.
    static func clean(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        var result = String(String.UnicodeScalarView(scalars)).drop { $0 == " " }
        while result.last == " " { result.removeLast() }
        return String(result.prefix(longest))
    }
}
