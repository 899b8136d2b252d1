import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceConversation

/// The recorded transcripts of the protocol, decoded and played to the machine.
struct TranscriptTests {
    /// The server events of a transcript; empty if the recordings are not available.
    static func lines(_ name: String) -> [String] {
        let path = "\(SharedFiles.root)/realtime/samples/\(name).jsonl"
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static let names = [
        "a_plain_turn", "b_filler_then_call", "b2_call_no_filler", "b3_parallel_calls", "c_barge_in",
        "c2_barge_after_done", "c3_cancel_in_call", "d_gating_and_oob", "e_errors", "f_async_call",
        "g_auth_rejected", "h_idle_timeout",
    ]

    @Test(.enabled(if: SharedFiles.areAtHand), arguments: names)
    func everyEventIsKnown(name: String) throws {
        let decoder = ServerEventDecoder()
        let lines = Self.lines(name)
        #expect(!lines.isEmpty)
        for line in lines {
            let event = try decoder.decode(line)
            if case .unknown(let type) = event { Issue.record("unknown event \(type)") }
        }
    }

    @Test(.enabled(if: SharedFiles.areAtHand), arguments: names)
    func audioDeltasAreFoundByBothReaders(name: String) throws {
        for line in Self.lines(name) {
            let isDelta = line.contains(#""type":"response.output_audio.delta""#)
            var text = line
            let found = text.withUTF8 { AudioDelta(UnsafeRawBufferPointer($0)) != nil }
            #expect(found == isDelta)
        }
    }

    /// Plays a transcript; each call is answered right after the response that requested it.
    private func play(_ name: String) throws -> Scene {
        let decoder = ServerEventDecoder()
        var scene = Scene()
        scene.on(.activate)
        scene.on(.connected)
        var waiting: [String] = []
        var speaking: Set<String> = []
        for line in Self.lines(name) {
            var text = line
            if text.withUTF8({ AudioDelta(UnsafeRawBufferPointer($0)) != nil }) {
                let ids = try JSONDecoder().decode(Ids.self, from: Data(line.utf8))
                if speaking.insert(ids.response_id).inserted {
                    scene.on(.voiceReceived(responseID: ids.response_id, itemID: ids.item_id))
                }
                continue
            }
            var event = try decoder.decode(line)
            // The transcript has its own configuration; here the requested one is in force.
            if case .sessionUpdated = event { event = .sessionUpdated(Scene.settings.json) }
            for case .startCall(let call, _) in scene.server(event) { waiting.append(call.callID) }
            if case .responseDone = event {
                for callID in waiting { scene.answer(callID) }
                waiting = []
            }
        }
        scene.on(.voiceDrained)
        return scene
    }

    private struct Ids: Decodable {
        var response_id: String
        var item_id: String
    }

    @Test(.enabled(if: SharedFiles.areAtHand))
    func plainTurnIsAnswered() throws {
        let scene = try play("a_plain_turn")
        #expect(scene.path.prefix(5) == [.connecting, .listening, .userSpeaking, .processing, .aiSpeaking])
        #expect(scene.creates.isEmpty)
    }

    @Test(.enabled(if: SharedFiles.areAtHand), arguments: ["b_filler_then_call", "b2_call_no_filler"])
    func callIsMadeAndAnswered(name: String) throws {
        let scene = try play(name)
        #expect(scene.started.count == 1)
        #expect(scene.outputs == scene.started)
        #expect(scene.creates.count == 1)
        #expect(scene.path.last == .listening)
    }

    @Test(.enabled(if: SharedFiles.areAtHand))
    func parallelCallsAreAnswered() throws {
        let scene = try play("b3_parallel_calls")
        #expect(scene.started.count == 2)
        #expect(scene.outputs == scene.started)
        #expect(scene.creates.count == 1)
    }

    @Test(.enabled(if: SharedFiles.areAtHand))
    func truncatedCallIsNotStarted() throws {
        let scene = try play("c3_cancel_in_call")
        #expect(scene.started.isEmpty)
        #expect(scene.creates.isEmpty)
    }

    @Test(.enabled(if: SharedFiles.areAtHand), arguments: ["c_barge_in", "c2_barge_after_done"])
    func speakingOverTheVoiceStopsIt(name: String) throws {
        let scene = try play(name)
        #expect(scene.effects.contains { if case .stopVoice = $0 { true } else { false } })
        #expect(!scene.sent().contains { if case .responseCancel = $0 { true } else { false } })
    }

    @Test(.enabled(if: SharedFiles.areAtHand))
    func aRejectedKeyIsAnError() throws {
        let scene = try play("g_auth_rejected")
        guard case .error = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
    }
}
