internal import VoiceBase

/// Decides whether a stop word was a remark of its own or part of a sentence, from the quiet around it and its level. Pure.
///
/// An engine that takes any word of a dictionary mistakes much of a talk for "stop", but hardly any of that has quiet
/// on both sides. A remark in which the word was found twice, or more often, may be twice as long: "Stop, stop!"
struct StopWordFilter: Equatable, Sendable {
    /// Quiet wanted after the word. The engine reports a word some 100 ms after its end anyway.
    static let quiet = 200
    /// Shortest remark that counts as a word, in milliseconds: a click is shorter.
    static let shortest = 150
    /// Longest wait for the quiet, from the last find of the word.
    static let patience = Duration.milliseconds(370)
    /// Time after a refusal in which the word, found again, counts as its repetition.
    static let again = Duration.seconds(1)
    /// For a word below its threshold: its least level, in dBFS, and by how much it must be louder than the seconds
    /// before it, in dB. In a talk, sounds that resemble the word follow others as loud.
    static let leastWeak = -50.0
    static let standsOut = 20.0

    /// Length of the word when said slowly, in milliseconds.
    private let longest: Int
    private var isRepeated: Bool
    /// Whether every find of the word scored below the threshold that applies in silence.
    private(set) var isWeak: Bool
    private var until: Duration

    /// - Parameters:
    ///   - isRepeated: whether the word was found and refused a short while ago.
    ///   - isWeak: whether the find scored below the threshold that applies in silence.
    init(_ word: String, at now: Duration, isRepeated: Bool = false, isWeak: Bool = false) {
        self.isRepeated = isRepeated
        self.isWeak = isWeak
        // 0.8 s for "stop", 1.3 s for "never mind".
        longest = 400 + 100 * word.count(where: { $0 != " " })
        until = now + Self.patience
    }

    /// The word was found once more before it was decided.
    mutating func foundAgain(at now: Duration, isWeak: Bool = false) {
        isRepeated = true
        self.isWeak = self.isWeak && isWeak
        until = now + Self.patience
    }

    /// Whether a word below its threshold may count anyway.
    static func standsOut(_ remark: Remark) -> Bool { remark.overBefore >= standsOut && remark.level >= leastWeak }

    /// - Returns: nil while undecided.
    func isAlone(_ remark: Remark?, at now: Duration) -> Bool? {
        guard let remark, remark.length <= (isRepeated ? 2 : 1) * longest else { return false }
        if remark.quiet >= Self.quiet { return remark.length >= Self.shortest }
        return now >= until ? false : nil
    }
}
