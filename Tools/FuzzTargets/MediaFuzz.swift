import VoiceBase
import VoiceMedia

/// Data from media servers and output of the decoder: feeds, playlists, items of the archive, titles; and requests to
/// the proxy.
enum MediaFuzz {
    private static let longestText = 300

    /// The first byte selects the parser.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch first % 7 {
        case 0: feed(body)
        case 1: playlist(body, isDeclared: first & 0x80 != 0)
        case 2: archive(body)
        case 3: tags(body)
        case 4: request(body)
        case 6: ogg(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        default: answer(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        }
    }

    private static let base = "https://e.org/a/list"

    private static func feed(_ bytes: [UInt8]) {
        let feed = PodcastFeed(encoding: TextDecoder.encoding(of: bytes), base: base)
        for start in stride(from: 0, to: bytes.count, by: 61) { feed.push(Array(bytes[start...].prefix(61))) }
        feed.push([], isLast: true)
        precondition(feed.list.episodes.count <= EpisodeList.most, "too many episodes")
        precondition(isText(feed.list.title), "a title that cannot be logged")
        for episode in feed.list.newestFirst {
            precondition(isText(episode.title) && isAddress(episode.address), "an odd episode")
        }
    }

    private static func playlist(_ bytes: [UInt8], isDeclared: Bool) {
        switch PlaylistText(bytes, isDeclared: isDeclared, base: base) {
        case .entries(let entries):
            precondition(entries.count <= PlaylistText.mostEntries, "too many entries")
            precondition(entries.allSatisfy { isAddress($0.address) && isText($0.title) }, "an odd entry")
        case .feeds(let titles): precondition(titles.allSatisfy(isText), "a title that cannot be logged")
        case .liveSegments, nil: break
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        isText(text) && text.utf8.count <= 2048
            && (text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://"))
    }

    /// Titles do not depend on how the bytes are split.
    private static func ogg(_ bytes: UnsafeRawBufferPointer) {
        var (whole, cut) = (OggTags(), OggTags())
        let titles = whole.read(bytes.dropFirst())
        precondition(titles.allSatisfy { isText($0.text) }, "a title that cannot be logged")
        precondition(Pieces.of(bytes).flatMap { cut.read(Array($0)) } == titles, "the cut changes the titles")
    }

    private static func archive(_ bytes: [UInt8]) {
        guard let item = ArchiveItem(bytes, identifier: "an-item") else { return }
        precondition(item.items.count <= 200, "too many files")
        for file in item.items {
            precondition(file.address.hasPrefix("https://archive.org/download/an-item/"), "another place")
            precondition(file.address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an address that is none")
            precondition(isText(file.title), "a title that cannot be logged")
        }
    }

    private static func tags(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 0x0A) {
            switch DecoderTag(line: String(decoding: line, as: UTF8.self)) {
            case .title(let text), .artist(let text), .station(let text), .nowPlaying(let text), .error(let text):
                precondition(isText(text), "a text that cannot be logged")
            case .duration, nil: break
            }
        }
    }

    /// What is forwarded is a single request, without fields meant for the proxy, and does not depend on what follows.
    private static func request(_ bytes: [UInt8]) {
        guard let request = try? ProxyRequest.parse(bytes) else { return }
        precondition(request.length <= bytes.count && request.length <= ProxyRequest.longestHead, "beyond the input")
        precondition((try? ProxyRequest.parse(bytes + Array("GET / HTTP/1.1\r\n\r\n".utf8))) == request, "what follows")
        precondition((1...65535).contains(request.server.port) && !request.server.host.isEmpty, "no server")
        let text = String(decoding: request.forwarded, as: UTF8.self).lowercased()
        precondition(text.hasPrefix("get /") || text.hasPrefix("head /"), "another method")
        let ends = request.forwarded.indices.filter { request.forwarded[$0...].starts(with: "\r\n\r\n".utf8) }
        precondition(ends == [request.forwarded.count - 4], "more than one request")
        let names = text.utf8.split(separator: 0x0A).map { String(decoding: $0.prefix { $0 != 0x3A }, as: UTF8.self) }
        precondition(!names.contains("proxy-authorization"), "the secret")
        precondition(names.count { $0 == "host" } == 1, "more than one host")
    }

    /// The answer must not depend on how the bytes are split, and must not name an address that bypasses the proxy.
    private static func answer(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else { return }
        let isSecure = bytes[0] & 0x80 != 0
        let whole = answer([Array(bytes.dropFirst())], isSecure)
        let cut = answer(Pieces.of(bytes).map { Array($0) }, isSecure)
        precondition(whole.refusal == cut.refusal, "the cut changes the verdict")
        // The output before a refusal may end anywhere.
        precondition(whole.refusal != nil || whole.bytes == cut.bytes, "the cut changes the answer")
        guard whole.refusal == nil else { return }
        let body = whole.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .drop { $0 != [0x0D] && !$0.isEmpty }
            .dropFirst()
        guard body.first?.starts(with: SegmentList.beginning) == true else { return }
        for line in body where line.first != UInt8(ascii: "#") {
            let text = String(decoding: line, as: UTF8.self).lowercased()
            precondition(!text.hasPrefix("https://") && !text.hasPrefix("httpproxy:"), "an address that passes by us")
        }
    }

    private static func answer(_ pieces: [[UInt8]], _ isSecure: Bool) -> (bytes: [UInt8], refusal: String?) {
        var answer = ProxyAnswer(isSecure: isSecure)
        var result: [UInt8] = []
        do throws(ProxyAnswer.Refusal) {
            for piece in pieces where !answer.isOver { result += try answer.pass(piece) }
            return (result + (answer.isOver ? [] : try answer.end()), nil)
        } catch {
            return (result, error.description)
        }
    }

    private static func isText(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
