/// Turns in a row in which the user was heard and the recogniser made no words of it: after several the user is told, once in
/// a session.
package struct WordlessTurns: Equatable, Sendable {
    private static let most = 3

    /// Turns in a row without words.
    package private(set) var count = 0
    private var isTold = false

    package init() {}

    /// The recogniser made words of a turn.
    package mutating func heard() { count = 0 }

    /// - Parameter resumes: whether the interrupted answer continues; the user is then told at another turn.
    /// - Returns: whether to tell the user now.
    package mutating func dropped(_ reason: LocalDropReason, resumes: Bool) -> Bool {
        guard reason == .noWords else { return false }
        count += 1
        guard count >= Self.most, !isTold, !resumes else { return false }
        isTold = true
        return true
    }
}
