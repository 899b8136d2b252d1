internal import Synchronization

/// How much of the microphone has left this machine today: by conversation, and by what opened it. A pure value.
///
/// A day is one of local time. Of more than `mostConversations` the oldest are counted together. It begins anew with the
/// daemon.
package struct EgressBook: Sendable, Equatable {
    package struct Conversation: Sendable, Equatable {
        /// Unix time of the first sound, in seconds; nil for those that are counted together.
        package var began: Int?
        /// "word", "button", "command", or "always" for a session that is always open.
        package var opener: String
        /// Of 24,000 in a second; silence sent in place of sound that is held back is counted too.
        package var samples = 0
        /// On the wire, as messages of the protocol, before TLS.
        package var bytes = 0

        package var seconds: Double { Double(samples) / Double(AudioFormat.wireRate) }
    }

    static let mostConversations = 200

    package private(set) var conversations: [Conversation] = []
    private var day: Int?
    private var opener = "always"
    private var isOpen = false

    package init() {}

    /// The next sound belongs to a conversation opened by this.
    package mutating func begin(by opener: String) {
        self.opener = opener
        isOpen = false
    }

    package mutating func sent(samples: Int, bytes: Int, at now: BudgetInstant) {
        turn(to: now)
        if !isOpen || conversations.isEmpty {
            conversations.append(Conversation(began: now.wall, opener: opener))
            isOpen = true
            forgetOldest()
        }
        conversations[conversations.count - 1].samples &+= samples
        conversations[conversations.count - 1].bytes &+= bytes
    }

    /// Today's, without those of days before.
    package mutating func today(_ now: BudgetInstant) -> [Conversation] {
        turn(to: now)
        return conversations
    }

    /// A conversation that goes on over midnight begins again.
    private mutating func turn(to now: BudgetInstant) {
        let today = now.number(of: 86_400)
        if day != today { conversations = [] }
        day = today
    }

    private mutating func forgetOldest() {
        guard conversations.count > Self.mostConversations else { return }
        let (first, second) = (conversations[0], conversations[1])
        var sum = Conversation(began: nil, opener: "earlier")
        sum.samples = first.samples &+ second.samples
        sum.bytes = first.bytes &+ second.bytes
        conversations.replaceSubrange(0...1, with: [sum])
    }
}

/// The book, written by the network thread and read by anybody.
package final class EgressLedger: Sendable {
    private let book = Mutex(EgressBook())

    package init() {}

    package func begin(by opener: String) { book.withLock { $0.begin(by: opener) } }

    func sent(samples: Int, bytes: Int) {
        let now = BudgetInstant.now()
        book.withLock { $0.sent(samples: samples, bytes: bytes, at: now) }
    }

    package var today: [EgressBook.Conversation] {
        let now = BudgetInstant.now()
        return book.withLock { $0.today(now) }
    }
}
