internal import VoiceBase

/// Decides whether a stop word was a remark of its own or part of a sentence, from the quiet around it. Pure.
///
/// An engine that takes any word of a dictionary takes much of a talk for "stop"; hardly any of that has quiet on both
/// sides. A remark in which the word was found twice, or more often, may be twice as long: "Stop, stop!"
struct LoneStop: Equatable, Sendable {
    /// Quiet wanted after the word. The engine reports a word some 100 ms after its end anyway.
    static let quiet = 200
    /// Shortest remark that is taken for a word, in milliseconds: a click is shorter.
    static let shortest = 150
    /// How long the quiet may be waited for, from when the word was found last.
    static let patience = Duration.milliseconds(320)
    /// Time after a refusal in which the word, found again, is taken for its repetition.
    static let again = Duration.seconds(1)

    /// Length of the word when said slowly, in milliseconds.
    private let longest: Int
    private var isRepeated: Bool
    private var until: Duration

    /// - Parameter isRepeated: whether the word was found and refused a short while ago.
    init(_ word: String, at now: Duration, isRepeated: Bool = false) {
        self.isRepeated = isRepeated
        // 0.8 s for "stop", 1.3 s for "never mind".
        longest = 400 + 100 * word.count(where: { $0 != " " })
        until = now + Self.patience
    }

    /// The word was found once more before it was decided.
    mutating func foundAgain(at now: Duration) {
        isRepeated = true
        until = now + Self.patience
    }

    /// - Returns: nil while that is open.
    func isAlone(_ remark: Remark?, at now: Duration) -> Bool? {
        guard let remark, remark.length <= (isRepeated ? 2 : 1) * longest else { return false }
        if remark.quiet >= Self.quiet { return remark.length >= Self.shortest }
        return now >= until ? false : nil
    }
}
