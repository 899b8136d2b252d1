internal import VoiceAudio
internal import VoiceBase

/// Decides whether a stop word was the box's own: no talker was heard while it lasted. Pure.
///
/// Reads the audio thread's verdict, `EchoTalker`, and how long it has held, because a word is reported only after its end.
///
/// An engine that finds any word of a dictionary finds "stop" in the residual echo of the box's voice. While a talker
/// cannot be told from the echo, only the find of a model counts, which is seldom mistaken.
struct OwnVoice: Equatable, Sendable {
    /// Audio reaches this check up to this much later than the canceller's judgement.
    static let lateness = Duration.milliseconds(150)
    /// Length of a word whose remark is unknown, in milliseconds.
    static let word = 400

    private var absent: Duration?
    private var unheard: Duration?

    mutating func note(_ talker: EchoTalker, at now: Duration) {
        absent = talker == .absent ? absent ?? now : nil
        unheard = talker == .heard ? nil : unheard ?? now
    }

    /// - Parameter isOfModel: whether a model of the word has found it.
    /// - Returns: whether no talker was heard for as long as the remark lasts.
    func said(_ remark: Remark?, isOfModel: Bool, at now: Duration) -> Bool {
        guard let since = isOfModel ? absent : unheard else { return false }
        let length = remark.map { $0.length + $0.quiet } ?? Self.word
        return since <= now - .milliseconds(length) + Self.lateness
    }
}
