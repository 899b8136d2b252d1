/// Selects the sound in which stop words are searched: where a talker was heard, with what came shortly before and after. Pure.
///
/// Elsewhere `OwnVoice` refuses what PocketSphinx finds, so while the box speaks or plays music alone, the search costs nothing.
struct TalkerGate {
    /// Sound that still belongs to a talker's word, before and after the talker is heard: 1.2 s and 2 s, in samples at 16 kHz.
    static let before = 19_200
    static let after = 32_000

    struct Admitted {
        /// The sound to search now, the oldest first; empty if there is none.
        var sound: [Int16] = []
        /// Whether sound before it was left out.
        var followsGap = false
    }

    /// The newest sound that was not searched.
    private var kept: [Int16] = []
    private var hasGap = false
    /// Samples that are still searched although no talker is heard.
    private var remaining = Self.after

    /// - Parameters:
    ///   - samples: the newest sound.
    ///   - isTalkerHeard: whether a talker is heard in it, or the box is silent.
    mutating func admit(_ samples: UnsafeBufferPointer<Int16>, isTalkerHeard: Bool) -> Admitted {
        remaining = isTalkerHeard ? Self.after : max(0, remaining - samples.count)
        kept += samples
        guard remaining > 0 else {
            hasGap = hasGap || kept.count > Self.before
            kept.removeFirst(max(0, kept.count - Self.before))
            return Admitted()
        }
        defer { (kept, hasGap) = ([], false) }
        return Admitted(sound: kept, followsGap: hasGap)
    }
}
