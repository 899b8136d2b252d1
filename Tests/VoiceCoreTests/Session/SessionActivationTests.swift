import Logging
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// The beginning and end of conversations, with the conversation.
struct SessionActivationTests {
    private static func service(_ configuration: Configuration = Configuration()) throws -> RealtimeService {
        let environment = ["OPENAI_API_KEY": "sk-x", "JARVIS_TOKEN": "x"]
        let secrets = try Secrets(configuration: configuration, environment: environment)
        return try RealtimeService(configuration, secrets: secrets, instructions: "", tools: [])
    }

    /// A box that listens when called, with a service that cannot be reached.
    private static func run(
        _ mailbox: EventMailbox,
        observer: ConversationSession.Observer = .init(),
        _ change: (inout ActivationParts) -> Void
    ) throws -> Task<Void, Never> {
        var options = ActivationMachine.Options()
        options.mode = .push
        var activation = ActivationParts(options)
        change(&activation)
        let session = session(NetworkThread(), try service(), mailbox, activation, observer)
        return Task {
            await session.run()
            await session.finishChores()
        }
    }

    private static func session(
        _ network: NetworkThread,
        _ service: RealtimeService,
        _ mailbox: EventMailbox,
        _ activation: ActivationParts,
        _ observer: ConversationSession.Observer = .init(),
        substitutes: [RealtimeService] = [],
        pump: NetworkConfined<VoicePump>? = nil,
        ports: AudioPorts = AudioPorts(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) -> ConversationSession {
        ConversationSession(
            .init(
                network: network,
                pump: pump ?? NetworkConfined(VoicePump(ports, options: .init()) { _, _ in }, on: network),
                earcons: ports.earcons,
                mailbox: mailbox,
                dispatcher: ToolDispatcher(ToolRegistry([]), noticeAfter: nil, logger: logger),
                service: service,
                substitutes: substitutes,
                logger: logger
            ),
            options: ConversationMachine.Options(service.capabilities),
            activation: activation,
            observers: [observer]
        )
    }

    /// A service that could not be reached is shown as away only until it is back, also without a call.
    @Test(.timeLimit(.minutes(1))) func returnedServiceIsNoticedBetweenConversations() async throws {
        let isBack = Atomic(false)
        let script: LoopbackServer.Script = { socket in
            guard isBack.load(ordering: .relaxed) else { return }
            socket.upgrade()
            socket.write(WebSocketFrames.text(#"{"type":"session.created","event_id":"e","session":{"id":"s"}}"#))
            while let frame = socket.readFrame(), frame.opcode != 8 {}
        }
        // One for each attempt.
        let server = try LoopbackServer(script, script, script, script, script, script, script, script)
        var configuration = Configuration()
        configuration.realtime.url = "ws://127.0.0.1:\(server.port)/v1/realtime"
        let service = try Self.service(configuration)
        try await NetworkThread.with { network in
            var options = ActivationMachine.Options()
            options.mode = .push
            let mailbox = EventMailbox()
            let session = Self.session(network, service, mailbox, ActivationParts(options))
            let running = Task { await session.run() }
            mailbox.post(activation: .start)
            mailbox.post(activation: .activate(.command))
            while await session.reach.trouble == nil { try await Task.sleep(for: .milliseconds(1)) }
            mailbox.post(activation: .stopAll)
            while await session.state != .idle { try await Task.sleep(for: .milliseconds(1)) }
            await session.look()
            #expect(await session.reach.trouble != nil, "it still closes every connection")
            isBack.store(true, ordering: .relaxed)
            await session.look()
            #expect(await session.reach.trouble == nil)
            #expect(await session.state == .idle, "it was only looked at")
            mailbox.close()
            await running.value
        }
    }

    /// Between calls only a look can notice it.
    @Test(.timeLimit(.minutes(1)), arguments: [(101, false), (401, true)])
    func serviceThatIsAwayOrRefusesIsNoticedBeforeTheFirstCall(status: Int, isRefusal: Bool) async throws {
        let server = try LoopbackServer({ socket in
            if status != 101 { socket.write("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        })
        var configuration = Configuration()
        configuration.realtime.url = "ws://127.0.0.1:\(server.port)/v1/realtime"
        let service = try Self.service(configuration)
        try await NetworkThread.with { network in
            var options = ActivationMachine.Options()
            options.mode = .wake
            let log = LineLog()
            let session = Self.session(network, service, EventMailbox(), ActivationParts(options), logger: log.logger)
            await session.look()
            let trouble = await session.reach.trouble
            #expect(trouble?.isRefusal == isRefusal)
            #expect(await session.state == .idle)
            await session.look()
            #expect(await session.reach.trouble == trouble)
            #expect(log.lines.filter { $0.contains("voice service") }.count == 1, "it is logged once")
        }
    }

    /// A service that stands in for another makes the box usable.
    @Test(.timeLimit(.minutes(1))) func boxIsWellWhereASubstituteAnswers() async throws {
        let away = try LoopbackServer({ _ in })
        let other = try LoopbackServer({ socket in
            socket.upgrade()
            socket.write(WebSocketFrames.text(#"{"type":"session.created","event_id":"e","session":{"id":"s"}}"#))
            while let frame = socket.readFrame(), frame.opcode != 8 {}
        })
        var configuration = Configuration()
        configuration.realtime.url = "ws://127.0.0.1:\(away.port)/v1/realtime"
        let service = try Self.service(configuration)
        configuration.realtime.url = "ws://127.0.0.1:\(other.port)/v1/realtime"
        let substitute = try Self.service(configuration)
        try await NetworkThread.with { network in
            let session = Self.session(
                network, service, EventMailbox(), ActivationParts(.init()), substitutes: [substitute]
            )
            await session.look()
            #expect(await session.reach.trouble == nil)
        }
    }

    /// The sound from before a refused call is not kept for a later one, beyond what any call sends.
    @Test(.timeLimit(.minutes(1))) func refusedCallKeepsNoMoreOfTheRoom() async throws {
        let service = try Self.service()
        let ports = AudioPorts()
        let samples = [Int16](repeating: 1, count: 4 * AudioFormat.wireRate)
        let kept = AudioFormat.wireRate * 3 / 2
        try await NetworkThread.with { network in
            var options = ActivationMachine.Options()
            options.mode = .push
            options.preRoll = 1500
            let mailbox = EventMailbox()
            let pump = NetworkConfined(VoicePump(ports, options: .init()) { _, _ in }, on: network)
            let session = Self.session(network, service, mailbox, ActivationParts(options), pump: pump, ports: ports)
            let running = Task { await session.run() }
            mailbox.post(.budget(.spent(until: "midnight")))
            mailbox.post(activation: .start)
            mailbox.post(activation: .activate(.command))
            mailbox.close()
            await running.value
            #expect(ports.microphone.ring.write(samples, count: samples.count) == samples.count)
            await withCheckedContinuation { ticked in
                pump.perform {
                    _ = $0.tick()
                    ticked.resume()
                }
            }
            #expect(ports.microphone.ring.availableToRead == kept)
        }
    }

    /// Silencing is immediate even if earlier tasks hang: commands reach all of its parts through the mailbox.
    @Test(.timeLimit(.minutes(1))) func silenceDoesNotWaitForADevice() async throws {
        let mailbox = EventMailbox()
        let (closed, device) = AsyncStream.makeStream(of: Void.self)
        let (steps, step) = AsyncStream.makeStream(of: String.self)
        let running = try Self.run(mailbox) { parts in
            parts.silenceMicrophone = { step.yield("silent") }
            parts.capture = { isOpen in
                for await _ in closed {}
                step.yield(isOpen ? "open" : "closed")
            }
            parts.endMedia = { step.yield("ended") }
            parts.startFresh = { step.yield("fresh") }
        }

        var seen = steps.makeAsyncIterator()
        mailbox.post(activation: .start)
        mailbox.post(activation: .mute(true))
        #expect(await seen.next() == "silent")
        mailbox.post(activation: .stopAll)
        #expect(await seen.next() == "ended")
        mailbox.post(activation: .startFresh)
        #expect(await seen.next() == "fresh")
        // Unmuted and muted again before the device was closed: it is never opened.
        mailbox.post(activation: .mute(false))
        mailbox.post(activation: .toggleMute)
        #expect(await seen.next() == "silent")
        mailbox.close()
        device.finish()
        await running.value
        step.finish()
        var rest: [String] = []
        while let next = await seen.next() { rest.append(next) }
        #expect(rest == ["closed", "closed"])
    }

    /// A command does not overtake the quiet hours that were ordered before it.
    @Test(.timeLimit(.minutes(1))) func localVoiceSpeaksWithoutASession() async throws {
        let mailbox = EventMailbox()
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let running = try Self.run(mailbox) { $0.announce = { text.yield($0) } }
        mailbox.post(activation: .say("Without a session."))
        mailbox.post(activation: .activate(.command))
        mailbox.post(activation: .conversation(.connecting))
        mailbox.post(activation: .say("Before it is open."))
        mailbox.post(activation: .conversation(.listening))
        mailbox.post(activation: .say("In the session."))
        mailbox.post(activation: .quiet(true))
        mailbox.post(activation: .say("In quiet hours."))
        mailbox.post(activation: .conversation(.idle))
        mailbox.post(activation: .say("In quiet hours, too."))
        mailbox.close()
        await running.value
        text.finish()
        var said: [String] = []
        for await text in texts { said.append(text) }
        #expect(said == ["Without a session.", "Before it is open."])
    }

    /// Between conversations others may have the loudspeaker, unless the microphone is open all the time.
    @Test(.timeLimit(.minutes(1))) func theLoudspeakerMayRestBetweenConversations() async throws {
        let mailbox = EventMailbox()
        let (rests, rest) = AsyncStream.makeStream(of: Bool.self)
        let running = try Self.run(mailbox) { $0.mayRestLoudspeaker = { rest.yield($0) } }
        for event: ActivationEvent in [
            .start, .activate(.command), .conversation(.error("key")), .conversation(.waitingForJarvis),
            .conversation(.idle), .setMode(.always),
        ] { mailbox.post(activation: event) }
        mailbox.close()
        await running.value
        rest.finish()
        var told: [Bool] = []
        for await mayRest in rests where told.last != mayRest { told.append(mayRest) }
        #expect(told == [true, false, true, false, true, false])
    }

    /// Closing a sound card may take seconds. "Stop" must not wait for that.
    @Test(.timeLimit(.minutes(1))) func stopDoesNotWaitForADevice() async throws {
        let mailbox = EventMailbox()
        let (closed, device) = AsyncStream.makeStream(of: Void.self)
        let (lights, light) = AsyncStream.makeStream(of: ActivationStatus.self)
        let (orders, order) = AsyncStream.makeStream(of: ConversationEvent.self)
        let running = try Self.run(mailbox, observer: .init(event: { order.yield($0) })) { parts in
            parts.capture = { _ in for await _ in closed {} }
            parts.changed = { light.yield($0) }
        }

        mailbox.post(activation: .start)
        mailbox.post(activation: .mute(true))
        mailbox.post(activation: .ask("What time is it?"))
        mailbox.post(activation: .silence)
        mailbox.post(activation: .stop(isSpoken: true))
        mailbox.close()
        var heard: [ConversationEvent] = []
        for await event in orders {
            if case .disconnected = event { continue }
            heard.append(event)
            if event == .stop(isSpoken: true) { break }
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
