import VoiceBase
import VoiceConversation
import VoiceHero365
import VoiceNetwork

/// Messages of Hero365, and the audio in them.
enum Hero365Fuzz {
    /// Each line of the input is parsed, sequenced and decoded as a message, and also decoded as audio.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var translator = Hero365Translator(Hero365Settings(), session: "fuzz")
        let decoder = try? OpusSpeechDecoder(rate: AudioFormat.wireRate)
        func decode(_ sound: [UInt8]) {
            for packet in OpusPayload.packets(sound) ?? [] { _ = try? decoder?.decode(packet) }
            guard let wave = WaveBytes(sound) else { return }
            precondition((8000...48_000).contains(wave.rate) && wave.sound.count < sound.count, "no sound of this file")
        }
        _ = translator.connected()
        _ = translator.ask(.open(history: []), at: .zero)
        var now = Duration.zero
        for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 200) {
            now += .milliseconds(50)
            let part = UnsafeRawBufferPointer(rebasing: line)
            if let envelope = Hero365Decoder.decode(part) {
                for effect in translator.receive(envelope, at: now) + translator.tick(at: now) {
                    switch effect {
                    case .own(.play(let sound, _)): decode(sound.bytes)
                    case .own(.conceal(let count, let next, _)):
                        let behind = next.flatMap { OpusPayload.packets($0.bytes)?.first }
                        let most = AudioFormat.wireRate * OpusSpeechDecoder.longestGap / 1000
                        let made = try? decoder?.conceal(min(most, max(0, count) * 480), before: behind)
                        precondition((made?.count ?? 0) <= 24_000, "too much is made up")
                    default: break
                    }
                }
            }
            decode(Array(part))
        }
    }
}
