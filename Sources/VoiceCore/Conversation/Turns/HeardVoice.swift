/// What of the sound that a session was sent was a voice in the room, by the microphone of this machine: for services that
/// take the turn and do not say when the user speaks. Pure.
///
/// Its time is the sound itself, silence in place of sound included. Where the service counts on the same line, a word that it
/// has heard can be laid over what was heard here.
struct HeardVoice: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        /// At this place, in ms.
        case began(Int)
        case ended(Int)
    }

    /// Voice of the last 240 ms, in ms, that is the beginning of speech; and of the last 400 ms while the box itself speaks,
    /// so that neither a cough nor a short "mhm" takes the word from it.
    private static let onset = (window: 24, voice: 10)
    private static let onsetOverSpeech = (window: 40, voice: 25)
    /// Silence that ends it, in ms.
    static let hangover = 700
    /// How far a word may lie beside the voice, in ms.
    static let reach = 300
    private static let most = 256

    private var samples = 0
    private var window = VoiceWindow()
    private var lastVoice: Int?
    private(set) var isSpeaking = false
    /// Stretches with a voice, oldest first, in ms; the oldest goes.
    private var spans: [Range<Int>] = []

    /// How much the session was sent, in ms.
    var position: Int { samples / 24 }

    /// Silence since the last voice, in ms; nil where none was heard yet.
    var silence: Int? { lastVoice.map { position - $0 } }

    /// So many samples were sent.
    /// - Parameter overSpeech: the box speaks.
    mutating func sent(_ count: Int, isVoice: Bool, overSpeech: Bool) -> Change? {
        let start = position
        samples += max(0, count)
        // Steps of 10 ms; of a long piece the last that the window holds.
        for _ in 0..<min(64, max(0, position / 10 - start / 10)) { window.add(isVoice) }
        if isVoice {
            lastVoice = position
            extend(start..<max(start + 1, position))
        }
        if isSpeaking {
            guard let silence, silence >= Self.hangover else { return nil }
            isSpeaking = false
            return .ended(position - silence)
        }
        let onset = overSpeech ? Self.onsetOverSpeech : Self.onset
        guard isVoice, window.count(in: onset.window) >= onset.voice else { return nil }
        isSpeaking = true
        return .began(max(0, position - 10 * onset.window))
    }

    /// His turn counts as over, though his voice may go on.
    mutating func endTurn() { isSpeaking = false }

    /// Whether a voice was heard around these times, in ms.
    func hasVoice(from start: Int, to end: Int) -> Bool {
        let (from, to) = (start - Self.reach, end + Self.reach)
        return spans.contains { $0.lowerBound <= to && $0.upperBound >= from }
    }

    private mutating func extend(_ span: Range<Int>) {
        if let last = spans.last, span.lowerBound - last.upperBound <= 40 {
            spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            return
        }
        spans.append(span)
        if spans.count > Self.most { spans.removeFirst() }
    }
}
