import Testing

@testable import VoiceCore

struct RealtimeLinkTests {
    /// One link to a server that answers every message with these frames; must outlive the thread's run.
    private struct Line {
        let server: LoopbackServer
        let events = Collected<ConversationEvent>()
        let handle: WebSocketHandle?
        private let reports: AsyncStream<ConversationEvent>

        init(
            _ network: NetworkThread,
            _ pump: NetworkConfined<VoicePump>,
            pending: Int = 4 << 20,
            answers: [[UInt8]]
        ) throws {
            server = try LoopbackServer { socket in
                socket.upgrade()
                while let frame = socket.readFrame(), frame.opcode != 8 {
                    if frame.opcode == 1 { socket.write(answers.flatMap { $0 }) }
                }
                socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            }
            let (reports, continuation) = AsyncStream<ConversationEvent>.makeStream()
            self.reports = reports
            let events = events
            let request = WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/", maximumPendingBytes: pending)
            handle = network.connect(request) { connection in
                RealtimeLink(connection: connection, pump: pump.onThread) { event, _ in
                    events.add([event])
                    continuation.yield(event)
                }
            }
        }

        func perform(_ body: @escaping @Sendable (RealtimeLink) -> Void) {
            handle?.perform { driver in
                if let link = driver as? RealtimeLink { body(link) }
            }
        }

        /// Waits for this event.
        func reach(_ wanted: ConversationEvent) async {
            for await event in reports where event == wanted { return }
        }
    }

    private static let delta = WebSocketFrames.text(
        #"{"type":"response.output_audio.delta","event_id":"e","response_id":"r","item_id":"i","output_index":0,"#
            + #""content_index":0,"delta":"AAEAAQAB"}"#
    )
    private static let marker = WebSocketFrames.text(#"{"type":"marker"}"#)
    private static let marked = ConversationEvent.server(.unknown(type: "marker"))

    private static func pump(
        _ network: NetworkThread,
        _ events: Collected<ConversationEvent>
    ) -> NetworkConfined<VoicePump> {
        NetworkConfined(
            VoicePump(pipes: AudioPipes(), options: .init()) { event, _ in events.add([event]) },
            on: network
        )
    }

    @Test func onlyTheLinkThatHasTheMicrophoneIsHeard() async throws {
        let voice = Collected<ConversationEvent>()
        let lines = try await NetworkThread.with { network in
            let pump = Self.pump(network, voice)
            let old = try Line(network, pump, answers: [Self.delta, Self.marker])
            let new = try Line(network, pump, answers: [Self.delta, Self.marker])
            await old.reach(.connected)
            await new.reach(.connected)
            old.perform { $0.openMicrophone() }
            new.perform { $0.openMicrophone() }
            old.perform { $0.send(.responseCreate(eventID: "1")) }
            await old.reach(Self.marked)
            #expect(voice.all == [])
            new.perform { $0.send(.responseCreate(eventID: "1")) }
            await new.reach(Self.marked)
            #expect(voice.all == [.voiceReceived(responseID: "r", itemID: "i")])
            return [old, new]
        }
        withExtendedLifetime(lines) {}
    }

    @Test func aRetiredLinkReportsNothing() async throws {
        let events = Collected<ConversationEvent>()
        let line = try await NetworkThread.with { network in
            let pump = Self.pump(network, events)
            let line = try Line(network, pump, answers: [Self.delta, Self.marker])
            await line.reach(.connected)
            line.perform { link in
                link.send(.responseCreate(eventID: "1"))
                link.retire()
                link.openMicrophone()
            }
            return line
        }
        #expect(line.events.all == [.connected])
        #expect(events.all == [])
    }

    @Test func whatCannotBeReadCostsOnlyItselfAndIsToldOnce() async throws {
        let events = Collected<ConversationEvent>()
        let line = try await NetworkThread.with { network in
            let pump = Self.pump(network, events)
            let broken = [#"{"type":"#, #"{"type":"response.output_audio.delta","delta":5}"#, "[]", ""]
            let answers = broken.map(WebSocketFrames.text) + [WebSocketFrames.frame(0x2, [1, 2, 3]), Self.marker]
            let line = try Line(network, pump, answers: answers)
            await line.reach(.connected)
            line.perform { $0.send(.responseCreate(eventID: "1")) }
            await line.reach(Self.marked)
            line.perform { _ in _ = pump.onThread.tick() }
            line.perform { $0.send(.responseCreate(eventID: "2")) }
            await line.reach(Self.marked)
            line.perform { _ in _ = pump.onThread.tick() }
            #expect(line.events.all == [.connected, Self.marked, Self.marked])
            return line
        }
        withExtendedLifetime(line) {}
        #expect(events.all == [.lost(.messages(5))])
    }

    @Test func aControlEventThatDoesNotFitEndsTheConnection() async throws {
        let events = Collected<ConversationEvent>()
        let line = try await NetworkThread.with { network in
            let pump = Self.pump(network, events)
            let line = try Line(network, pump, pending: 1000, answers: [])
            await line.reach(.connected)
            line.perform { link in
                #expect(link.send(.responseCreate(eventID: "1")))
                #expect(!link.send(.systemMessage(text: String(repeating: "a", count: 1000), eventID: "2")))
            }
            let failure = WebSocketFailure.reset("the server does not take what is sent")
            await line.reach(.disconnected(LinkFailure(.failed(failure))))
            return line
        }
        withExtendedLifetime(line) {}
    }
}
