internal import CCurl
internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Finds the sound behind an address: follows redirects, feeds and lists, and checks every step. Of the addresses in a
/// list, the first that leads to sound counts, after those that could not be played (`MediaItem.tried`); recordings that
/// follow it in the list follow it in the queue.
///
/// The resulting address does not redirect any further. Bounded: `mostRequests` in `longestSearch`, eight redirects in a row,
/// and the bytes of each reply.
struct MediaResolver: Sendable {
    struct Found: Sendable, Equatable {
        var source: MediaSource
        var item: MediaItem
        /// Items that follow it, such as the other files of an archive item.
        var more: [MediaItem] = []
    }

    static let mostRedirects = 8
    private static let mostRequests = 60
    /// Lists and feeds within each other.
    private static let deepest = 4
    /// Addresses of a list that are tried.
    private static let mostTried = 20
    /// After this time, no further address of a list is tried.
    private static let longestSearch = Duration.seconds(60)
    private static let longestReply = 16 << 20
    private static let longestList = 1 << 20
    private static let longestArchive = 8 << 20
    /// Bytes that show the kind of a reply, and the most bytes that a page may have before a feed begins in it.
    private static let beginning = 4096
    private static let longestNoise = 64 << 10
    /// How long the rest of a slow feed is waited for once an episode to play is known.
    private static let grace = Duration.seconds(2)
    /// Parsing may take long, so it has a thread of its own.
    private static let thread = ThreadExecutor("jv-search")

    private(set) var policy: MediaPolicy
    /// PEM file with the certificates to trust instead of the system's.
    let caFile: String?
    let open: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPStream
    let lookUp: @Sendable (String) async -> [NetworkAddress]
    /// Unix seconds.
    let now: @Sendable () -> Int

    init(
        policy: MediaPolicy,
        caFile: String? = nil,
        open: @escaping @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPStream,
        lookUp: @escaping @Sendable (String) async -> [NetworkAddress] = { host in
            await OwnThread.run("jv-lookup") { NetworkAddress.lookUp(host) }
        },
        now: @escaping @Sendable () -> Int = WallClock.seconds
    ) {
        self.policy = policy
        self.caFile = caFile
        self.open = open
        self.lookUp = lookUp
        self.now = now
    }

    /// An address to try.
    private struct Step {
        var address: String
        var item: MediaItem
        /// Items that follow it.
        var more: [MediaItem] = []
        var depth = 0
        /// Whether it is one of several.
        var isOfMany = false
    }

    /// The content that an address leads to.
    private enum Outcome {
        case found(Found)
        /// In order of preference.
        case leads([Step])
    }

    /// - Parameter isHeard: whether the episode was heard to its end.
    func resolve(_ item: MediaItem, isHeard: (MediaItem) -> Bool) async throws(MediaProblem) -> Found {
        var resolver = self
        resolver.policy = policy.allowing(item.home)
        var found = try await withTaskExecutorPreference(Self.thread) { [resolver] () throws(MediaProblem) in
            try await resolver.search(item, isHeard: isHeard)
        }
        // Items from a list of the home are the home's, too.
        found.item.home = item.home
        for index in found.more.indices { found.more[index].home = item.home }
        return found
    }

    private func search(_ item: MediaItem, isHeard: (MediaItem) -> Bool) async throws(MediaProblem) -> Found {
        if item.inputName != nil {
            guard let input = policy.input(item) else { throw .unknownStation(item.title) }
            return Found(source: .input(input), item: item)
        }
        if let path = AddressText.filePath(item.address) {
            return Found(source: .file(try policy.file(path)), item: item)
        }
        var waiting = [Step(address: item.address, item: item)]
        var problem: MediaProblem?
        var requests = 0
        var secrets = ServerSecrets()
        var passed = 0
        let end = Monotonic.now() + Self.longestSearch
        while let step = waiting.popLast(), requests < Self.mostRequests, !Task.isCancelled {
            if problem != nil, Monotonic.now() > end { break }
            do throws(MediaProblem) {
                switch try await follow(step, isHeard: isHeard, &requests, &secrets) {
                case .found(let found) where passed >= item.tried: return found
                case .found: passed += 1
                case .leads(let steps): waiting += steps.prefix(Self.mostTried).reversed()
                }
            } catch {
                // The first problem says most about the user's request.
                problem = problem ?? error
            }
        }
        throw problem ?? .failed(passed > 0 ? "no address of its list can be played" : "its lists lead nowhere")
    }

