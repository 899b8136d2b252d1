/// What the user has asked and not been answered: all of it that would be gone with the session.
struct OpenQuestion: Equatable, Sendable {
    /// Items of the user's speech, oldest first; a turn that is spoken over leads to a second.
    private(set) var items: [String] = []
    /// Its words, once the session that heard it is gone.
    var text: String?
    /// Something was said in reply already, though not all.
    var isBegun = false
    /// When its session ended.
    var lostAt: Duration?

    private static let limit = 8

    mutating func add(_ itemID: String) {
        guard !itemID.isEmpty, !items.contains(itemID) else { return }
        items.append(itemID)
        if items.count > Self.limit { items.removeFirst() }
    }
}
