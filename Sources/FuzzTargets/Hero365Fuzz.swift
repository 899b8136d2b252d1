import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceOpus

/// Messages of Hero365, and the sound in them.
enum Hero365Fuzz {
    /// Whatever a line of the input says is read, put in order and decoded; bytes that are no message are sound.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var translator = Hero365Translator(Hero365Settings(), session: "fuzz")
        let voice = Hero365Voice()
        _ = translator.connected()
        _ = translator.ask(.open(history: []), at: .zero)
        var now = Duration.zero
        for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 200) {
            now += .milliseconds(50)
            let part = UnsafeRawBufferPointer(rebasing: line)
            if let envelope = Hero365Decoder.decode(part) {
                for effect in translator.take(envelope, at: now) + translator.tick(at: now) {
                    switch effect {
                    case .play(let sound, _): _ = voice.samples(sound)
                    case .conceal(let count, let next, _):
                        precondition(voice.conceal(count, before: next).count <= 24_000, "too much is made up")
                    default: break
                    }
                }
            }
            for form in [Hero365Sound.Form.opus, .pcm(16_000), .wav] {
                _ = voice.samples(Hero365Sound(form, Array(part)))
            }
        }
    }
}
