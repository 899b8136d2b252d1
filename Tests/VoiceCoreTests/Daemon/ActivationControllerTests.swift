import Logging
import Testing
import VoiceConfiguration

@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork

struct ActivationControllerTests {
    private static func parts(_ mailbox: EventMailbox) -> ActivationController.Parts {
        let ports = AudioPorts()
        return ActivationController.Parts(
            mailbox: mailbox,
            pump: NetworkConfined(VoicePump(ports, options: .init()) { _, _ in }, on: NetworkThread()),
            earcons: ports.earcons,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static func run(_ parts: ActivationController.Parts, _ inbox: ActivationInbox) -> Task<Void, Never> {
        var options = ActivationMachine.Options()
        options.mode = .push
        let controller = ActivationController(parts, options: options, inbox: inbox)
        return Task { await controller.run() }
    }

    /// Silencing is immediate even if earlier tasks hang: commands reach all of its parts through the inbox.
    @Test(.timeLimit(.minutes(1))) func silenceDoesNotWaitForADevice() async throws {
        let (mailbox, inbox) = (EventMailbox(), ActivationInbox())
        let (closed, device) = AsyncStream.makeStream(of: Void.self)
        let (steps, step) = AsyncStream.makeStream(of: String.self)
        var parts = Self.parts(mailbox)
        parts.silenceMicrophone = { step.yield("silent") }
        parts.capture = { isOpen in
            for await _ in closed {}
            step.yield(isOpen ? "open" : "closed")
        }
        parts.endMedia = { step.yield("ended") }
        parts.startFresh = { step.yield("fresh") }
        let running = Self.run(parts, inbox)

        var seen = steps.makeAsyncIterator()
        inbox.post(.start)
        inbox.post(.mute(true))
        #expect(await seen.next() == "silent")
        inbox.post(.stopAll)
        #expect(await seen.next() == "ended")
        inbox.post(.startFresh)
        #expect(await seen.next() == "fresh")
        // Unmuted and muted again before the device was closed: it is never opened.
        inbox.post(.mute(false))
        inbox.post(.toggleMute)
        #expect(await seen.next() == "silent")
        inbox.close()
        device.finish()
        await running.value
        step.finish()
        var rest: [String] = []
        while let next = await seen.next() { rest.append(next) }
        #expect(rest == ["closed", "closed"])
    }

    /// A command does not overtake the quiet hours that were ordered before it.
    @Test(.timeLimit(.minutes(1))) func theBoxsOwnVoiceSpeaksWhileNoSessionDoes() async throws {
        let (mailbox, inbox) = (EventMailbox(), ActivationInbox())
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        var parts = Self.parts(mailbox)
        parts.announce = { text.yield($0) }
        let running = Self.run(parts, inbox)
        inbox.post(.say("Without a session."))
        inbox.post(.activate(.command))
        inbox.post(.conversation(.connecting))
        inbox.post(.say("Before it is open."))
        inbox.post(.conversation(.listening))
        inbox.post(.say("In the session."))
        inbox.post(.quiet(true))
        inbox.post(.say("In quiet hours."))
        inbox.post(.conversation(.idle))
        inbox.post(.say("In quiet hours, too."))
        inbox.close()
        await running.value
        text.finish()
        var said: [String] = []
        for await text in texts { said.append(text) }
        #expect(said == ["Without a session.", "Before it is open."])
    }

    /// Between conversations others may have the loudspeaker, unless the microphone is open all the time.
    @Test(.timeLimit(.minutes(1))) func theLoudspeakerMayRestBetweenConversations() async throws {
        let (mailbox, inbox) = (EventMailbox(), ActivationInbox())
        let (rests, rest) = AsyncStream.makeStream(of: Bool.self)
        var parts = Self.parts(mailbox)
        parts.mayRestLoudspeaker = { rest.yield($0) }
        let running = Self.run(parts, inbox)
        for event: ActivationEvent in [
            .start, .activate(.command), .conversation(.connecting), .conversation(.listening),
            .conversation(.waitingForJarvis), .conversation(.idle), .conversation(.error("key")),
            .setMode(.always), .conversation(.idle),
        ] { inbox.post(event) }
        inbox.close()
        await running.value
        rest.finish()
        var told: [Bool] = []
        for await mayRest in rests { told.append(mayRest) }
        #expect(told == [true, true, false, false, false, true, true, false, false])
    }

    /// Closing a sound card may take seconds. "Stop" must not wait for that.
    @Test(.timeLimit(.minutes(1))) func stopDoesNotWaitForADevice() async throws {
        let (mailbox, inbox) = (EventMailbox(), ActivationInbox())
        let (closed, device) = AsyncStream.makeStream(of: Void.self)
        let (lights, light) = AsyncStream.makeStream(of: ActivationStatus.self)
        var parts = Self.parts(mailbox)
        parts.capture = { _ in for await _ in closed {} }
        parts.changed = { light.yield($0) }
        let running = Self.run(parts, inbox)

        inbox.post(.start)
        inbox.post(.mute(true))
        inbox.post(.ask("What time is it?"))
        inbox.post(.silence)
        inbox.post(.stop(isSpoken: true))
        inbox.close()
        var heard: [ConversationEvent] = []
        for await envelope in mailbox.envelopes {
            heard.append(envelope.event)
            if envelope.event == .stop(isSpoken: true) { break }
        }
        #expect(
            heard == [
                .keepsOpen(false), .activate, .ask("What time is it?"), .stop(isSpoken: false), .stop(isSpoken: true),
            ]
        )
        // The light that shows "muted" waits for the device.
        var shown = lights.makeAsyncIterator()
        #expect(await shown.next()?.isMuted == false)
        device.finish()
        #expect(await shown.next()?.isMuted == true)
        await running.value
    }
}