    private func follow(
        _ step: Step,
        isHeard: (MediaItem) -> Bool,
        _ requests: inout Int,
        _ secrets: inout ServerSecrets
    ) async throws(MediaProblem) -> Outcome {
        var address = step.address
        for _ in 0...Self.mostRedirects {
            requests += 1
            // Addresses in lists and redirects are not always percent-encoded.
            address = AddressText.ofWeb(SoundAddress.encoded(address))
            var url = try policy.network(address)
            // The text as written: a path may need its final slash.
            let (plain, authorization) = AddressText.withoutUser(AddressText.withoutFragment(address))
            if let authorization { secrets.keep(authorization: authorization, for: url) }
            let archived = ArchiveItem.identifier(in: url)
            if let archived { url = try policy.network(ArchiveItem.metadataAddress(archived)) }
            var addresses = NetworkAddress(text: url.host).map { [$0] } ?? []
            if addresses.isEmpty { addresses = await lookUp(url.host) }
            if addresses.isEmpty { throw .failed("the host \(url.host) cannot be resolved") }
            guard policy.allows(addresses, of: url) else { throw .refusedHost(url.host) }
            let text = archived.map(ArchiveItem.metadataAddress) ?? plain
            let reply = try await head(text, url, addresses, secrets.headers(for: url), isOfMany: step.isOfMany)
            defer { reply.close() }
            for header in reply.head.headers where header.name.lowercased() == "set-cookie" {
                secrets.keep(cookie: header.value, from: url)
            }
            if (300..<400).contains(reply.head.status), let location = reply.head.header("Location") {
                address = Self.join(location, to: text)
                continue
            }
            guard (200..<300).contains(reply.head.status) else {
                throw .failed("the server answered \(reply.head.status)")
            }
            let place = MediaSource.Place(address: text, secrets: secrets)
            return try await look(into: reply, at: place, archived, step, isHeard: isHeard)
        }
        throw .failed("it redirects too often")
    }

    /// Connects to the checked addresses, even if the name resolves differently by then.
    private func head(
        _ text: String,
        _ url: ServerURL,
        _ addresses: [NetworkAddress],
        _ secrets: [(name: String, value: String)],
        isOfMany: Bool
    ) async throws(MediaProblem) -> HTTPStream {
        do throws(HTTPFailure) {
            return try await open(
                HTTPRequest(
                    url: text,
                    headers: [("User-Agent", ProgramVersion.userAgent), ("Accept", "*/*")] + secrets,
                    connectTimeout: .seconds(isOfMany ? 5 : 10),
                    totalTimeout: .seconds(15),
                    maximumReplyBytes: Self.longestReply,
                    caFile: caFile,
                    acceptsShoutcast: true,
                    decompresses: true,
                    pin: HTTPRequest.Pin(host: url.host, port: url.port, addresses: addresses.map(\.text))
                )
            )
        } catch {
            throw .failed("\(error)")
        }
    }

    // MARK: Replies

