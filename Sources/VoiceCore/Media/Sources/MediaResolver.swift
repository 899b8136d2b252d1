internal import Glibc
internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Finds the sound behind an address: follows redirects, feeds and playlists, and checks every step.
///
/// The resulting address needs no more redirects. Bounded: eight steps, 15 s and 8 MB for each.
struct MediaResolver: Sendable {
    struct Found: Sendable, Equatable {
        var source: MediaSource
        var item: MediaItem
        /// Items that follow it, such as the other files of an archive item.
        var more: [MediaItem] = []
    }

    static let mostSteps = 8
    private static let longestReply = 8 << 20

    let policy: MediaPolicy
    /// PEM file with the certificates to trust instead of the system's.
    let caFile: String?
    let open: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPStream
    let lookUp: @Sendable (String) async -> [NetworkAddress]

    init(
        policy: MediaPolicy,
        caFile: String? = nil,
        open: @escaping @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPStream,
        lookUp: @escaping @Sendable (String) async -> [NetworkAddress] = { host in
            await OwnThread.run("jv-lookup") { NetworkAddress.lookUp(host) }
        }
    ) {
        self.policy = policy
        self.caFile = caFile
        self.open = open
        self.lookUp = lookUp
    }

    /// - Parameter isHeard: whether the episode at this address was heard to its end.
    func resolve(_ item: MediaItem, isHeard: (String) -> Bool) async throws(MediaProblem) -> Found {
        if let path = AddressText.filePath(item.address) {
            return Found(source: .file(try policy.file(path, resolve: Self.realPath)), item: item)
        }
        var found = Found(source: .network(item.address), item: item)
        var address = item.address
        for _ in 0..<Self.mostSteps {
            // Addresses in playlists and redirects are not always percent-encoded.
            address = SoundAddress.encoded(address)
            var url = try policy.network(address)
            let archived = ArchiveItem.identifier(in: url)
            if let archived { url = try policy.network(ArchiveItem.metadataAddress(archived)) }
            var addresses = NetworkAddress(text: url.host).map { [$0] } ?? []
            if addresses.isEmpty { addresses = await lookUp(url.host) }
            if addresses.isEmpty { throw .failed("the host \(url.host) cannot be resolved") }
            guard policy.allows(addresses, of: url) else { throw .refusedHost(url.host) }
            // The text as written: a path may need its final slash.
            let text = archived.map(ArchiveItem.metadataAddress) ?? AddressText.withoutFragment(address)
            let reply = try await head(text, url, addresses)
            defer { reply.close() }
            if (300..<400).contains(reply.head.status), let location = reply.head.header("Location") {
                address = Self.join(location, to: text)
                continue
            }
            guard (200..<300).contains(reply.head.status) else {
                throw .failed("the server answered \(reply.head.status)")
            }
            guard let next = try await look(into: reply, archived, isHeard: isHeard, &found) else {
                found.source = .network(text)
                return found
            }
            address = next
        }
        throw .failed("it redirects too often")
    }

    /// Connects to the checked addresses, even if the name resolves differently by then.
    private func head(
        _ text: String,
        _ url: ServerURL,
        _ addresses: [NetworkAddress]
    ) async throws(MediaProblem) -> HTTPStream {
        do throws(HTTPFailure) {
            return try await open(
                HTTPRequest(
                    url: text,
                    headers: [("User-Agent", "jarvis-voiced"), ("Accept", "*/*")],
                    totalTimeout: .seconds(15),
                    maximumReplyBytes: Self.longestReply,
                    caFile: caFile,
                    acceptsShoutcast: true,
                    pin: HTTPRequest.Pin(host: url.host, port: url.port, addresses: addresses.map(\.text))
                )
            )
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Returns the address that a feed or playlist leads to; nil if the reply is the sound itself.
    private func look(
        into reply: HTTPStream,
        _ archived: String?,
        isHeard: (String) -> Bool,
        _ found: inout Found
    ) async throws(MediaProblem) -> String? {
        let type = reply.head.mediaType
        if let archived {
            guard let archive = ArchiveItem(try await read(reply), identifier: archived),
                let first = archive.items.first
            else { throw .failed("that item of the archive contains no audio") }
            found.item = first
            found.more = Array(archive.items.dropFirst())
            return first.address
        }
        if reply.head.headers.contains(where: { $0.name.lowercased().hasPrefix("icy-") }), found.item.kind == .track {
            found.item.kind = .radio
        }
        let isPlaylist = type.hasSuffix("mpegurl") || type.hasSuffix("/x-scpls") || type.hasSuffix("/pls+xml")
        let isMedia = type.hasPrefix("audio/") || type.hasPrefix("video/") || type == "application/ogg"
        if isMedia && !isPlaylist { return nil }
        let beginning = try await read(reply, atMost: 512)
        let start = String(decoding: beginning.prefix(512), as: UTF8.self).lowercased()
        if isPlaylist || start.hasPrefix("#extm3u") || start.hasPrefix("[playlist]") {
            let text = beginning + (try await read(reply, atMost: 64 << 10))
            switch PlaylistText(text, isPlaylist: isPlaylist) {
            case .entries(let entries):
                guard let first = entries.first else { throw .failed("the playlist is empty") }
                return first
            case .liveSegments, nil: return nil
            }
        }
        if start.contains("<rss") || start.contains("<feed") || start.contains("<?xml") {
            let text = beginning + (try await read(reply))
            guard let feed = PodcastFeed(text), let episode = feed.newest(unheard: isHeard) else {
                throw .failed("the feed contains no episode")
            }
            found.item = MediaItem(
                address: episode.address,
                title: episode.title,
                kind: .podcast,
                artist: feed.title.isEmpty ? nil : feed.title
            )
            return episode.address
        }
        if type == "text/html" || start.contains("<html") || start.contains("<!doctype") {
            throw .failed("the address is a web page, not sound")
        }
        return nil
    }

    private func read(_ reply: HTTPStream, atMost limit: Int = .max) async throws(MediaProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(HTTPFailure) {
            while bytes.count < limit, let piece = try await reply.next() { bytes += piece }
        } catch {
            throw .failed("\(error)")
        }
        return bytes
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Resolves a reference against the address at which it was found (RFC 3986 section 5.2, without dot segments).
    static func join(_ reference: String, to base: String) -> String {
        let lower = reference.lowercased()
        if lower.hasPrefix("http://") || lower.hasPrefix("https://") { return reference }
        guard let slashes = base.firstRange(of: "://") else { return reference }
        if reference.hasPrefix("//") { return base[..<slashes.lowerBound] + ":" + reference }
        let place = base[slashes.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let host = place.prefix { $0 != "/" }
        let origin = base[..<slashes.upperBound] + host
        if reference.hasPrefix("/") { return origin + reference }
        guard let last = place.lastIndex(of: "/") else { return origin + "/" + reference }
        return base[..<slashes.upperBound] + place[...last] + reference
    }
}
