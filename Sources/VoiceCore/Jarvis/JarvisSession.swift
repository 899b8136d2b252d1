/// The conversation with the agent: an id of our own making, under which the server keeps the history.
///
/// Outlives every voice session. Ids are of `[A-Za-z0-9_-]` and begin with a letter: the server reads ids of digits
/// alone as numbers.
package struct JarvisSession: Sendable {
    private var current: String
    private var lastUse: Duration?
    private let idleLimit: Duration?
    private let makeID: @Sendable () -> String

    /// `idleLimit` nil keeps the conversation until `renew`.
    package init(idleLimit: Duration?, makeID: @escaping @Sendable () -> String) {
        self.idleLimit = idleLimit
        self.makeID = makeID
        current = Self.checked(makeID())
    }

    /// The id for a question asked at `now` (time since any fixed moment); a fresh one after too long a pause.
    package mutating func id(at now: Duration) -> String {
        if let idleLimit, let lastUse, now - lastUse > idleLimit { renew() }
        lastUse = now
        return current
    }

    /// Counts the pause from `now`: an answer arrived.
    package mutating func touch(at now: Duration) { lastUse = now }

    /// Begins a fresh conversation.
    package mutating func renew() {
        current = Self.checked(makeID())
        lastUse = nil
    }

    private static func checked(_ id: String) -> String {
        "voice-" + id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
