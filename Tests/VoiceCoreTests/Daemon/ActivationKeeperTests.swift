import Logging
import Testing

@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork

struct ActivationKeeperTests {
    /// Closing a sound card may take seconds. Who says "stop" meanwhile is not to wait for it.
    @Test(.timeLimit(.minutes(1))) func stopDoesNotWaitForADevice() async throws {
        let (mailbox, inbox, pipes) = (EventMailbox(), ActivationInbox(), AudioPipes())
        let pump = NetworkConfined(VoicePump(pipes: pipes, options: .init()) { _, _ in }, on: NetworkThread())
        let (closed, device) = AsyncStream.makeStream(of: Void.self)
        let (lights, light) = AsyncStream.makeStream(of: ActivationStatus.self)
        var parts = ActivationKeeper.Parts(
            mailbox: mailbox,
            pump: pump,
            pipes: pipes,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        parts.capture = { _ in for await _ in closed {} }
        parts.changed = { light.yield($0) }
        var options = ActivationMachine.Options()
        options.mode = .push
        let keeper = ActivationKeeper(parts, options: options, inbox: inbox)
        let running = Task { await keeper.run() }

        inbox.post(.start)
        inbox.post(.mute(true))
        inbox.post(.ask("What time is it?"))
        inbox.post(.silence)
        inbox.post(.stop(isSpoken: true))
        inbox.close()
        var heard: [ConversationEvent] = []
        for await letter in mailbox.letters {
            heard.append(letter.event)
            if letter.event == .stop(isSpoken: true) { break }
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
