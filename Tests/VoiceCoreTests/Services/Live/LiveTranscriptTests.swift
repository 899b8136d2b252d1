import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceLive

/// The sample conversations of GPT-Live, played to the translator: the client's audio becomes the microphone, the
/// service's messages are read.
struct LiveTranscriptTests {
    private static let folder = "\(SharedFiles.root)/live/samples"
    static let areAtHand = FileManager.default.fileExists(atPath: "\(folder)/a_plain_exchange.jsonl")
    static let names = [
        "a_plain_exchange", "b_delegation_at_once", "c_silent_progress_late_result", "d_superseded", "e_barge_in",
        "f2_no_audio_30s", "f_expired", "g_close_pending", "h_command_errors", "i2_voice_refused", "i_start_refused",
        "j_wake_preroll", "k_mute_say", "l_restart_with_history",
    ]

    private struct Line: Decodable {
        var t: Double
        var dir: String
        var event: JSONValue
        var ms: Double?
        var is_: String?
        var `repeat`: Repeat?
        var every: Double?

        struct Repeat: Decodable {
            var count: Int
            var every: Double

            enum CodingKeys: String, CodingKey { case n, every }

            init(from decoder: any Decoder) throws {
                if let single = try? decoder.singleValueContainer().decode(Int.self) {
                    (count, every) = (single, 0)
                    return
                }
                let fields = try decoder.container(keyedBy: CodingKeys.self)
                count = (try? fields.decode(Int.self, forKey: .n)) ?? 1
                every = (try? fields.decode(Double.self, forKey: .every)) ?? 100
            }
        }

        enum CodingKeys: String, CodingKey {
            case t, dir, event, ms, `repeat`, every
            case is_ = "is"
        }
    }

    /// The steps of a sample, in order.
    private enum Step {
        case microphone(samples: Int, isVoice: Bool)
        case sound([Int16])
        case event(String)
        case close
    }

    /// Hours of silence are shortened to this many copies.
    private static let mostCopies = 400

