/// A spoken question, for a microphone that is a file.
package enum SpokenQuestion {
    /// A 48 kHz mono 16-bit WAV of the text between two stretches of silence.
    ///
    /// - Parameters:
    ///   - leadMilliseconds: silence before the first word.
    ///   - tailMilliseconds: silence after the last word; voice detection needs it to end the turn.
    package static func wav48k(
        _ text: String,
        voice: SpokenVoice = .natural,
        leadMilliseconds: Int = 500,
        tailMilliseconds: Int = 1500
    ) -> [UInt8] {
        MonoWave.bytes(
            samples: samples48k(
                text, voice: voice, leadMilliseconds: leadMilliseconds, tailMilliseconds: tailMilliseconds
            ),
            rate: 48000
        )
    }

    /// The same as samples.
    package static func samples48k(
        _ text: String,
        voice: SpokenVoice = .natural,
        leadMilliseconds: Int = 500,
        tailMilliseconds: Int = 1500
    ) -> [Int16] {
        let speech = SpokenVoice.resample(voice.samples(text), from: 24000, to: 48000)
        return [Int16](repeating: 0, count: 48 * max(0, leadMilliseconds)) + speech
            + [Int16](repeating: 0, count: 48 * max(0, tailMilliseconds))
    }
}
