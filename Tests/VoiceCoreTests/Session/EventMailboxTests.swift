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

    /// A service that floods the mailbox loses its session; no order of the user, and no end, is refused for it.
    @Test func onlyEventsOfAServiceAreRefused() async {
        let mailbox = EventMailbox()
        let flood = ConversationEvent.service(.unknown("x"))
        for _ in 0..<EventMailbox.capacity + 5 { mailbox.post(flood, connection: 1) }
        #expect(mailbox.lost == 5)
        mailbox.post(.voiceReceived(responseID: "r", itemID: "i"))
        #expect(mailbox.lost == 6)
        mailbox.post(.stop(isSpoken: false))
        mailbox.post(.disconnected(LinkFailure(.transient, "gone")), connection: 1)
        mailbox.close()
        var read: [ConversationEvent] = []
        for await envelope in mailbox.envelopes {
            mailbox.received(envelope)
            if envelope.event != flood { read.append(envelope.event) }
        }
        #expect(read == [.stop(isSpoken: false), .disconnected(LinkFailure(.transient, "gone"))])
        #expect(mailbox.wasOverrun())
        #expect(!mailbox.wasOverrun())
    }

    @Test func whatWasReadMakesRoom() {
        let mailbox = EventMailbox()
        let envelope = EventMailbox.Envelope(event: .service(.unknown("x")), at: .zero, connection: 1)
        for _ in 0..<2 * EventMailbox.capacity {
            mailbox.post(envelope.event, connection: 1)
            mailbox.received(envelope)
        }
        #expect(mailbox.lost == 0 && !mailbox.wasOverrun())
    }
}