    private func look(
        into reply: HTTPStream,
        at place: MediaSource.Place,
        _ archived: String?,
        _ step: Step,
        isHeard: (MediaItem) -> Bool
    ) async throws(MediaProblem) -> Outcome {
        if let archived {
            let bytes = try await read(reply, atMost: Self.longestArchive)
            guard let archive = ArchiveItem(bytes, identifier: archived), let first = archive.items.first
            else { throw .failed("that item of the archive contains no audio") }
            return .leads([Step(address: first.address, item: first, more: Array(archive.items.dropFirst()))])
        }
        var step = step
        if reply.head.headers.contains(where: { $0.name.lowercased().hasPrefix("icy-") }), step.item.kind == .track {
            step.item.kind = .radio
        }
        if step.item.kind == .radio { step.more = [] }
        step.item.hasOthers = step.isOfMany && step.more.isEmpty
        let isSound = ["audio/", "video/"].contains { reply.head.mediaType.hasPrefix($0) }
        // The name of a type says little, so the beginning decides; a station may be slow to send more than that.
        var start: [UInt8] = []
        var encoding: String?
        repeat {
            let before = start.count
            do throws(MediaProblem) {
                start += try await read(reply, atMost: 1)
            } catch {
                if start.isEmpty { throw error }
            }
            encoding = TextDecoder.encoding(of: start, transport: reply.head.charset)
            if start.count == before || SourceKind(start, encoding: encoding, asSound: isSound) == .feed { break }
        } while start.count < (isSound ? 16 : Self.beginning)
        switch SourceKind(start, encoding: encoding, asSound: isSound) {
        case .sound: return .found(Found(source: .network(place), item: step.item, more: step.more))
        case .page:
            // A broken script writes messages before its feed.
            let bytes = try await start + read(reply, atMost: Self.longestNoise)
            guard SourceKind(bytes, encoding: encoding, asSound: false) == .feed else {
                throw .failed("the address is a web page, not sound")
            }
            return try await episode(of: reply, bytes, encoding, at: place, step, isHeard: isHeard)
        case .unplayable(let name): throw .failed("the address is \(name), which cannot be played")
        case .feed: return try await episode(of: reply, start, encoding, at: place, step, isHeard: isHeard)
        case .text:
            let isObject = start.first { $0 > 0x20 && $0 < 0x7F } == UInt8(ascii: "{")
            let bytes = try await start + read(reply, atMost: isObject ? Self.longestReply : Self.longestList)
            if isObject, let feed = Self.feed(in: bytes, base: place.address) {
                return try episode(of: feed, step, nil, isHeard: isHeard)
            }
            let type = reply.head.mediaType
            let isDeclared =
                ["mpegurl", "realaudio", "scpls"].contains { type.contains($0) } || Self.isNamedList(place.address)
            // A list is never a JSON object, which may also be longer than a list.
            let list =
                isObject
                ? nil : PlaylistText(bytes, encoding: encoding, isDeclared: isDeclared, base: place.address)
            switch list {
            case .liveSegments:
                var place = place
                place.isSegmented = true
                return .found(Found(source: .network(place), item: step.item, more: step.more))
            case .entries(let entries):
                guard !entries.isEmpty else { throw .failed("the list contains no address that can be played") }
                let isAlbum = entries.count > 1 && step.item.kind != .radio && entries.allSatisfy(\.isRecording)
                return try leads(
                    step,
                    entries.map(\.address),
                    isAlbum ? entries.map { MediaItem(address: $0.address, title: $0.title, kind: step.item.kind) } : []
                ) { index in
                    var item = step.item
                    if isAlbum || item.title.isEmpty { item.title = entries[index].title }
                    return item
                }
            case .feeds(let titles):
                let some = titles.prefix(5).filter { !$0.isEmpty }.joined(separator: ", ")
                throw .failed("the address is a list of \(titles.count) podcasts; choose one of them: \(some)")
            case nil:
                guard SourceKind(bytes, encoding: encoding, asSound: false) == .feed else {
                    throw .failed("the address is text, not sound")
                }
                return try await episode(of: reply, bytes, encoding, at: place, step, isHeard: isHeard)
            }
        }
    }

    private func leads(
        _ step: Step,
        _ addresses: [String],
        _ album: [MediaItem] = [],
        _ item: (Int) -> MediaItem
    ) throws(MediaProblem) -> Outcome {
        guard step.depth < Self.deepest else { throw .failed("its lists lead to ever more lists") }
        return .leads(
            addresses.enumerated().map { index, address in
                Step(
                    address: address, item: item(index), more: Array(album.dropFirst(index + 1)) + step.more,
                    depth: step.depth + 1, isOfMany: step.isOfMany || addresses.count > 1
                )
            }
        )
    }

    private static func feed(in bytes: [UInt8], base: String) -> EpisodeList? {
        JSONFeed.read(TextDecoder().decode(bytes, isLast: true), atMost: longestReply, base: base)
    }

    /// Reads a feed until its next episode is known. Of a slow one, the rest is not waited for long.
    private func episode(
        of reply: HTTPStream,
        _ start: [UInt8],
        _ encoding: String?,
        at place: MediaSource.Place,
        _ step: Step,
        isHeard: (MediaItem) -> Bool
    ) async throws(MediaProblem) -> Outcome {
        let feed = PodcastFeed(encoding: encoding, base: place.address)
        func wasHeard(_ episode: EpisodeList.Episode) -> Bool { isHeard(Self.item(episode, of: feed.list)) }
        let now = now()
        feed.push(start)
        var problem: HTTPFailure?
        var due: Duration?
        do throws(HTTPFailure) {
            while !feed.list.isSettled(at: now, unheard: wasHeard) {
                if due == nil, feed.list.isPromising(at: now, unheard: wasHeard) { due = Monotonic.now() + Self.grace }
                guard let piece = try await Self.next(of: reply, until: due) else { break }
                feed.push(piece)
            }
        } catch {
            // The episodes before the break, or before the limit, count.
            problem = error
        }
        feed.push([], isLast: true)
        return try episode(of: feed.list, step, problem, isHeard: isHeard)
    }

