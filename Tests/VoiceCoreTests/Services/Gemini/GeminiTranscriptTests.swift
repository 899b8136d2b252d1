import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceGemini

/// The sample conversations of Gemini Live, played to the translator: the client's audio becomes the microphone, the service's messages
/// are read, and its calls are answered when the sample answers them.
struct GeminiTranscriptTests {
    private static let folder = "\(SharedFiles.root)/gemini/samples"
    static let areAtHand = FileManager.default.fileExists(atPath: "\(folder)/a_plain_turn.jsonl")
    static let names = [
        "a_plain_turn", "b_call_late_answer", "c_two_calls", "d_barge_in", "e_call_cancelled", "f_goaway_resumed",
        "k_text_in", "l_new_session_with_history", "m_interrupted_before_audio", "n_repeated_call",
        "o_turn_with_reason",
        "p_long_silence",
    ]

    private struct Line: Decodable {
        var t: Double
        var dir: String
        var event: JSONValue?
        var close: JSONValue?
        var open: JSONValue?
        var ms: Double?
        var sound: String?
        var count: Int?
        var every: Double?

        enum CodingKeys: String, CodingKey {
            case t, dir, event, close, open, ms, every
            case sound = "is"
            case count = "repeat"
        }
    }

    private enum Step {
        case open
        case microphone(samples: Int, isVoice: Bool)
        case service(String, samples: Int)
        case answers([(id: String, text: String, isSilent: Bool)])
        case text
        case close(code: Int, reason: String)
    }

