internal import VoiceBase

/// Tokens of one response (`response.done`); the account is charged for cancelled ones too.
///
/// Cached tokens are part of the input, and reasoning tokens part of the text output.
package struct Usage: Equatable, Sendable {
    package var textIn: Int
    package var audioIn: Int
    package var cachedTextIn: Int
    package var cachedAudioIn: Int
    package var textOut: Int
    package var audioOut: Int

    package init(
        textIn: Int = 0,
        audioIn: Int = 0,
        cachedTextIn: Int = 0,
        cachedAudioIn: Int = 0,
        textOut: Int = 0,
        audioOut: Int = 0
    ) {
        self.textIn = textIn
        self.audioIn = audioIn
        self.cachedTextIn = cachedTextIn
        self.cachedAudioIn = cachedAudioIn
        self.textOut = textOut
        self.audioOut = audioOut
    }

    package var outputTokens: Int { textOut + audioOut }
}

/// Usage of transcribing one turn of the user: seconds of audio, or tokens.
package enum TranscriptionUsage: Equatable, Sendable {
    case seconds(Double)
    /// Audio in, text in, text out.
    case tokens(audioIn: Int, textIn: Int, textOut: Int)
}

extension Usage {
    /// More than any session can hold: a higher count is the sender's mistake.
    private static let most = 100_000_000

    /// Reads the `usage` object of a response.
    ///
    /// If the service reports only totals, input counts as uncached audio and output as audio, the dearest kinds. Cached
    /// tokens of unstated kind are split in the ratio of the input.
    init?(_ wire: JSONValue) {
        guard case .object = wire else { return nil }
        func count(_ value: JSONValue?) -> Int? { (value?.intValue).map { min(max($0, 0), Self.most) } }
        let details = wire["input_token_details"]
        let text = count(details?["text_tokens"])
        // Images are priced differently, and this program sends none.
        let audio = count(details?["audio_tokens"])
        textIn = text ?? 0
        audioIn = audio ?? (text == nil ? count(wire["input_tokens"]) ?? 0 : 0)
        let cached = details?["cached_tokens_details"]
        cachedTextIn = count(cached?["text_tokens"]) ?? 0
        cachedAudioIn = count(cached?["audio_tokens"]) ?? 0
        if cached?.isObject != true, let all = count(details?["cached_tokens"]), textIn + audioIn > 0 {
            cachedTextIn = Int(Double(all) * Double(textIn) / Double(textIn + audioIn))
            cachedAudioIn = all - cachedTextIn
        }
        cachedTextIn = min(cachedTextIn, textIn)
        cachedAudioIn = min(cachedAudioIn, audioIn)
        let out = wire["output_token_details"]
        let textOut = count(out?["text_tokens"])
        let audioOut = count(out?["audio_tokens"])
        self.textOut = textOut ?? 0
        self.audioOut = audioOut ?? (textOut == nil ? count(wire["output_tokens"]) ?? 0 : 0)
    }
}

extension TranscriptionUsage {
    /// Reads the `usage` object of a finished transcription.
    init?(_ wire: JSONValue) {
        if let seconds = wire["seconds"]?.doubleValue {
            guard seconds.isFinite, (0...86_400).contains(seconds) else { return nil }
            self = .seconds(seconds)
        } else if let usage = Usage(wire), wire["input_tokens"] != nil || wire["output_tokens"] != nil {
            self = .tokens(audioIn: usage.audioIn, textIn: usage.textIn, textOut: usage.outputTokens)
        } else {
            return nil
        }
    }
}
