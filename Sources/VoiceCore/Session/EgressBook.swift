package import VoiceBase
internal import VoiceBudget

/// How much microphone audio has left this machine today, by conversation and by what opened it. A pure value.
///
/// A day is a local calendar day; setting the clock back does not begin a new one (`BudgetAccount.roll`). Beyond
/// `mostConversations` the oldest are merged into one. Sums saturate at `most`.
package struct EgressBook: Sendable, Equatable {
    package struct Conversation: Sendable, Equatable {
        /// Unix time of the first sound, in seconds; nil for merged conversations.
        package var began: Int?
        /// "word", "button", "command", or "always" for a session that is always open.
        package var opener: String
        /// At 24,000 per second. Includes silence sent in place of held-back sound.
        package var samples = 0
        /// Bytes on the wire, as protocol messages, before TLS.
        package var bytes = 0

        package var seconds: Double { Double(samples) / Double(AudioFormat.wireRate) }
    }

    static let mostConversations = 200
    /// Limit for the samples and bytes of a conversation: a hundred thousand times what a day can hold.
    static let most = 1_000_000_000_000_000

    package private(set) var conversations: [Conversation] = []
    /// Whether earlier traffic of today is unknown because the saved book could not be read.
    package private(set) var isIncomplete = false
    private var day: BudgetAccount?
    private var opener = "always"
    private var isOpen = false

    package init() {}

    /// Attributes the next sound to a new conversation with this opener.
    package mutating func begin(by opener: String) {
        self.opener = opener
        isOpen = false
    }

    package mutating func sent(samples: Int, bytes: Int, at now: ClockInstant) {
        turn(to: now)
        if !isOpen || conversations.isEmpty {
            conversations.append(Conversation(began: now.wall, opener: opener))
            isOpen = true
            forgetOldest()
        }
        let last = conversations.count - 1
        conversations[last].samples = Self.sum(conversations[last].samples, samples)
        conversations[last].bytes = Self.sum(conversations[last].bytes, bytes)
    }

    /// Today's conversations; drops those of earlier days.
    package mutating func today(_ now: ClockInstant) -> [Conversation] {
        turn(to: now)
        return conversations
    }

    /// Starts a new day if needed. A conversation that runs past midnight begins again.
    private mutating func turn(to now: ClockInstant) {
        var account = day ?? BudgetAccount(number: now.number(of: 86_400))
        account.roll(to: now, length: 86_400)
        if account.number != day?.number {
            // What left before the clock was set, left today.
            conversations =
                day?.isUnset == true ? conversations.filter { $0.began.map { $0 < ClockInstant.oldest } ?? false } : []
            for index in conversations.indices { conversations[index].began = nil }
            isIncomplete = false
        }
        day = account
    }

    private mutating func forgetOldest() {
        guard conversations.count > Self.mostConversations else { return }
        let (first, second) = (conversations[0], conversations[1])
        var sum = Conversation(began: nil, opener: "earlier")
        sum.samples = Self.sum(first.samples, second.samples)
        sum.bytes = Self.sum(first.bytes, second.bytes)
        conversations.replaceSubrange(0...1, with: [sum])
    }

    private static func sum(_ one: Int, _ other: Int) -> Int { min(one &+ other, most) }

    // MARK: Persistence

    /// The state to save; nil before the first sound.
    var saved: SavedEgress? {
        day.map { SavedEgress(day: $0.number, conversations: conversations, isIncomplete: isIncomplete) }
    }

    /// Restores the book of an earlier run.
    package init(_ saved: SavedEgress, at now: ClockInstant) {
        var account = BudgetAccount(number: saved.day)
        account.bringBack(to: now, length: 86_400)
        day = account
        conversations = saved.conversations
        isIncomplete = saved.isIncomplete
    }
}
