internal import VoiceBase

/// The user's turns at a service that marks none and transcribes without names. The local voice detector marks them; words
/// belong to the turn that is open when they arrive, or else to the last one. Pure.
///
///     voice begins --> open --> voice ends --> last --> words stay out for 1.2 s --> reported whole
package struct HeardTurns: Equatable, Sendable {
    package struct Turn: Equatable, Sendable {
        package let item: String
        package fileprivate(set) var text = ""
        /// Where it ended, in ms of sent audio.
        package fileprivate(set) var end = 0
        package fileprivate(set) var endedAt = Duration.zero
        /// When it ended, or its last words arrived.
        package fileprivate(set) var settledAt = Duration.zero
        /// Its whole text was reported.
        fileprivate var isReported = false
    }

    /// The turn to which words of the service belong.
    package enum Place: Equatable, Sendable {
        /// No turn: the local detector heard no voice lately.
        case nowhere
        /// A turn so short that the local detector took it for noise.
        case newTurn
        case knownTurn
    }

    /// Words count if the local detector heard a voice within this long, in ms.
    private static let lateWords = 15_000
    /// Maximum length of a turn's words, in bytes: longer than any real turn.
    private static let longest = 16_000
    /// Maximum length of the reported text, in characters.
    private static let longestReport = 8000
    /// How long after a turn, or after its last words, more words may arrive.
    private static let moreWords = Duration.milliseconds(1200)

    package private(set) var open: Turn?
    package private(set) var last: Turn?

    package init() {}

    package mutating func began(_ item: String) { open = Turn(item: item) }

    /// The open turn ends.
    ///
    /// - Parameter place: in ms of sent audio.
    /// - Returns: its item; nil if none is open.
    package mutating func ended(at place: Int, now: Duration) -> String? {
        guard var ended = open else { return nil }
        open = nil
        (ended.end, ended.endedAt, ended.settledAt) = (place, now, now)
        last = ended
        return ended.item
    }

    /// - Parameter isSpeaking: whether the service speaks; words that arrive meanwhile begin no turn.
    package func place(_ voice: HeardVoice, isSpeaking: Bool) -> Place {
        guard voice.hasVoice(from: voice.position - Self.lateWords, to: voice.position) else { return .nowhere }
        guard open == nil, !isSpeaking else { return .knownTurn }
        let isNew = last.map { voice.hasVoice(from: $0.end + HeardVoice.hangover, to: voice.position) } ?? true
        return isNew ? .newTurn : .knownTurn
    }

    /// Adds words to the open turn, or else to the last.
    ///
    /// - Returns: the reports of them; none if there is no turn, or it is too long.
    package mutating func add(_ text: String, at now: Duration) -> [ServiceReport] {
        guard let turn = open ?? last, turn.text.utf8.count < Self.longest else { return [] }
        let part = ServiceReport.heard(item: turn.item, part: 0, text: text, isWhole: false)
        if open != nil {
            open?.text += text
            return [part]
        }
        last?.text += text
        last?.settledAt = now
        return [part] + (turn.isReported ? report(at: now, isDue: true, again: true) : [])
    }

    /// Reports the whole text of the last turn, once, when further words are not expected.
    package mutating func report(at now: Duration, isDue: Bool = false, again: Bool = false) -> [ServiceReport] {
        guard let turn = last, !turn.text.isEmpty, again || !turn.isReported,
            isDue || now - turn.settledAt >= Self.moreWords
        else { return [] }
        last?.isReported = true
        let text = String(turn.text.singleSpaced.prefix(Self.longestReport))
        return [.heard(item: turn.item, part: 0, text: text, isWhole: true)]
    }

    /// Restarts the wait for the last turn's words, as if its words had just arrived.
    package mutating func settle(at now: Duration) { last?.settledAt = now }

    /// The service gives other words for the last turn; ignored unless it had transcribed part of it.
    package mutating func correct(_ text: String) {
        guard last?.text.isEmpty == false else { return }
        last?.text = text
        last?.isReported = false
    }
}
