internal import FoundationEssentials
internal import VoiceActivation
internal import VoiceBase
internal import VoiceNetwork

/// Recordings of words, over which the doctor runs the models of these words. `scripts/wake-samples` makes them with
/// espeak-ng; they contain no person's voice.
enum WakeSamples {
    /// Returns the recording of a word, mono, 16 kHz; empty if there is none.
    static func samples(of word: String) -> [Int16] {
        guard let text = audio[Configuration.Word.plain(word)], let bytes = Data(base64Encoded: text),
            let packets = OpusPayload.packets(Array(bytes)),
            let decoder = try? OpusSpeechDecoder(rate: WakeRecording.rate)
        else { return [] }
        return packets.flatMap { (try? decoder.decode($0)) ?? [] }
    }
}
