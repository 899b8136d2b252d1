/// Limits how often the box says "I did not understand".
///
/// Counts consecutive turns for which the recogniser returned no words, or only words that it makes up from noise. After
/// `most` of them the box stays silent until a turn has words, or for `pause`. After the pause, one more turn is answered and
/// the pause doubles, so that a dog that barks every six minutes does not get ten answers an hour.
package struct WordlessTurns: Equatable, Sendable {
    package enum Notice: Equatable, Sendable {
        /// The sentence was not understood.
        case unclear
        /// The recogniser seems to be broken. Reported once in a session.
        case recogniser
    }

    private static let most = 3
    /// Five minutes, in steps of 10 ms.
    private static let pause = 30_000
    /// Two hours, in steps of 10 ms.
    private static let longestPause = 720_000

    /// Consecutive turns without words.
    package private(set) var count = 0
    private var isTold = false
    private var last = 0
    /// How many turns are answered, and the pause after which more are answered, in steps of 10 ms.
    private var allowed = most
    private var pause = pause

    package init() {}

    /// The recogniser returned words for a turn.
    package mutating func heard() {
        count = 0
        (allowed, pause) = (Self.most, Self.pause)
    }

    /// - Parameters:
    ///   - isClear: whether the talker expects an answer.
    ///   - resumes: whether the interrupted answer continues, which is answer enough.
    ///   - now: the step of the turn's end.
    /// - Returns: the notice to speak now; nil for none.
    package mutating func dropped(_ reason: LocalDropReason, isClear: Bool, resumes: Bool, at now: Int) -> Notice? {
        switch reason {
        case .noWords: break
        case .phantom, .tooManyWords: guard isClear else { return nil }
        default: return nil
        }
        if count > 0, now - last >= pause {
            count = 0
            allowed = 1
            pause = min(Self.longestPause, 2 * pause)
        }
        last = now
        count += 1
        guard !resumes else { return nil }
        if count >= Self.most, !isTold {
            isTold = true
            return .recogniser
        }
        return isClear && count <= allowed ? .unclear : nil
    }
}