    private static func steps(_ name: String) throws -> [(at: Double, step: Step)] {
        let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name).jsonl"))
        var steps: [(at: Double, order: Int, step: Step)] = []
        for text in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            var step: Step?
            if line.open != nil {
                step = .open
            } else if let close = line.close {
                step = .close(code: close["code"]?.intValue ?? 1000, reason: close["reason"]?.stringValue ?? "")
            } else if line.dir == "s", let event = line.event {
                step = .service(event.encoded, samples: Int((line.ms ?? 0) * 24))
            } else if let answers = line.event?["toolResponse"]?["functionResponses"], case .array(let all) = answers {
                step = .answers(
                    all.map { answer in
                        let text = answer["response"]?["output"]?.stringValue ?? ""
                        return (answer["id"]?.stringValue ?? "", text, answer["scheduling"] == "SILENT")
                    }
                )
            } else if line.event?["clientContent"] != nil {
                step = .text
            } else if line.event?["realtimeInput"] != nil {
                step = .microphone(samples: Int((line.ms ?? 100) * 24), isVoice: line.sound == "speech")
            }
            guard let step else { continue }
            for copy in 0..<min(line.count ?? 1, 400) {
                steps.append((line.t + Double(copy) * (line.every ?? 100), steps.count, step))
            }
        }
        return steps.sorted { ($0.at, $0.order) < ($1.at, $1.order) }.map { ($0.at, $0.step) }
    }

    private func play(_ name: String) throws -> [GeminiScene] { try playToTheEnds(name).scenes }

    /// Plays a sample; returns the scene of each connection, and what its end means.
    private func playToTheEnds(_ name: String) throws -> (scenes: [GeminiScene], ends: [GeminiEnd]) {
        var scenes: [GeminiScene] = []
        var ends: [GeminiEnd] = []
        var scene = GeminiScene()
        var offset = 0.0
        for (at, step) in try Self.steps(name) {
            let then = Duration.milliseconds(Int(at - offset))
            if then - scene.now < .seconds(120) { scene.wait(until: then) }
            switch step {
            case .open:
                offset = at
                let loss = scene.translator.loss(isLost: true)
                var start = GeminiStart(tag: "g\(scenes.count)")
                if !scenes.isEmpty { (start.handle, start.lostCalls) = (loss.handle, loss.openCalls) }
                scene = GeminiScene(GeminiSettings(), start)
                scene.add(scene.translator.connected())
                scene.ask(.open(history: name.hasPrefix("l") ? [.user("Hello."), .end] : []))
            case .microphone(let samples, let isVoice): scene.sent(samples, isVoice: isVoice)
            case .service(let text, let samples): scene.receive(text, samples: samples)
            case .answers(let answers):
                for answer in answers where !answer.isSilent && !answer.text.isEmpty {
                    scene.ask(.answer(call: answer.id, ToolResult(.answer(answer.text))))
                    scene.ask(.respond(id: "q-\(answer.id)", mayCall: true))
                }
            case .text: break
            case .close(let code, let reason):
                scenes.append(scene)
                ends.append(GeminiEnd(code: code, reason: reason, stage: scene.translator.stage, model: "m"))
            }
            scene.tick()
        }
        return (scenes, ends)
    }

    @Test(.enabled(if: areAtHand), arguments: names)
    func everySampleIsReadToItsEnd(name: String) throws {
        for scene in try play(name) {
            for case .unknown(let field) in scene.reports { Issue.record("unknown field \(field)") }
            #expect(scene.closings.isEmpty && !scene.troubles.contains("audio_format"), "\(scene.troubles)")
        }
    }

    @Test(
        .enabled(if: areAtHand),
        arguments: [
            ("a_plain_turn", ["Hello, my name is Marcelo."]),
            ("b_call_late_answer", ["Is the garage door still open?"]),
            ("c_two_calls", ["What is on my calendar tomorrow, and will it rain?"]), ("p_long_silence", ["Thank you."]),
        ]
    )
    func wordsOfTheUserAreReportedOnce(name: String, words: [String]) throws {
        #expect(try play(name).flatMap(\.heard) == words)
    }

    @Test(
        .enabled(if: areAtHand),
        arguments: [
            ("b_call_late_answer", 1), ("c_two_calls", 2), ("n_repeated_call", 1), ("e_call_cancelled", 2),
            ("o_turn_with_reason", 1),
        ]
    )
    func callsAreMadeOnceEach(name: String, count: Int) throws {
        #expect(try play(name).flatMap(\.calls).count == count)
    }

    @Test(.enabled(if: areAtHand)) func lateAnswerIsSpokenForItsRequest() throws {
        let scene = try #require(try play("b_call_late_answer").first)
        #expect(
            scene.spoken == [
                "One moment, I am asking Jarvis.", "The garage door has been open since ten past four. I can close it.",
            ]
        )
        #expect(scene.requests == ["-", "q-fc_8479089156876918001"])
        #expect(scene.texts.isEmpty && scene.troubles.isEmpty, "\(scene.texts) \(scene.troubles)")
        #expect(scene.bills.map(\.textOut) == [40, 40], "thoughts count as text")
    }

    @Test(.enabled(if: areAtHand)) func resumedSampleAnswersItsLostCallFirst() throws {
        let scenes = try play("f_goaway_resumed")
        #expect(scenes.count == 2)
        let second = try #require(scenes.last)
        #expect(second.answers.map(\.id) == ["fc_8479089156876916001"] && second.answers.allSatisfy(\.isError))
        var resumed: String?
        if case .setup(_, let handle, false)? = second.sent.first { resumed = handle }
        #expect(resumed == "00000010-0000-4000-8000-000000000002")
    }

    @Test(
        .enabled(if: areAtHand),
        arguments: [
            ("g_session_expired", [.expired]), ("h_key_refused", [.refused]),
            ("i_setup_refused", [.refused, .refused, .refused]), ("j_quota_exhausted", [.quota]),
        ] as [(String, [GeminiEnd.Meaning])]
    )
    func endOfEachSampleMeansWhatItsReasonSays(name: String, meanings: [GeminiEnd.Meaning]) throws {
        #expect(try playToTheEnds(name).ends.map(\.meaning) == meanings)
    }
}
