import Testing

@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceConversation

struct ActivationInboxTests {
    private static func full() -> (ActivationInbox, SilenceOrders) {
        let silence = SilenceOrders()
        let inbox = ActivationInbox(silence: silence)
        for _ in 0..<ActivationInbox.capacity + 10 { inbox.post(.activate(.button)) }
        return (inbox, silence)
    }

    /// Whatever waits: what stops or ends is accepted, and the sound ends before it is read.
    @Test(
        arguments: [
            .stop(isSpoken: true), .stopAll, .silence, .mute(true), .toggleMute, .end, .quiet(true),
            .conversation(.idle),
            .timer(.close), .rings(false),
        ] as [ActivationEvent]
    )
    func aFullInboxAcceptsOrders(order: ActivationEvent) async {
        let (inbox, _) = Self.full()
        inbox.post(order)
        inbox.close()
        var read: [ActivationEvent] = []
        for await envelope in inbox.envelopes { read.append(envelope.event) }
        #expect(read.count == ActivationInbox.capacity + 1)
        #expect(read.last == order)
    }

    @Test(
        arguments: [
            (.stop(isSpoken: true), true, true, true), (.stop(isSpoken: false), true, true, true),
            (.stopAll, true, true, true),
            (.silence, true, false, true), (.activate(.button), false, false, false), (.end, false, false, false),
        ] as [(ActivationEvent, Bool, Bool, Bool)]
    )
    func anOrderSilencesBeforeItIsRead(order: ActivationEvent, voice: Bool, media: Bool, ring: Bool) {
        let (inbox, silence) = Self.full()
        let given = inbox.post(order)
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
