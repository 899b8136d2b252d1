/// Turns in a row in which the user was heard and the recogniser made no words of it, or only words it makes of noise: what the
/// user is told. Noise that is taken for a voice is not answered for ever: after `most` turns the box is silent until there
/// are words, or for `pause`. If that passes after any such turn and nobody was understood in between, only one turn is
/// answered, and the pause doubles: a dog that barks every six minutes is not answered ten times an hour.
package struct WordlessTurns: Equatable, Sendable {
    package enum Notice: Equatable, Sendable {
        /// This sentence was not understood.
        case unclear
        /// The recogniser seems to be out of order; once in a session.
        case recogniser
    }

    private static let most = 3
    /// In steps of 10 ms: five minutes.
    private static let pause = 30_000
    /// Two hours.
    private static let longestPause = 720_000

    /// Turns in a row without words.
    package private(set) var count = 0
    private var isTold = false
    private var last = 0
    /// How many turns are answered, and how long it has to be quiet until more are.
    private var allowed = most
    private var pause = pause

    package init() {}

    /// The recogniser made words of a turn.
    package mutating func heard() {
        count = 0
        (allowed, pause) = (Self.most, Self.pause)
    }

    /// - Parameters:
    ///   - isClear: whether the talker expects an answer.
    ///   - resumes: whether the interrupted answer continues, which is answer enough.
    ///   - now: the step of the turn's end.
    /// - Returns: what to tell the user now; nil for nothing.
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
