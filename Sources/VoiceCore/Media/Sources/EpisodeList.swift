import VoiceBase

/// The episodes of a podcast, in the order of its feed, and which of them comes next. A value.
package struct EpisodeList: Sendable, Equatable {
    package struct Episode: Sendable, Equatable {
        package var title = ""
        package var address = ""
        /// The feed's identifier, which stays when the address changes; empty if there is none.
        package var id = ""
        /// nil without a date, or with one that cannot be read.
        package var date: FeedDate?
        /// Whether it has a date that cannot be read.
        package var hasOddDate = false
        /// Within a serial podcast, nil if unknown.
        package var season: Int?
        package var number: Int?
        package var isTrailer = false
    }

    package static let most = 2000
    /// This many episodes, the newest first, show the order of a feed.
    private static let telling = 3
    /// How far in the future, in seconds, an episode may be dated, since clocks differ.
    private static let slack = 3600

    package var title = ""
    /// Whether it is to be heard from its first part on.
    package var isSerial = false
    package private(set) var episodes: [Episode] = []
    /// Whether the month comes first in dates such as "03/04/2025", as other dates of this feed show.
    private var isMonthFirst: Bool?
    private var hasOddDates = false

    package var isFull: Bool { episodes.count >= Self.most }

    mutating func append(_ episode: Episode) {
        guard !episode.address.isEmpty, !isFull else { return }
        episodes.append(episode)
        isMonthFirst = isMonthFirst ?? episode.date?.showsMonthFirst
        hasOddDates = hasOddDates || episode.hasOddDate
    }

    /// The newest first. Those without a date come last, in the order of the feed.
    ///
    /// If a date cannot be read, as in a language unknown here, dates decide nothing: feeds begin with the newest.
    package var newestFirst: [Episode] {
        if hasOddDates { return isAscending ? episodes.reversed() : episodes }
        return episodes.enumerated().sorted {
            (seconds($1.element) ?? .min, $0.offset) < (seconds($0.element) ?? .min, $1.offset)
        }.map(\.element)
    }

    /// Returns the episode to play: the newest not heard to its end, of a serial podcast the first; if all were heard, the
    /// newest. Trailers and episodes of the future count only if there is nothing else.
    package func next(at now: Int, unheard isHeard: (Episode) -> Bool) -> Episode? {
        let all = newestFirst
        let usual = all.filter { isUsual($0, now) }
        let episodes = usual.isEmpty ? all : usual
        return (isSerial ? inOrder(episodes) : episodes).first { !isHeard($0) } ?? episodes.first
    }

    /// Whether the rest of the feed is older than the episodes read, as far as its order shows, so that the next episode is known.
    func isSettled(at now: Int, unheard isHeard: (Episode) -> Bool) -> Bool {
        guard !isSerial, !hasOddDates else { return false }
        let last = episodes.filter { isUsual($0, now) }.suffix(Self.telling)
        let dates = last.compactMap(\.date).map(\.seconds)
        return dates.count == Self.telling && last.allSatisfy { $0.date?.monthFirst == nil }
            && dates == dates.sorted(by: >) && dates.first != dates.last && has(at: now, unheard: isHeard)
    }

    /// Whether the episodes read include one to play, and nothing shows that a better one comes later.
    func isPromising(at now: Int, unheard isHeard: (Episode) -> Bool) -> Bool {
        !isSerial && !isAscending && has(at: now, unheard: isHeard)
    }

    private func has(at now: Int, unheard isHeard: (Episode) -> Bool) -> Bool {
        episodes.contains { isUsual($0, now) && !isHeard($0) }
    }

    private func isUsual(_ episode: Episode, _ now: Int) -> Bool {
        !episode.isTrailer && (seconds(episode).map { $0 <= now + Self.slack } ?? true)
    }

    private func seconds(_ episode: Episode) -> Int? {
        isMonthFirst == true ? episode.date?.monthFirst ?? episode.date?.seconds : episode.date?.seconds
    }

    /// Whether the feed begins with the oldest, as far as its dates show.
    private var isAscending: Bool {
        let dates = episodes.filter { !$0.isTrailer }.compactMap { seconds($0) }
        guard let first = dates.first, let last = dates.last else { return false }
        return first < last
    }

    /// The parts of a serial podcast in order: by their numbers, or by their dates.
    private func inOrder(_ newestFirst: [Episode]) -> [Episode] {
        guard newestFirst.allSatisfy({ $0.number != nil }) else { return newestFirst.reversed() }
        return newestFirst.sorted { ($0.season ?? 0, $0.number ?? 0) < ($1.season ?? 0, $1.number ?? 0) }
    }
}
