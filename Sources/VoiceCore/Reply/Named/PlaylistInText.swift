internal import VoiceBase

/// A playlist within a text: lines of M3U or PLS, each address with the title that the playlist gives it.
struct PlaylistInText {
    struct Entry: Equatable {
        var address: String
        /// Empty if the playlist gives none.
        var title = ""
        /// Whether the playlist declares it as endless.
        var isEndless = false
    }

    private(set) var entries: [Entry] = []
    /// The position after the last line.
    private(set) var end: Int
    private static let mostEntries = 500
    private static let longestLine = 4096
    /// Lines in a row without an address that end the playlist.
    private static let mostIdle = 20

    /// Returns nil if no playlist begins with the line at `start`.
    init?(_ bytes: [UInt8], from start: Int, to limit: Int) {
        end = start
        let first = Self.line(bytes, from: start, to: limit).text.lowercased()
        if first.hasPrefix("[playlist]") {
            readPLS(bytes, to: limit)
        } else if first.hasPrefix("#extm3u") || first.hasPrefix("#extinf:") {
            readM3U(bytes, to: limit)
        }
        guard !entries.isEmpty else { return nil }
    }

    /// Returns a line without surrounding blanks, and the position after it.
    private static func line(_ bytes: [UInt8], from start: Int, to limit: Int) -> (text: String, end: Int) {
        let stop = bytes[start..<limit].firstIndex(of: 0x0A) ?? limit
        var line = bytes[start..<min(stop, start + longestLine)].drop { $0 <= 0x20 }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        return (String(decoding: line, as: UTF8.self), min(limit, stop + 1))
    }

    private mutating func readM3U(_ bytes: [UInt8], to limit: Int) {
        var next = Entry(address: "")
        var position = end
        var idle = 0
        while position < limit, entries.count < Self.mostEntries, idle < Self.mostIdle {
            let (text, after) = Self.line(bytes, from: position, to: limit)
            position = after
            idle += 1
            if text.isEmpty { continue }
            if text.lowercased().hasPrefix("#extinf:") {
                let information = text.dropFirst(8)
                next.title = Self.title(ofInformation: information)
                next.isEndless = information.hasPrefix("-1")
            } else if !text.hasPrefix("#") {
                let address = SoundAddress.encoded(text)
                guard SoundAddress(address) != nil || AddressText.filePath(address) != nil else { return }
                next.address = address
                entries.append(next)
                next = Entry(address: "")
                idle = 0
            }
            end = position
        }
    }

    /// The text after the first comma outside quotes: `-1 tvg-name="a, b",The title`.
    private static func title(ofInformation text: Substring) -> String {
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            if text[index] == ",", !isQuoted { return String(text[text.index(after: index)...].drop { $0 == " " }) }
        }
        return ""
    }

    private mutating func readPLS(_ bytes: [UInt8], to limit: Int) {
        var numbered: [Int: Entry] = [:]
        var position = Self.line(bytes, from: end, to: limit).end
        end = position
        while position < limit, numbered.count < Self.mostEntries {
            let (text, after) = Self.line(bytes, from: position, to: limit)
            position = after
            if text.isEmpty { continue }
            guard let mark = text.firstIndex(of: "=") else { break }
            let value = String(text[text.index(after: mark)...].drop { $0 == " " })
            let name = text[..<mark].lowercased().filter { $0 != " " }
            let key = name.prefix { !$0.isNumber }
            guard ["file", "title", "length", "numberofentries", "version"].contains(key) else { break }
            end = position
            guard let number = Int(name.dropFirst(key.count)) else { continue }
            switch key {
            case "file": numbered[number, default: Entry(address: "")].address = SoundAddress.encoded(value)
            case "title": numbered[number, default: Entry(address: "")].title = value
            case "length": numbered[number, default: Entry(address: "")].isEndless = value == "-1"
            default: break
            }
        }
        entries = numbered.sorted { $0.key < $1.key }.map(\.value).filter {
            SoundAddress($0.address) != nil || AddressText.filePath($0.address) != nil
        }
    }
}

extension NamedMedia {
    init(_ entry: PlaylistInText.Entry) {
        let sound = SoundAddress(entry.address)
        self.init(
            address: entry.address,
            title: entry.title.isEmpty ? sound?.title ?? "" : entry.title,
            kind: sound?.kind ?? (entry.isEndless ? .radio : .track)
        )
    }
}
