/// The conversation with the agent: an id of our own making, under which the server keeps the history.
///
/// Outlives every voice session and, where it is saved, the daemon. Ids are of `[A-Za-z0-9_-]` and begin with a letter:
/// the server reads ids of digits alone as numbers.
package struct JarvisSession: Sendable {
    /// What the next question refers to (`previous_response_id`); nil for the first one.
    package var previous: String?
    private var current: String
    private var lastUse: Duration?
    private let idleLimit: Duration?
    private let makeID: @Sendable () -> String

    /// `idleLimit` nil keeps the conversation until `renew`. `saved` is what was saved before the start, `unusedFor` how
    /// long ago.
    package init(
        idleLimit: Duration?,
        saved: SavedJarvisSession? = nil,
        unusedFor: Duration = .zero,
        now: Duration = .zero,
        makeID: @escaping @Sendable () -> String
    ) {
        self.idleLimit = idleLimit
        self.makeID = makeID
        if let saved {
            current = saved.id
            previous = saved.previous
            // A clock that was set back, or not yet set, is no pause.
            lastUse = now - (unusedFor < .zero ? .zero : unusedFor)
        } else {
            current = Self.checked(makeID())
        }
    }

    /// The id for a question asked at `now` (time since any fixed moment); a fresh one after too long a pause.
    package mutating func id(at now: Duration) -> String {
        if let idleLimit, let lastUse, now - lastUse > idleLimit { renew() }
        lastUse = now
        return current
    }

    /// The id of the last question.
    var currentID: String { current }

    /// Counts the pause from `now`: an answer arrived.
    package mutating func touch(at now: Duration) { lastUse = now }

    /// Begins a fresh conversation.
    package mutating func renew() {
        current = Self.checked(makeID())
        previous = nil
        lastUse = nil
    }

    /// What is to be saved at the wall clock time `usedAt`, in seconds since 1970.
    package func saved(usedAt: Int) -> SavedJarvisSession {
        SavedJarvisSession(id: current, previous: previous, usedAt: usedAt)
    }

    private static func checked(_ id: String) -> String {
        "voice-" + id.filter(\.isOfID)
    }
}

extension Character {
    /// Whether it may stand in an id, which leads nowhere else in the path of an address: `[A-Za-z0-9_-]`.
    var isOfID: Bool { isASCII && (isLetter || isNumber || self == "-" || self == "_") }
}
