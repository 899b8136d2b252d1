internal import VoiceBase
internal import VoiceConversation

/// Delegated requests. The service hands them over without text, so each is rebuilt from the words it transcribed. Pure.
///
///     created --> settling --> dispatched --> closed
///                    '--> pending: words are late --> dispatched, or closed if none arrive
///
/// Each word belongs to one request only: sending the request uses it up, whatever the outcome. A request sent twice acts
/// twice.
package struct LiveDelegations: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        /// Carry this out; `context` holds earlier words that were not handed over.
        case dispatch(id: String, text: String, context: String)
        /// No new words: the model repeats a request that is in progress.
        case repeated(id: String)
        /// The box carried its words out before it arrived.
        case done(id: String)
        /// No words arrived.
        case empty(id: String)
    }

    private struct Word: Equatable, Sendable {
        var fragment: LiveFragment
        var arrived: Duration
        var isUsed = false
    }

    private struct Pending: Equatable, Sendable {
        var id: String
        /// Position on the timeline, in ms.
        var at: Int
        var since: Duration
    }

    /// How long after its position words of a request may begin, in ms.
    private static let grace = 200
    /// A pause between words, in ms, that separates two requests.
    private static let gap = 2500
    /// Transcript silence after which it has settled, and how long to wait for that.
    static let settled = Duration.milliseconds(150)
    static let settleLimit = Duration.milliseconds(400)
    /// How late words may arrive.
    static let patience = Duration.seconds(5)
    /// How far behind words that the box carried out a delegation of the same words may lie, in ms. Up to `ownReach` it
    /// certainly holds those words. Up to `repeatReach` it may also belong to the next turn, which can begin 700 ms
    /// later and whose words may be late: if no words come, the model only asks once more.
    private static let ownReach = 300
    private static let repeatReach = 1500
    private static let mostWords = 512
    private static let mostPending = 16
    private static let remembered = 256
    /// Bytes of UTF-8.
    private static let longestText = 8000
    private static let longestContext = 600

    private var words: [Word] = []
    /// The end of the last words that the box carried out without the model, in ms.
    private var ownEnd: Int?
    private var lastWord = Duration.zero
    private var pending: [Pending] = []
    private var seen: [String] = []
    /// Dispatched and not yet closed.
    private(set) var open: [String] = []

    package var hasPending: Bool { !pending.isEmpty }
    package var isFull: Bool { pending.count == Self.mostPending }

    /// Takes in words transcribed by the service and confirmed by the local detector.
    package mutating func heard(_ fragment: LiveFragment, at now: Duration) {
        let place = words.lastIndex { $0.fragment.start <= fragment.start }.map { $0 + 1 } ?? 0
        words.insert(Word(fragment: fragment, arrived: now), at: place)
        if words.count > Self.mostWords { words.removeFirst() }
        lastWord = now
    }

    /// - Parameter place: position on the timeline, in ms.
    /// - Returns: false if the delegation is already known or too many are pending.
    package mutating func created(_ id: String, at place: Int, now: Duration) -> Bool {
        guard !seen.contains(id) else { return false }
        seen.append(id)
        if seen.count > Self.remembered { seen.removeFirst() }
        guard pending.count < Self.mostPending else { return false }
        pending.append(Pending(id: id, at: place, since: now))
        pending.sort { $0.at < $1.at }
        return true
    }

    /// Returns the outcomes due by `now`, oldest first.
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
            if let ownEnd, request.at <= ownEnd + Self.ownReach { return .done(id: request.id) }
            guard age >= Self.patience else { return nil }
            if let ownEnd, request.at <= ownEnd + Self.repeatReach { return .done(id: request.id) }
            return open.isEmpty ? .empty(id: request.id) : .repeated(id: request.id)
        }
        let isWhole = words.contains { $0.fragment.end > request.at }
        let isQuiet = now - lastWord >= Self.settled
        // A user who keeps talking does not delay the request indefinitely.
        let waited = now - max(request.since, candidates.map { words[$0].arrived }.min() ?? now)
        let isLate = waited >= Self.settleLimit
        guard isQuiet && (isWhole || isLate) || waited >= Self.settleLimit * 2 else { return nil }
        // The request begins after the last long pause; earlier words were said and not handed over.
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

    /// Notes that the single closing append of a delegation is sent.
    /// - Returns: false if it was sent before.
    package mutating func close(_ id: String) -> Bool {
        guard let index = open.firstIndex(of: id) else { return false }
        open.remove(at: index)
        return true
    }

    /// Uses up the words from a position on: the box carries them out without the model.
    package mutating func use(from place: Int) {
        for index in words.indices where words[index].fragment.start >= place && !words[index].isUsed {
            words[index].isUsed = true
            ownEnd = max(ownEnd ?? 0, words[index].fragment.end)
        }
    }

    private static func text(_ fragments: [String], _ limit: Int) -> String {
        let whole = fragments.joined().singleSpaced
        return whole.utf8.count <= limit ? whole : String(decoding: whole.utf8.suffix(limit), as: UTF8.self)
    }
}
