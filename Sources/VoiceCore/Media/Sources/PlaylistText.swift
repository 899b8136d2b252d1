/// A playlist that names streams: M3U or PLS. The playlists of HLS are left to the decoder.
package enum PlaylistText: Equatable {
    case entries([String])
    case liveSegments

    /// Nil where the text is neither.
    package init?(_ bytes: [UInt8], isPlaylist: Bool) {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            DecoderTag.clean(line.first == "\u{FEFF}" ? line.dropFirst() : line[...])
        }
        let first = lines.first?.lowercased() ?? ""
        if first.hasPrefix("[playlist]") {
            let files = lines.filter { $0.lowercased().hasPrefix("file") }
            self = .entries(
                files.compactMap { line in line.firstIndex(of: "=").map { String(line[line.index(after: $0)...]) } }
            )
        } else if first.hasPrefix("#extm3u") || isPlaylist {
            if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) {
                self = .liveSegments
            } else {
                self = .entries(lines.filter { !$0.hasPrefix("#") && !$0.isEmpty })
            }
        } else {
            return nil
        }
    }
}
