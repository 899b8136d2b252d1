/// The requests that the service hands over without a word of text: each is rebuilt of what it heard the user say. Pure.
///
///     created --> settling --> dispatched --> closed
///                    '--> pending: its words are late --> dispatched, or closed where none come
///
/// A word makes one request and no second: it is used up when the request is sent, whatever becomes of that. A request sent
/// twice acts twice.
package struct LiveDelegations: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        /// Carry this out; `context` is what was said before it and handed over by nobody.
        case dispatch(id: String, text: String, context: String)
        /// There are no new words: the model asks again for what is being worked on.
        case repeated(id: String)
        /// No words came.
        case empty(id: String)
    }

    private struct Word: Equatable, Sendable {
        var fragment: LiveFragment
        var arrived: Duration
        var isUsed = false
    }

    private struct Pending: Equatable, Sendable {
        var id: String
        /// Place on the timeline, in ms.
        var at: Int
        var since: Duration
    }

    /// Words of one request may begin so long after its place, in ms.
    private static let grace = 200
    /// A pause between words, in ms, that is one between two requests.
    private static let gap = 2500
    /// Silence of the transcript after which it has settled, and how long that is waited for.
    static let settled = Duration.milliseconds(150)
    static let settleLimit = Duration.milliseconds(400)
    /// How long words may be late.
    static let patience = Duration.seconds(5)
    private static let mostWords = 512
    private static let mostPending = 16
    private static let remembered = 256
    /// Bytes of UTF-8.
    private static let longestText = 8000
    private static let longestContext = 600

    private var words: [Word] = []
    private var lastWord = Duration.zero
    private var pending: [Pending] = []
    private var seen: [String] = []
    /// Dispatched and not closed.
    private(set) var open: [String] = []

    package init() {}

    package var hasPending: Bool { !pending.isEmpty }

    /// The service has heard the user say this, and so has this machine.
    package mutating func heard(_ fragment: LiveFragment, at now: Duration) {
        let place = words.lastIndex { $0.fragment.start <= fragment.start }.map { $0 + 1 } ?? 0
        words.insert(Word(fragment: fragment, arrived: now), at: place)
        if words.count > Self.mostWords { words.removeFirst() }
        lastWord = now
    }

    /// - Parameter place: on the timeline, in ms.
    /// - Returns: false for one that is known.
    package mutating func created(_ id: String, at place: Int, now: Duration) -> Bool {
        guard !seen.contains(id) else { return false }
        seen.append(id)
        if seen.count > Self.remembered { seen.removeFirst() }
        guard pending.count < Self.mostPending else { return false }
        pending.append(Pending(id: id, at: place, since: now))
        pending.sort { $0.at < $1.at }
        return true
    }

    /// What is to be done by now, oldest first.
    package mutating func settle(at now: Duration) -> [Outcome] {
        var outcomes: [Outcome] = []
        while let first = pending.first, let outcome = outcome(first, now) {
            pending.removeFirst()
            outcomes.append(outcome)
        }
        return outcomes
    }

    private mutating func outcome(_ request: Pending, _ now: Duration) -> Outcome? {
        let limit = request.at + Self.grace
        let candidates = words.indices.filter { !words[$0].isUsed && words[$0].fragment.start <= limit }
        let age = now - request.since
        guard let last = candidates.last else {
            guard age >= Self.patience else { return nil }
            return open.isEmpty ? .empty(id: request.id) : .repeated(id: request.id)
        }
        let isWhole = words.contains { $0.fragment.end > request.at }
        let isQuiet = now - lastWord >= Self.settled
        // Whoever speaks on and on is not waited for.
        let waited = now - max(request.since, candidates.map { words[$0].arrived }.min() ?? now)
        let isLate = waited >= Self.settleLimit
        guard isQuiet && (isWhole || isLate) || waited >= Self.settleLimit * 2 else { return nil }
        // From the last long pause on; what is before it was said and not handed over.
        var first = last
        for index in candidates.reversed() where index < first {
            guard words[first].fragment.start - words[index].fragment.end < Self.gap else { break }
            first = index
        }
        let text = Self.text(candidates.filter { $0 >= first }.map { words[$0].fragment.text }, Self.longestText)
        let context = Self.text(candidates.filter { $0 < first }.map { words[$0].fragment.text }, Self.longestContext)
        for index in candidates { words[index].isUsed = true }
        guard !text.isEmpty else { return .empty(id: request.id) }
        open.append(request.id)
        return .dispatch(id: request.id, text: text, context: context)
    }

    /// The one closing append of a delegation is sent.
    /// - Returns: false where it was.
    package mutating func close(_ id: String) -> Bool {
        guard let index = open.firstIndex(of: id) else { return false }
        open.remove(at: index)
        return true
    }

    /// Nothing of what was said up to here is wanted any more.
    package mutating func useAll() {
        for index in words.indices { words[index].isUsed = true }
    }

    private static func text(_ fragments: [String], _ limit: Int) -> String {
        let whole = fragments.joined().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return whole.utf8.count <= limit ? whole : String(decoding: whole.utf8.suffix(limit), as: UTF8.self)
    }
}
