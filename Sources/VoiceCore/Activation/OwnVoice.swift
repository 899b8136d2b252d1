internal import VoiceBase

/// Decides whether a stop word was the box's own, before its echo is known. Pure.
///
/// At the start of the first answer the canceller removes little, and an engine that takes any word of a dictionary
/// finds "stop" in what the box itself says: the answer would end with its first word. Whoever is heard over it opens the
/// gate, unless that is still shut for everybody. Once the echo is known, what is left of it is too faint for a word.
struct OwnVoice: Equatable, Sendable {
    /// What is heard was captured up to this long before it is judged, while `isAlone` is of the present.
    static let lateness = Duration.milliseconds(150)
    /// Length of a word whose remark is unknown, in milliseconds.
    static let word = 400
    /// Speech makes its echo known within 6 s. If it is unknown for longer, as of tones, or of a loudspeaker that is too late
    /// for the search, people must be heard all the same.
    static let longest = Duration.seconds(6)

    private var since: Duration?

    /// - Parameter isAlone: whether only the box itself is heard at present.
    mutating func note(_ isAlone: Bool, at now: Duration) {
        since = isAlone ? since ?? now : nil
    }

    /// - Returns: whether only the box itself was heard for as long as the remark lasts.
    func said(_ remark: Remark?, at now: Duration) -> Bool {
        guard let since, now - since <= Self.longest else { return false }
        let length = remark.map { $0.length + $0.quiet } ?? Self.word
        return since <= now - .milliseconds(length) + Self.lateness
    }
}