    private func episode(
        of feed: EpisodeList,
        _ step: Step,
        _ problem: HTTPFailure?,
        isHeard: (MediaItem) -> Bool
    ) throws(MediaProblem) -> Outcome {
        guard let episode = feed.next(at: now(), unheard: { isHeard(Self.item($0, of: feed)) }) else {
            throw .failed(problem.map { "\($0)" } ?? "the feed contains no episode with sound")
        }
        return try leads(step, [episode.address]) { _ in Self.item(episode, of: feed) }
    }

    private static func item(_ episode: EpisodeList.Episode, of feed: EpisodeList) -> MediaItem {
        MediaItem(
            address: episode.address, title: episode.title, kind: .podcast,
            artist: feed.title.isEmpty ? nil : feed.title, id: episode.id.isEmpty ? nil : episode.id
        )
    }

    /// Returns the next bytes of the reply; nil at its end, or when the time is over.
    private static func next(of reply: HTTPStream, until due: Duration?) async throws(HTTPFailure) -> [UInt8]? {
        guard let due else { return try await reply.next() }
        let result = await TimeLimit.run(max(.zero, due - Monotonic.now())) { () -> Result<[UInt8]?, HTTPFailure> in
            do throws(HTTPFailure) { return .success(try await reply.next()) } catch { return .failure(error) }
        }
        return try result?.get() ?? nil
    }

    private static func isNamedList(_ address: String) -> Bool {
        let path = address.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return [".m3u", ".m3u8", ".pls", ".ram"].contains { path.hasSuffix($0) }
    }

    /// The bytes before the break of a reply are read.
    private func read(_ reply: HTTPStream, atMost limit: Int) async throws(MediaProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(HTTPFailure) {
            while bytes.count < limit, let piece = try await reply.next() { bytes += piece }
        } catch {
            if bytes.isEmpty { throw .failed("\(error)") }
        }
        return bytes
    }

    /// Resolves a reference against the address at which it was found (RFC 3986 section 5.2).
    static func join(_ reference: String, to base: String) -> String {
        let scheme = reference.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard !reference.dropFirst(scheme.count).hasPrefix("://"), let url = curl_url() else { return reference }
        defer { curl_url_cleanup(url) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        var result: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_URL, base, flags) == CURLUE_OK,
            curl_url_set(url, CURLUPART_URL, reference, flags) == CURLUE_OK,
            curl_url_get(url, CURLUPART_URL, &result, 0) == CURLUE_OK, let result
        else { return reference }
        defer { curl_free(result) }
        return String(cString: result)
    }
}

/// The kind of content at the beginning of a reply.
enum SourceKind: Equatable {
    case sound
    case feed
    /// A list, or any other text.
    case text
    case page
    /// Something else, by its name.
    case unplayable(String)

    /// - Parameter asSound: whether the server says that it is sound. A station's may begin anywhere, with few bytes.
    init(_ beginning: [UInt8], encoding: String?, asSound: Bool) {
        let text = TextDecoder(encoding).decode(beginning)
        // Every format of sound has other bytes than these among the first.
        let isText =
            !text.isEmpty && text.prefix(asSound ? 16 : 0).allSatisfy { $0 < 0x7F }
            && text.prefix(1024).allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        guard isText || encoding?.hasPrefix("UTF-16") == true else {
            self = .sound
            return
        }
        guard let markup = Self.markup(in: text) else {
            self = .text
            return
        }
        var names: [String] = []
        MarkupReader { if case .open(let name, _) = $0, names.count < 8 { names.append(name) } }.push(markup)
        if names.contains(where: PodcastFeed.roots.contains) {
            self = .feed
        } else if names.contains(where: PlaylistText.roots.contains) {
            self = .text
        } else {
            self = names.first == "mpd" ? .unplayable("a DASH stream") : .page
        }
    }

    /// The text from where its markup begins: a broken script writes messages before its feed. Nil if there is none.
    private static func markup(in text: [UInt8]) -> [UInt8]? {
        let lower = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        for mark in ["<?xml", "<rss", "<rdf:rdf", "<feed"] {
            let mark = Array(mark.utf8)
            var place = lower.startIndex
            while let found = lower[place...].firstIndex(of: mark[0]) {
                if lower[found...].starts(with: mark) { return Array(text[found...]) }
                place = found + 1
            }
        }
        return text.first { $0 > 0x20 } == UInt8(ascii: "<") ? text : nil
    }
}
