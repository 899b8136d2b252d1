internal import VoiceBase

/// Finds the titles in an Ogg stream (RFC 3533) as it passes: those of Vorbis, Opus and FLAC, also of the streams that
/// follow each other in one connection, which ffmpeg does not report. A pure value.
package struct OggTags: Sendable, Equatable {
    package struct Title: Sendable, Equatable {
        /// "Artist - Title"; empty if the stream names neither.
        package var text: String
        /// Whether another stream came before in this connection.
        package var isChained: Bool
    }

    private static let capture = Array("OggS".utf8)
    /// Length of a page before its segment table.
    private static let head = 27
    /// Longest comments that are read, in bytes; a picture behind the title may be longer.
    private static let longest = 64 << 10
    /// An answer without a page among its first bytes is not Ogg.
    private static let patience = 96 << 10

    private var held: [UInt8] = []
    /// Bytes until the next page.
    private var skipped = 0
    private var searched = 0
    /// The stream whose comments come next, and the part of them that was read.
    private var serial: ArraySlice<UInt8>?
    private var packet: [UInt8] = []
    private var streams = 0

    package init() {}

    /// Returns the titles that end in these bytes.
    package mutating func read(_ bytes: some Collection<UInt8>) -> [Title] {
        guard searched < Self.patience else { return [] }
        var titles: [Title] = []
        var rest = (held + bytes)[...]
        held = []
        while true {
            let count = min(skipped, rest.count)
            skipped -= count
            rest = rest.dropFirst(count)
            if rest.isEmpty { break }
            guard rest.starts(with: Self.capture) else {
                if rest.count < Self.capture.count { break }
                let next = rest.dropFirst().firstIndex(of: Self.capture[0]) ?? rest.endIndex
                if streams == 0 { searched += next - rest.startIndex }
                guard searched < Self.patience else { return titles }
                rest = rest[next...]
                continue
            }
            let table = rest.dropFirst(Self.head).prefix(Int(rest.dropFirst(Self.head - 1).first ?? 0))
            guard rest.count >= Self.head, table.count == Int(rest[rest.startIndex + Self.head - 1]) else { break }
            let length = Self.head + table.count + table.reduce(0) { $0 + Int($1) }
            let page = rest.prefix(length)
            guard page.count == length || !isWanted(page) else { break }
            if isWanted(page), let text = readPage(page, table) {
                titles.append(Title(text: text, isChained: streams > 1))
            }
            skipped = length
        }
        held = Array(rest)
        return titles
    }

    /// Whether a page begins a stream or continues its comments.
    private func isWanted(_ page: ArraySlice<UInt8>) -> Bool {
        page[page.startIndex + 5] & 2 != 0 || Self.serial(page) == serial
    }

    private static func serial(_ page: ArraySlice<UInt8>) -> ArraySlice<UInt8> { page.dropFirst(14).prefix(4) }

    private mutating func readPage(_ page: ArraySlice<UInt8>, _ table: ArraySlice<UInt8>) -> String? {
        var body = page.dropFirst(Self.head + table.count)
        if page[page.startIndex + 5] & 2 != 0 {
            let isSound = [[0x01] + Array("vorbis".utf8), Array("OpusHead".utf8), [0x7F] + Array("FLAC".utf8)]
                .contains { body.starts(with: $0) }
            if isSound { (serial, packet, streams) = (ArraySlice(Array(Self.serial(page))), [], streams + 1) }
            return nil
        }
        for segment in table {
            packet += body.prefix(Int(segment))
            body = body.dropFirst(Int(segment))
            guard segment < 255 || packet.count > Self.longest else { continue }
            serial = nil
            return Self.title(in: packet)
        }
        return nil
    }

    // MARK: Comments (Vorbis I section 5, RFC 7845 section 5.2, RFC 9639 section 8.6)

    private static func title(in packet: [UInt8]) -> String? {
        let starts = [[0x03] + Array("vorbis".utf8), Array("OpusTags".utf8)]
        let isFLAC = (packet.first ?? 0) & 0x7F == 4
        guard let start = starts.first(where: packet.starts(with:))?.count ?? (isFLAC ? 4 : nil) else { return nil }
        var rest = packet.dropFirst(start)
        func number() -> Int {
            let value = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            return value
        }
        let vendor = number()
        rest = rest.dropFirst(vendor)
        var fields: [String: String] = [:]
        for _ in 0..<min(200, number()) where !rest.isEmpty {
            let length = number()
            let comment = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard let equals = comment.prefix(32).firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: comment[..<equals], as: UTF8.self).lowercased()
            if fields[name] == nil { fields[name] = TextDecoder.string(Array(comment[(equals + 1)...].prefix(1000))) }
        }
        let words = [fields["artist"], fields["title"]].compactMap { $0 }.filter { !$0.isEmpty }
        return StationTitle.reduced(words.joined(separator: " - "))
    }
}
