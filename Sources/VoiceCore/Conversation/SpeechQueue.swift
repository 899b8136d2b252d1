internal import VoiceBase
internal import VoiceReply

/// Texts to say while no one speaks, from every source: one bound, one order, one rule of expiry. Texts dropped against
/// the user's will are counted, for the journal and the ear.
struct SpeechQueue: Equatable, Sendable {
    static let capacity = 16

    struct Entry: Equatable, Sendable {
        enum Content: Equatable, Sendable {
            case question(TypedQuestion)
            /// A long call, and what the agent is doing; nil if unknown.
            case delay(callID: String, activity: String?)
            /// Said verbatim.
            case words(String)
            /// News for a model; from the house, also in words for a voice without a model.
            case news(ToolResult, aloud: HouseWords?)
            case media(MediaRemark)
        }

        private(set) var content: Content
        /// The agent whose news it is, told in its sessions only; nil for any session.
        let agent: Int?
        let at: Duration
        /// Whether the local voice has asked it, without a chance for the user to answer.
        fileprivate var isAsked = false
        /// Whether it was told before without being heard.
        fileprivate var isAgain = false

        var source: SpeechSource {
            switch content {
            case .question: .typed
            case .delay: .delay
            case .words: .announcement
            case .news(_, let aloud): aloud == nil ? .agent : .house
            case .media: .media
            }
        }

        /// The words for a voice without a model; empty if there are none.
        var text: String {
            switch content {
            case .words(let text): text
            case .news(let output, let aloud): aloud?.text ?? output.aloud
            case .question, .delay, .media: ""
            }
        }

        var remark: MediaRemark? { if case .media(let remark) = content { remark } else { nil } }
        var activity: String? { if case .delay(_, let activity) = content { activity } else { nil } }

        /// Leaves out the sentences of an announcement that were said.
        ///
        /// - Returns: the sentences that follow them; nil if it is not an announcement, or none of it was said.
        fileprivate mutating func leaveOut(_ said: WordsSaid, by response: String?) -> String? {
            guard case .words(let text) = content, let response else { return nil }
            let sentences = SpeechParts.split(text)
            let count = said.count(of: sentences, by: response)
            guard count > 0 else { return nil }
            let rest = sentences[count...].joined(separator: " ")
            content = .words(rest)
            return rest
        }

        fileprivate init(_ content: Content, of agent: Int?, at now: Duration) {
            self.content = content
            self.agent = agent
            at = now
        }

        /// Whether the local voice may say it without a session.
        ///
        /// - Parameter isOver: whether the conversation is over, not only its session.
        fileprivate func needsNoSession(isOver: Bool) -> Bool {
            if case .words = content { return true }
            guard case .news(_, let aloud?) = content, !isAsked else { return false }
            return aloud.asks ? aloud.moment == .now : aloud.moment != .inConversation || !isOver
        }
    }

    /// The entry that a response of the present session tells.
    private struct Telling: Equatable {
        var entry: Entry
        /// nil until the response begins.
        var response: String?
    }

    private var entries: [Entry] = []
    private var telling: Telling?
    private var dropped: [SpeechSource: Int] = [:]
    /// Entries that the service failed to say.
    private var untold: [Entry] = []

    func holds(_ source: SpeechSource) -> Bool { entries.contains { $0.source == source } }

    /// Adds an entry. If full, drops the oldest of the source with the most: a flood drops itself.
    mutating func add(_ content: Entry.Content, of agent: Int? = nil, at now: Duration) {
        entries.append(Entry(content, of: agent, at: now))
        if entries.count > Self.capacity, let place = oldestOfMost { drop(entries.remove(at: place)) }
        assert(entries.count <= Self.capacity)
    }

    /// Adds a question unless the queue is full of such.
    mutating func ask(_ question: TypedQuestion, at now: Duration) -> Bool {
        if entries.count == Self.capacity, let place = oldestOfMost, entries[place].source == .typed { return false }
        add(.question(question), at: now)
        return true
    }

    private var oldestOfMost: Int? {
        let counts = Dictionary(grouping: entries, by: \.source).mapValues(\.count)
        let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
        return entries.firstIndex { $0.source == most?.key }
    }

    /// Removes and returns the oldest entry of the most important of these sources that a session of the agent may tell.
    mutating func next(of sources: Set<SpeechSource>, for agent: Int = 0) -> Entry? {
        let waiting = entries.indices.filter {
            sources.contains(entries[$0].source) && entries[$0].agent ?? agent == agent
        }
        return waiting.min { entries[$0].source < entries[$1].source }.map { entries.remove(at: $0) }
    }

    /// Removes and returns all entries of a source.
    mutating func all(of source: SpeechSource) -> [Entry] {
        defer { clear(source) }
        return entries.filter { $0.source == source }
    }

    /// Returns the next text that the local voice may say without a session. An urgent question is said too, and asked
    /// again in the next session, where the user can answer it.
    mutating func nextAloud(isOver: Bool, for agent: Int) -> String? {
        let isMeant = { (entry: Entry) in entry.agent ?? agent == agent && entry.needsNoSession(isOver: isOver) }
        guard let first = entries.firstIndex(where: isMeant) else { return nil }
        guard case .news(_, let aloud?) = entries[first].content, aloud.asks else {
            return entries.remove(at: first).text
        }
        entries[first].isAsked = true
        return aloud.text
    }

