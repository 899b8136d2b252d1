import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// Tests act on the network thread as soon as an event happens, because a test may have to wait long for its turn.
struct ServiceSocketTests {
    /// A link to a server that answers every message with the same frames.
    private struct Line {
        let server: LoopbackServer
        let events = Collected<ConversationEvent>()
        /// The pump's reports.
        let reports = Collected<ConversationEvent>()
        private let ended: AsyncStream<Void>
        private let end: AsyncStream<Void>.Continuation

        init(answers: [[UInt8]]) throws {
            (ended, end) = AsyncStream.makeStream()
            server = try LoopbackServer { socket in
                socket.upgrade()
                while let frame = socket.readFrame(), frame.opcode != 8 {
                    if frame.opcode == 1 { socket.write(answers.flatMap { $0 }) }
                }
                socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            }
        }

        var request: WebSocketRequest {
            WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/", deadPeerLimit: .seconds(600))
        }

        /// Opens the link and calls `react` with each of its events; stops the thread once `react` returns false.
        func run(
            pending: Int = 4 << 20,
            react: @escaping @Sendable (ConversationEvent, ServiceSocket<RealtimeWire>, VoicePump) -> Bool
        ) async throws {
            var request = request
            request.maximumPendingBytes = pending
            let wanted = request
            try await NetworkThread.with { network in
                let pump = NetworkConfined(
                    VoicePump(AudioPorts(), options: .init()) { [reports] event, _ in reports.add([event]) },
                    on: network
                )
                network.connect(wanted) { [events, end] connection in
                    let box = Box()
                    let link = ServiceSocket.realtime(connection, pump: pump.onThread) { event, _ in
                        events.add([event])
                        if let link = box.link, react(event, link, pump.onThread) { return }
                        end.finish()
                    }
                    box.link = link
                    return link
                }
                for await _ in ended {}
            }
        }
    }

    private final class Box {
        weak var link: ServiceSocket<RealtimeWire>?
    }

    private static let delta = WebSocketFrames.text(
        #"{"type":"response.output_audio.delta","event_id":"e","response_id":"r","item_id":"i","output_index":0,"#
            + #""content_index":0,"delta":"AAEAAQAB"}"#
    )
    private static let marker = WebSocketFrames.text(#"{"type":"marker"}"#)
    private static let marked = ConversationEvent.service(.unknown("marker"))
    private static let voiced = ConversationEvent.voiceReceived(responseID: "r", itemID: "i")

    @Test func onlyTheLinkWithTheMicrophoneIsHeard() async throws {
        let line = try Line(answers: [Self.delta, Self.marker])
        let request = line.request
        let heard = Collected<[ConversationEvent]>()
        try await line.run { [reports = line.reports] event, link, pump in
            switch (event, heard.all.count) {
            case (.connected, _):
                link.openMicrophone()
                pump.openMicrophone(on: WebSocketConnection(request))
                link.ask(.respond(id: "1", mayCall: true))
                return link.isOpen
            case (Self.marked, 0):
                heard.add([reports.all])
                link.openMicrophone()
                link.ask(.respond(id: "2", mayCall: true))
                return link.isOpen
            case (Self.marked, 1):
                heard.add([reports.all])
                return false
            default: return false
            }
        }
        #expect(heard.all == [[], [.voiceReceived(responseID: "r", itemID: "i")]])
    }

    @Test func aRetiredLinkReportsNothing() async throws {
        let line = try Line(answers: [Self.delta, Self.marker])
        try await line.run { _, link, _ in
            link.ask(.respond(id: "1", mayCall: true))
            link.retire()
            link.openMicrophone()
            return false
        }
        #expect(line.events.all == [.connected])
        #expect(line.reports.all == [])
    }

    @Test func unreadableMessagesAreSkippedAndReportedOnce() async throws {
        let broken = [#"{"type":"#, #"{"type":"response.output_audio.delta","delta":5}"#, "[]", ""]
        let answers = broken.map(WebSocketFrames.text) + [WebSocketFrames.frame(0x2, [1, 2, 3]), Self.marker]
        let line = try Line(answers: answers)
        try await line.run { [events = line.events] event, link, pump in
            guard events.all.count <= 3 else { return false }
            _ = pump.tick()
            guard events.all.count < 3 else { return false }
            link.ask(.respond(id: "1", mayCall: true))
            return link.isOpen
        }
        #expect(line.events.all.prefix(3) == [.connected, Self.marked, Self.marked])
        #expect(line.reports.all == [.lost(.messages(5))])
    }

    @Test func controlEventThatDoesNotFitEndsTheConnection() async throws {
        let line = try Line(answers: [])
        try await line.run(pending: 1000) { event, link, _ in
            guard event == .connected else { return false }
            link.ask(.respond(id: "1", mayCall: true))
            #expect(link.isOpen)
            link.ask(.ask(String(repeating: "a", count: 1000)))
            #expect(!link.isOpen)
            return true
        }
        let failure = WebSocketFailure.reset("send buffer full: the server is not reading")
        #expect(line.events.all == [.connected, .disconnected(LinkFailure(.failed(failure)))])
    }
}

extension ServiceSocket where Translator == RealtimeWire {
    /// A socket to a service of the Realtime protocol, without tools.
    static func realtime(
        _ connection: WebSocketConnection,
        pump: VoicePump,
        report: @escaping ServiceLinkReport
    ) -> ServiceSocket {
        let settings = RealtimeSettings(instructions: "", tools: [])
        let request = WebSocketRequest(url: "", deadPeerLimit: .seconds(600))
        let entry = ServiceEntry(request, RealtimeWire(settings), settings.dialect.capabilities)
        return ServiceSocket(connection, entry, pump: pump, report: report)
    }
}
