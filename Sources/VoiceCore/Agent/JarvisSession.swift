/// The conversation with the agent: an id of our own, under which the server keeps the history.
///
/// Outlives every voice session and, if saved, the daemon. Ids consist of `[A-Za-z0-9_-]` and begin with a letter: the
/// server reads ids of digits alone as numbers.
package struct JarvisSession: Sendable {
    /// The reference of the next question (`previous_response_id`); nil for the first one.
    package var previous: String?
    private var current: String
    private var lastUse: Duration?
    private let idleLimit: Duration
    private let makeID: @Sendable () -> String

    /// `saved` is what was saved before the start, `unusedFor` how long ago.
    package init(
        idleLimit: Duration,
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
            // A clock that was set back, or is not yet set, does not count as a pause.
            lastUse = now - (unusedFor < .zero ? .zero : unusedFor)
        } else {
            current = Self.checked(makeID())
        }
    }

    /// The id for a question asked at `now` (time since any fixed moment); a fresh one after an idle time beyond the limit.
    package mutating func id(at now: Duration) -> String {
        if let lastUse, now - lastUse > idleLimit { renew() }
        lastUse = now
        return current
    }

    /// The id of the last question.
    var currentID: String { current }

    /// Restarts the idle time at `now`: an answer arrived.
    package mutating func touch(at now: Duration) { lastUse = now }

    /// Begins a fresh conversation.
    package mutating func renew() {
        current = Self.checked(makeID())
        previous = nil
        lastUse = nil
    }

    /// The state to save at the wall clock time `usedAt`, in seconds since 1970.
    package func saved(usedAt: Int) -> SavedJarvisSession {
        SavedJarvisSession(id: current, previous: previous, usedAt: usedAt)
    }

    private static func checked(_ id: String) -> String {
        "voice-" + id.filter(\.isOfID)
    }
}

extension Character {
    /// Whether it may appear in an id, which must not lead elsewhere in a URL path: `[A-Za-z0-9_-]`.
    var isOfID: Bool { isASCII && (isLetter || isNumber || self == "-" || self == "_") }
}
