import VoiceBase
import VoiceConversation
import VoiceLive

/// A GPT-Live session: one message per line, with audio and silence in between.
enum LiveFuzz {
    private static let blocks: [[Int16]] = [
        [Int16](repeating: 0, count: 2400), (0..<2400).map { $0 % 48 < 24 ? 6000 : -6000 },
    ]

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var translator = LiveTranslator(LiveSettings(model: "gpt-live-1.1", instructions: "Be brief."))
        var now = Duration.zero
        var requests = 0
        func bound(_ effects: [LiveTranslator.Effect]) {
            precondition(effects.count <= 256, "one message leads to \(effects.count) effects")
        }
        bound(translator.connected())
        bound(translator.ask(.open(history: [.user("Hello."), .assistant("Yes?")]), at: now))
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(256) {
            let message = UnsafeRawBufferPointer(rebasing: line)
            if let audio = AudioDelta(message, of: AudioDelta.live, isNamed: false)?.audio {
                precondition(audio.lowerBound >= 0 && audio.upperBound <= message.count, "beyond the message")
            }
            if let event = LiveEventDecoder.decode(message) { bound(translator.receive(event, at: now)) }
            // The length of the line determines what happens in between.
            for _ in 0..<message.count % 8 {
                now += .milliseconds(100)
                bound(translator.sent(2400, isVoice: message.count & 16 != 0, at: now))
                let block = blocks[message.count >> 5 & 1]
                bound(block.withUnsafeBufferPointer { translator.sound($0, waiting: 0, at: now) })
                bound(translator.tick(at: now))
            }
            requests += 1
            switch message.count % 11 {
            case 0: bound(translator.ask(.tell("News.", .exactly), at: now))
            case 1: bound(translator.ask(.answer(call: "d\(requests % 3)", ToolResult(.done("Done."))), at: now))
            case 2: bound(translator.ask(.cancel(response: nil), at: now))
            case 3: bound(translator.ask(.respond(id: "q\(requests)", mayCall: false), at: now))
            default: break
            }
        }
        bound(translator.ask(.close, at: now))
    }
}
