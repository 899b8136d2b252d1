import VoiceBase
import VoiceConversation
import VoiceGemini

/// A Gemini Live session: one message per line, with sound, silence and requests in between.
enum GeminiFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var start = GeminiStart(tag: "g")
        if bytes.count & 1 != 0 {
            start.handle = "h"
            start.lostCalls = [GeminiCall(id: "fc_0", name: "ask_jarvis")]
        }
        var translator = GeminiTranslator(GeminiSettings(), start)
        let downlink = Downlink()
        var now = Duration.zero
        var requests = 0
        func bound(_ effects: [GeminiTranslator.Effect]) {
            precondition(effects.count <= 256, "one message leads to \(effects.count) effects")
        }
        bound(translator.connected())
        bound(translator.ask(.open(history: [.user("Hello."), .assistant("Yes?")]), at: now))
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(256) {
            let message = UnsafeRawBufferPointer(rebasing: line)
            for case .range(let range) in GeminiDecoder.decode(message)?.sounds.map(\.data) ?? [] {
                precondition(range.lowerBound >= 0 && range.upperBound <= message.count, "beyond the message")
            }
            if let effects = translator.read(message, downlink, at: now) {
                bound(effects)
                for case .play(let range, _) in effects {
                    precondition(range.upperBound <= downlink.samples.count, "no such sound")
                }
            }
            // The length of the line determines what happens in between.
            for _ in 0..<message.count % 8 {
                now += .milliseconds(100)
                bound(translator.sent(2400, isVoice: message.count & 16 != 0, at: now))
                bound(translator.tick(at: now, isPlaying: message.count & 32 != 0))
            }
            requests += 1
            switch message.count % 11 {
            case 0: bound(translator.ask(.tell("News.", .exactly), at: now))
            case 1: bound(translator.ask(.answer(call: "fc_\(requests % 3)", ToolResult(.done("Done."))), at: now))
            case 2: bound(translator.ask(.cancel(response: nil), at: now))
            case 3: bound(translator.ask(.respond(id: "q\(requests)", mayCall: false), at: now))
            case 4: bound(translator.ask(.truncate(item: "g-1m", part: 0, heard: 100, of: 900), at: now))
            default: break
            }
            _ = translator.loss(isLost: true)
        }
        bound(translator.ask(.close, at: now))
    }
}
