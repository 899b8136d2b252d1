import Logging
import Testing
import VoiceConfiguration

@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork

struct ActivationControllerTests {
    /// Closing a sound card may take seconds. Who says "stop" meanwhile is not to wait for it.
    @Test(.timeLimit(.minutes(1))) func stopDoesNotWaitForADevice() async throws {
        let (mailbox, inbox, ports) = (EventMailbox(), ActivationInbox(), AudioPorts())
        let pump = NetworkConfined(VoicePump(ports, options: .init()) { _, _ in }, on: NetworkThread())
        let (closed, device) = AsyncStream.makeStream(of: Void.self)
        let (lights, light) = AsyncStream.makeStream(of: ActivationStatus.self)
        var parts = ActivationController.Parts(
            mailbox: mailbox,
            pump: pump,
            earcons: ports.earcons,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        parts.capture = { _ in for await _ in closed {} }
        parts.changed = { light.yield($0) }
        var options = ActivationMachine.Options()
        options.mode = .push
        let controller = ActivationController(parts, options: options, inbox: inbox)
        let running = Task { await controller.run() }

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
        // The light that says "muted" waits for the device.
        var shown = lights.makeAsyncIterator()
        #expect(await shown.next()?.isMuted == false)
        device.finish()
        #expect(await shown.next()?.isMuted == true)
        await running.value
    }
}