    // MARK: What is being told

    /// Whether a response that tells an entry is requested and has not begun.
    var isTelling: Bool { telling.map { $0.response == nil } ?? false }

    /// Whether the response tells an entry.
    func isTold(by response: String) -> Bool { telling?.response == response }

    /// Removes and returns the entry that a requested response was to tell: it will not be requested again.
    mutating func takeTold() -> Entry? {
        guard isTelling else { return nil }
        defer { telling = nil }
        return telling?.entry
    }

    /// A response that tells the entry was requested.
    mutating func tells(_ entry: Entry) { telling = Telling(entry: entry) }

    /// A requested response begins.
    mutating func began(_ response: String) {
        if telling?.response == nil { telling?.response = response }
    }

    /// - Parameters:
    ///   - isHeard: whether any of it was spoken.
    ///   - said: the spoken words; those of a response that failed may be about the failure.
    ///   - continues: whether an announcement that failed continues behind the sentences that were said.
    /// - Returns: the rest of such an announcement, for the next request; nil to say all of it.
    mutating func ended(_ end: ResponseEnd, isHeard: Bool, said: WordsSaid, continues: Bool) -> String? {
        guard let told = telling, told.response == end.response else { return nil }
        let sentences = SpeechParts.split(told.entry.text)
        if end.status == .failed, !isHeard || said.count(of: sentences, by: end.response) < max(1, sentences.count) {
            // The entry is requested again.
            telling?.response = nil
            return isHeard && continues ? telling?.entry.leaveOut(said, by: end.response) : nil
        }
        if isHeard {
            telling = nil
        } else {
            requeueUnheard()
        }
        return nil
    }

    /// Nothing of the entry was heard: it is told again, once.
    mutating func requeueUnheard() {
        guard var lost = telling?.entry else { return }
        telling = nil
        guard !lost.isAgain, entries.count < Self.capacity else { return untold.append(lost) }
        lost.isAgain = true
        entries.insert(lost, at: 0)
    }

    /// The user has interrupted the response.
    mutating func wasCut(_ response: String) {
        if telling?.response == response { telling = nil }
    }

    /// The user no longer wants to hear the current entry.
    mutating func forgetCurrent() { telling = nil }

    /// The conversation is over: an announcement being told counts as unheard.
    mutating func conversationEnded() {
        if telling?.entry.source == .announcement { requeueUnheard() }
        untold += all(of: .announcement)
        for source in [SpeechSource.media, .typed] { drop(source) }
    }

    /// The session is over.
    ///
    /// - Parameters:
    ///   - prompt: the agent's open prompt, which is asked again anyway.
    ///   - said: the part of the response that will be heard, because its sound was received.
    mutating func sessionEnded(_ prompt: OpenPrompt, said: WordsSaid) {
        if case .news(let output, _) = telling?.entry.content, prompt.isOpen(output) { telling = nil }
        let response = telling?.response
        if let rest = telling?.entry.leaveOut(said, by: response) {
            // Part of it was said, so it may be told again: each session shortens it, so this ends.
            telling?.entry.isAgain = false
            if rest.isEmpty { telling = nil }
        }
        requeueUnheard()
    }

    // MARK: What is dropped

    mutating func dropExpired(at now: Duration) {
        drop { entry in entry.source.lifetime.map { now - entry.at > $0 } ?? false }
    }

    /// Drops all of a source, unheard.
    mutating func drop(_ source: SpeechSource) { drop { $0.source == source } }

    /// Removes calls that have their answer.
    mutating func settle(_ calls: PendingCalls) {
        entries.removeAll { if case .delay(let call, _) = $0.content { !calls.isWaiting(callID: call) } else { false } }
    }

    /// Removes all of a source: the user does not want it.
    mutating func clear(_ source: SpeechSource) { entries.removeAll { $0.source == source } }

    /// Returns the entries that the service has failed to say since the last call.
    mutating func takeUntold() -> [Entry] {
        defer { untold = [] }
        return untold
    }

    /// Returns how many of each source were dropped unheard since the last call.
    mutating func takeDropped() -> [(source: SpeechSource, count: Int)] {
        defer { dropped = [:] }
        return dropped.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private mutating func drop(_ isMeant: (Entry) -> Bool) {
        for place in entries.indices.reversed() where isMeant(entries[place]) { drop(entries.remove(at: place)) }
    }

    private mutating func drop(_ entry: Entry) { dropped[entry.source, default: 0] += 1 }
}

/// Who wants something said; the most important is said first.
package enum SpeechSource: String, CaseIterable, Comparable, Sendable {
    case typed, delay, announcement, house, agent, media

    /// Older entries are dropped; nil: kept until they are said, or no longer true.
    fileprivate var lifetime: Duration? {
        switch self {
        case .typed: .seconds(60)
        case .delay: nil
        // They are promised to be said.
        case .announcement, .house: .seconds(86_400)
        case .agent: .seconds(600)
        case .media: .seconds(120)
        }
    }

    /// Whether its loss is signalled by a sound: the user waits for it.
    var isPromised: Bool { self != .delay && self != .media }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
