import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

struct EventMailboxTests {
    @Test func eventsAreReadInOrderToTheEnd() async {
        let mailbox = EventMailbox()
        mailbox.post(.activate, at: .seconds(1))
        mailbox.post(.interrupt, at: .seconds(2), connection: 7)
        mailbox.close()
        var read: [(EventMailbox.Event, Duration, Int?)] = []
        for await envelope in mailbox.envelopes { read.append((envelope.event, envelope.at, envelope.connection)) }
        #expect(read.map(\.0) == [.conversation(.activate), .conversation(.interrupt)])
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
        var read: [EventMailbox.Event] = []
        for await envelope in mailbox.envelopes {
            mailbox.received(envelope)
            if envelope.event != .conversation(flood) { read.append(envelope.event) }
        }
        let end = ConversationEvent.disconnected(LinkFailure(.transient, "gone"))
        #expect(read == [.conversation(.stop(isSpoken: false)), .conversation(end)])
        #expect(mailbox.wasOverrun())
        #expect(!mailbox.wasOverrun())
    }

    @Test func readEventsMakeRoom() {
        let mailbox = EventMailbox()
        let envelope = EventMailbox.Envelope(event: .conversation(.service(.unknown("x"))), at: .zero, connection: 1)
        for _ in 0..<2 * EventMailbox.capacity {
            mailbox.post(.service(.unknown("x")), connection: 1)
            mailbox.received(envelope)
        }
        #expect(mailbox.lost == 0 && !mailbox.wasOverrun())
    }

    // MARK: Activation

    private static func full() -> (EventMailbox, SilenceOrders) {
        let silence = SilenceOrders()
        let mailbox = EventMailbox(silence: silence)
        for _ in 0..<EventMailbox.wishes + 10 { mailbox.post(activation: .activate(.button)) }
        return (mailbox, silence)
    }

    /// Whatever waits: what stops or ends is accepted, and the sound ends before it is read.
    @Test(
        arguments: [
            .stop(isSpoken: true), .stopAll, .silence, .mute(true), .toggleMute, .quiet(true),
            .conversation(.idle), .timer(.close), .rings(false),
        ] as [ActivationEvent]
    )
    func waitingRequestsDoNotRefuseAnOrder(order: ActivationEvent) async {
        let (mailbox, _) = Self.full()
        mailbox.post(activation: order)
        mailbox.close()
        var read: [EventMailbox.Event] = []
        for await envelope in mailbox.envelopes { read.append(envelope.event) }
        #expect(read.count == EventMailbox.wishes + 1)
        #expect(read.last == .activation(order))
    }

    @Test(
        arguments: [
            (.stop(isSpoken: true), true, true, true), (.stop(isSpoken: false), true, true, true),
            (.stopAll, true, true, true),
            (.silence, true, false, true), (.activate(.button), false, false, false),
        ] as [(ActivationEvent, Bool, Bool, Bool)]
    )
    func anOrderSilencesBeforeItIsRead(order: ActivationEvent, voice: Bool, media: Bool, ring: Bool) {
        let (mailbox, silence) = Self.full()
        let given = mailbox.post(activation: order)
        #expect((given != nil) == voice)
        #expect(silence.isVoiceSilenced == voice)
        #expect(silence.isMediaSilenced == media)
        #expect(silence.isRingSilenced == ring)
        given?.lift([.voice, .media, .ring])
        #expect(!silence.isVoiceSilenced && !silence.isMediaSilenced && !silence.isRingSilenced)
    }

    @Test func anEarlierOrderDoesNotLiftALaterOne() {
        let silence = SilenceOrders()
        let first = silence.give(.voice)
        let second = silence.give(.voice)
        first.lift(.voice)
        #expect(silence.isVoiceSilenced)
        second.lift(.voice)
        #expect(!silence.isVoiceSilenced)
    }
}