    private static func steps(_ name: String) throws -> [(at: Double, step: Step)] {
        let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name).jsonl"))
        var steps: [(at: Double, order: Int, step: Step)] = []
        for text in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            let type = line.event["type"]?.stringValue ?? ""
            let encoded = try JSONEncoder().encode(line.event)
            var step = Step.event(String(decoding: encoded, as: UTF8.self))
            if type == "session.close" {
                step = .close
            } else if line.dir == "c" {
                guard type == "session.input_audio.append" else { continue }
                let samples = Self.samples(line.event["audio"]?.stringValue ?? "")
                let length = line.ms.map { Int($0 * 24) } ?? samples.count
                step = .microphone(samples: length, isVoice: line.is_.map { $0 != "silence" } ?? Self.isLoud(samples))
            } else if type == "session.output_audio.delta" {
                var samples = Self.samples(line.event["delta"]?.stringValue ?? "")
                if let ms = line.ms, !samples.isEmpty {
                    samples = (0..<Int(ms * 24)).map { samples[$0 % samples.count] }
                }
                step = .sound(samples)
            }
            let copies = min(line.repeat?.count ?? 1, Self.mostCopies)
            let every = line.every ?? line.repeat?.every ?? 100
            for copy in 0..<max(1, copies) { steps.append((line.t + Double(copy) * every, steps.count, step)) }
        }
        return steps.sorted { ($0.at, $0.order) < ($1.at, $1.order) }.map { ($0.at, $0.step) }
    }

    private static func samples(_ base64: String) -> [Int16] {
        guard let data = Data(base64Encoded: base64) else { return [] }
        let bytes = Array(data)
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    private static func isLoud(_ samples: [Int16]) -> Bool { samples.contains { abs(Int($0)) > 300 } }

    private func play(_ name: String) throws -> LiveScene {
        var scene = LiveScene()
        scene.add(scene.translator.connected())
        scene.ask(.open(history: []))
        var answered = 0
        for (at, step) in try Self.steps(name) {
            let then = Duration.milliseconds(Int(at))
            if then - scene.now >= .seconds(10), scene.position > 0, name == "f_expired" {
                // After omitted hours, the track continues.
                scene.wait(until: then)
                let silence = [Int16](repeating: 0, count: 480)
                scene.add(silence.withUnsafeBufferPointer { scene.translator.sound($0, waiting: 0, at: then) })
            }
            // Lets time pass between two lines.
            while then - scene.now > .milliseconds(200), then - scene.now < .seconds(60) {
                scene.wait(until: scene.now + .milliseconds(100))
                scene.add(scene.translator.tick(at: scene.now))
            }
            scene.wait(until: then)
            switch step {
            case .microphone(let samples, let isVoice):
                scene.add(scene.translator.sent(samples, isVoice: isVoice, at: scene.now))
            case .sound(let samples):
                scene.add(samples.withUnsafeBufferPointer { scene.translator.sound($0, waiting: 0, at: scene.now) })
            case .close: scene.ask(.close)
            case .event(let text):
                scene.receive(try #require(LiveEventDecoder.decode(text), "\(text.prefix(80))"))
            }
            scene.add(scene.translator.tick(at: scene.now))
            while answered < scene.calls.count {
                scene.ask(.answer(call: scene.calls[answered].callID, "Here it is."))
                answered += 1
            }
        }
        return scene
    }

    @Test(.enabled(if: areAtHand), arguments: names)
    func everyRecordedEventIsKnown(name: String) throws {
        let scene = try play(name)
        for report in scene.reports {
            if case .unknown(let type) = report { Issue.record("unknown event \(type)") }
        }
    }

    /// The transcript is rebuilt, with each request once.
    @Test(
        .enabled(if: areAtHand),
        arguments: [
            ("b_delegation_at_once", ["What time is my first meeting today?", "And the next one?"]),
            ("c_silent_progress_late_result", ["Please compare the trains to Bern with driving."]),
            ("d_superseded", ["What is the weather in Zurich tomorrow?", "No, I meant Geneva."]),
            ("e_barge_in", ["Read me the news."]), ("g_close_pending", ["Is the door locked?"]),
            ("a_plain_exchange", []),
        ]
    )
    func requestsAreRebuilt(name: String, requests: [String]) throws {
        let scene = try play(name)
        #expect(scene.queries == requests)
        // Each is closed once, under its own id.
        let handedOver = scene.calls.filter { $0.name == "ask_jarvis" }
        #expect(scene.reported(.commentary).compactMap(\.delegation) == handedOver.map(\.callID))
        // "Stop, please." is an order: the box carries it out itself, and no delegation is closed for it.
        #expect(scene.calls.map(\.name).filter { $0 != "ask_jarvis" } == (name == "e_barge_in" ? ["stop_talking"] : []))
    }

    @Test(.enabled(if: areAtHand)) func speechIsCutOutOfTheTrack() throws {
        let scene = try play("b_delegation_at_once")
        #expect(
            scene.spoken == [
                "Your first meeting today is the stand-up, at half past nine, in room four.", "Let me check.",
                "Then lunch with Anna, at a quarter past twelve.",
            ],
            "\(scene.spoken)"
        )
        #expect(scene.closings == [.asked])
    }

    @Test(.enabled(if: areAtHand)) func interruptedSpeechIsNotPlayed() throws {
        let scene = try play("e_barge_in")
        #expect(scene.reported(.instructions).map(\.text) == [LiveTranslator.stopOrder])
        #expect(scene.spoken.last == "Okay.", "\(scene.spoken)")
        #expect(!scene.spoken.contains { $0.contains("train") }, "\(scene.spoken)")
    }

    @Test(
        .enabled(if: areAtHand),
        arguments: [
            ("f_expired", ServiceClosing.expired), ("f2_no_audio_30s", .lost), ("g_close_pending", .asked),
        ]
    )
    func endOfTheSessionIsReported(name: String, closing: ServiceClosing) throws {
        #expect(try play(name).closings == [closing])
    }

    @Test(.enabled(if: areAtHand)) func frozenClockIsReported() throws {
        #expect(try play("f2_no_audio_30s").troubles.contains("uplink_stopped"))
    }

    @Test(
        .enabled(if: areAtHand),
        arguments: [("i_start_refused", ErrorClass.account), ("i2_voice_refused", .configuration)]
    )
    func aRefusedStartIsFinal(name: String, meaning: ErrorClass) throws {
        let found = try play(name).reports.compactMap { report -> ErrorClass? in
            if case .trouble(let error) = report { error.meaning } else { nil }
        }
        #expect(found.first == meaning)
    }
}
