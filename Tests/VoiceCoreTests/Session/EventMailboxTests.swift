import Testing

@testable import VoiceConversation
@testable import VoiceCore

struct EventMailboxTests {
    @Test func lettersAreReadInTheirOrderAndTheEndIsReached() async {
        let mailbox = EventMailbox()
        mailbox.post(.activate, at: .seconds(1))
        mailbox.post(.interrupt, at: .seconds(2), connection: 7)
        mailbox.close()
        var read: [(ConversationEvent, Duration, Int?)] = []
        for await envelope in mailbox.envelopes { read.append((envelope.event, envelope.at, envelope.connection)) }
        #expect(read.map(\.0) == [.activate, .interrupt])
        #expect(read.map(\.1) == [.seconds(1), .seconds(2)])
        #expect(read.map(\.2) == [nil, 7])
        #expect(mailbox.lost == 0)
    }

    @Test func whatDoesNotFitIsCounted() {
        let mailbox = EventMailbox()
        for _ in 0..<EventMailbox.capacity + 5 { mailbox.post(.interrupt) }
        #expect(mailbox.lost == 5)
    }
}
