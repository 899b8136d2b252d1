/// Detects which parts of the audio sent to a session were a voice in the room, according to this machine's microphone.
/// For services that detect turns but do not report when the user speaks. Pure.
///
/// Reads the audio thread's verdict on each piece of audio. The beginning and end of a turn are decided here, because the audio
/// thread does not know which audio was sent.
///
/// Time is counted in the audio sent, including silence sent in its place. If the service counts on the same timeline,
/// a word it heard can be matched with the voice heard here.
package struct HeardVoice: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        /// The position of the change, in ms.
        case began(Int)
        case ended(Int)
    }

    /// Onset of speech: 100 ms of voice within the last 240 ms; while the box speaks, 250 ms within the last 400 ms, so
    /// that neither a cough nor a short "mhm" interrupts it. In steps of 10 ms.
    private static let onset = (window: 24, voice: 10)
    private static let onsetOverSpeech = (window: 40, voice: 25)
    /// Silence that ends speech, in ms.
    package static let hangover = 700
    /// Maximum distance between a word and a voice that matches it, in ms.
    package static let reach = 300
    private static let most = 256

    private var samples = 0
    private var window = VoiceWindow()
    private var lastVoice: Int?
    package private(set) var isSpeaking = false
    /// Stretches with a voice, oldest first, in ms; bounded by dropping the oldest.
    private var spans: [Range<Int>] = []

    package init() {}

    /// Length of the audio sent to the session, in ms.
    package var position: Int { samples / 24 }

    /// Silence since the last voice, in ms; nil if there was no voice yet.
    package var silence: Int? { lastVoice.map { position - $0 } }

    /// Accounts for audio sent.
    /// - Parameters:
    ///   - count: number of samples at 24 kHz.
    ///   - overSpeech: whether the box is speaking.
    /// - Returns: a change, if any.
    package mutating func sent(_ count: Int, isVoice: Bool, overSpeech: Bool) -> Change? {
        let start = position
        samples += max(0, count)
        // In steps of 10 ms; a long piece fills the window at most once.
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

    /// Ends the user's turn, even if the voice continues.
    package mutating func endTurn() { isSpeaking = false }

    /// Whether there was a voice around this time range, in ms.
    package func hasVoice(from start: Int, to end: Int) -> Bool {
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
