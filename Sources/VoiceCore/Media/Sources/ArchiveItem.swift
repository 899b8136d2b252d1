import FoundationEssentials
internal import VoiceBase
internal import VoiceReply

/// An item of the Internet Archive: its sound files in alphabetical order, each in the preferred format available.
package struct ArchiveItem: Equatable {
    package private(set) var items: [MediaItem] = []

    /// Returns the ID of an address such as https://archive.org/details/ID; nil for other addresses.
    static func identifier(in url: ServerURL) -> String? {
        guard url.host == "archive.org" || url.host == "www.archive.org" else { return nil }
        let parts = url.path.split(separator: "/")
        guard parts.count == 2, parts[0] == "details",
            parts[1].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else { return nil }
        return String(parts[1])
    }

    static func metadataAddress(_ identifier: String) -> String { "https://archive.org/metadata/\(identifier)" }

    /// - Parameter bytes: the reply of the metadata address. Nil if it is not JSON of the expected form.
    package init?(_ bytes: [UInt8], identifier: String) {
        let reply = OutsideJSON.decode(Reply.self, from: bytes, atMost: Self.longest, values: Self.mostValues)
        guard let reply else { return nil }
        let creator = reply.metadata?.creator?.text
        let album = reply.metadata?.title?.text
        // A recording has several files; those with the same name without extension belong together.
        var best: [String: (rank: Int, file: File)] = [:]
        for file in reply.files ?? [] {
            guard let rank = Self.formats.firstIndex(of: file.format?.lowercased() ?? "") else { continue }
            let stem = String(file.name.prefix(upTo: file.name.lastIndex(of: ".") ?? file.name.endIndex))
                .replacing("_64kb", with: "").replacing("_vbr", with: "")
            if best[stem].map({ rank < $0.rank }) ?? true { best[stem] = (rank, file) }
        }
        for (stem, entry) in best.sorted(by: { $0.key < $1.key }).prefix(200) {
            items.append(
                MediaItem(
                    address: "https://archive.org/download/\(identifier)/\(Self.escaped(entry.file.name))",
                    title: entry.file.title?.text ?? album ?? stem,
                    kind: .track,
                    artist: creator
                )
            )
        }
    }

    /// Longest reply, in bytes.
    private static let longest = 8 << 20
    /// Each file has about twenty.
    private static let mostValues = 200_000

    private static let formats = [
        "vbr mp3", "mp3", "320kbps mp3", "256kbps mp3", "192kbps mp3", "128kbps mp3", "ogg vorbis", "flac",
        "24bit flac", "64kbps mp3", "wave",
    ]

    private static func escaped(_ path: String) -> String {
        PercentEncoding.encoded(path) { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
    }

    private struct Reply: Decodable {
        let metadata: Metadata?
        let files: [File]?
    }

    private struct Metadata: Decodable {
        let title: Words?
        let creator: Words?
    }

    private struct File: Decodable {
        let name: String
        let format: String?
        let title: Words?
    }

    /// One string, or the first of several.
    private struct Words: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                text = one
            } else {
                text = (try? container.decode([String].self))?.first ?? ""
            }
        }
    }
}
