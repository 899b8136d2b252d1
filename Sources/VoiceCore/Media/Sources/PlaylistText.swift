/// A playlist that names streams: M3U or PLS. HLS playlists are left to the decoder.
package enum PlaylistText: Equatable {
    /// Longest address, in bytes.
    private static let longestEntry = 2048

    case entries([String])
    case liveSegments

    /// - Parameter isPlaylist: whether the server declared a playlist, so that M3U needs no header line.
    /// - Returns: nil if the text is neither.
    package init?(_ bytes: [UInt8], isPlaylist: Bool) {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            Self.trimmed(line.first == "\u{FEFF}" ? line.dropFirst() : line)
        }
        let first = lines.first?.lowercased() ?? ""
        if first.hasPrefix("[playlist]") {
            let files = lines.filter { $0.lowercased().hasPrefix("file") }
            self = .entries(
                files.compactMap { line in line.firstIndex(of: "=").map { String(line[line.index(after: $0)...]) } }
                    .filter(Self.isEntry)
            )
        } else if first.hasPrefix("#extm3u") || isPlaylist {
            if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) {
                self = .liveSegments
            } else {
                self = .entries(lines.filter { !$0.hasPrefix("#") && Self.isEntry($0) })
            }
        } else {
            return nil
        }
    }

    private static func trimmed(_ line: Substring) -> String {
        var line = line.drop { $0 == " " || $0 == "\t" }
        while let last = line.last, last == " " || last == "\t" || last == "\0" { line.removeLast() }
        return String(line)
    }

    private static func isEntry(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestEntry && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
