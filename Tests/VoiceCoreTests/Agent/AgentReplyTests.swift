import Testing

@testable import TestSupport
@testable import VoiceAgent

struct AgentReplyTests {
    @Test func endOfAReplyIsNeverDropped() async {
        let (reply, parts) = AgentReply.makeStream(bufferingPolicy: .bufferingNewest(AgentPart.most))
        for number in 1...100 { parts.yield(.says("\(number)")) }
        parts.yield(.ended(JarvisAnswer(failure: .busy)))
        var said: [String] = []
        let listener = AgentListener { if case .says(let words) = $0 { said.append(words) } }
        #expect(await reply.answer(to: listener).failure == .busy)
        #expect(said == (38...100).map(String.init))
    }

    @Test func cancelledReaderGetsNoAnswer() async {
        let (reply, parts) = AgentReply.makeStream()
        let reader = Task { await reply.answer() }
        reader.cancel()
        #expect(await reader.value.failure == .cancelled)
        parts.finish()
    }
}
