import SimulatedHero365
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceHero365

extension MarkerTones {
    /// Like `spell`, after a speech codec: sounds that it adds between words are short, and its noise makes single
    /// words seem higher.
    fileprivate func says(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace).map { SpokenVoice.markerFrequency($0) }
        let heard = tones.filter { $0.frames.count > 60 * 48 }.map(\.frequency)
        let matches = zip(words, heard).count { abs($0 - $1) < 20 }
        return words.count == heard.count && matches * 2 >= words.count
    }
}

extension EndToEnd {
    /// The daemon and a simulated Hero365, in real time.
    @Suite struct Hero365Tests {
        private static let question = "Tell everybody yesterday happened"
        private static let answer = "Tomorrow everything remains possible."

        @Test func aTurnIsEndedHereAndItsAnswerHeard() async throws {
            var script = Hero365Script([Self.answer])
            script.transfersTo = "invoices"
            let stage = try Hero365Stage(script)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.listens()
            let tones = try await stage.stop()
            #expect(tones.says(Self.answer), "\(tones)")
            #expect(stage.ends == 1)
            let types = stage.journal.client().compactMap { $0["type"]?.string }
            #expect(types.first == "start_session" && types.last == "end_session", "\(types)")
            #expect(
                stage.journal.states == [
                    .connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .listening, .idle,
                ],
                "\(stage.journal.states)"
            )
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            // The service heard all of it: five words of 120 ms and more.
            let heard = try #require(stage.simulator.heard.first)
            #expect((800...2500).contains(heard), "\(heard) ms")
            #expect(stage.log.lines.contains { $0.contains("goes on with the agent") && $0.contains("invoices") })
            // Only the turn was sent: a second of it, its start and the silence that ended it.
            let sent = stage.journal.client("audio_input").count
            #expect((20...60).contains(sent), "\(sent) messages")
        }

        @Test(arguments: Hero365Script.Form.allCases) func everySoundFormatIsHeard(
            form: Hero365Script.Form
        ) async throws {
            var script = Hero365Script([Self.answer])
            script.form = form
            script.isBinary = form == .lengths
            let stage = try Hero365Stage(script)
            try await stage.start {
                if form == .pcm {
                    $0.hero365.codec = .pcm16
                    $0.hero365.frames = .binary
                }
                if form == .ogg { $0.hero365.uplink = .continuous }
            }
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.listens()
            let tones = try await stage.stop()
            #expect(tones.says(Self.answer), "\(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            #expect(try #require(stage.simulator.heard.first) > 800)
        }

        @Test func lostAndLateAndDoubledPacketsLoseNoAnswer() async throws {
            var faults = Hero365Script.Faults()
            faults.loss = 10
            faults.reordering = 15
            faults.duplicates = 15
            let long = "Tomorrow everything remains possible, wherever anybody imagines operating elsewhere."
            let stage = try Hero365Stage(Hero365Script([long], faults: faults))
            try await stage.start()
            try await stage.reach(.listening)
            for turn in 1...2 {
                stage.say(Self.question)
                try await stage.listens(turn)
            }
            let tones = try await stage.stop()
            let words = long.split(separator: " ").count
            #expect(tones.tones.count { $0.frames.count > 60 * 48 } >= 2 * words - 6, "\(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            #expect(stage.log.lines.contains { $0.contains("did not come in time and were concealed:") })
        }

        @Test func talkerOverTheAnswerIsHeard() async throws {
            let long =
                "Everything operates everywhere, whatever anybody imagines; elsewhere operators occasionally imagine "
                + "everything, wherever anybody operates."
            let stage = try Hero365Stage(Hero365Script([long, "Certainly."]))
            try await stage.start()
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(900))
            stage.say(Self.question)
            try await stage.reach(.userSpeaking, times: 2)
            try await stage.listens(2)
            let tones = try await stage.stop()
            let flush = try #require(stage.journal.flushFrame)
            let cut = tones.tones.prefix { $0.frames.lowerBound < flush }
            let silent = try #require(cut.last?.frames.upperBound)
            #expect(silent < flush + 48 * 100, "silent \((silent - flush) / 48) ms after the flush")
            let rest = tones.tones.dropFirst(cut.count).filter { $0.frames.count > 60 * 48 }
            #expect(rest.count == 1, "the rest of the old answer: \(tones)")
            #expect(stage.ends == 2)
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test func lostSocketReopensAndAsksTheUserToRepeat() async throws {
            var faults = Hero365Script.Faults()
            faults.connections = 1
            faults.dropsAfterTurn = 100
            let stage = try Hero365Stage(Hero365Script(["Never.", Self.answer], faults: faults))
            try await stage.start()
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.sent("start_session", times: 2)
            try await stage.reach(.listening, times: 2)
            stage.say(Self.question)
            try await stage.listens()
            let tones = try await stage.stop()
            #expect(tones.says(Self.answer), "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("the question is lost") }, "\(stage.log.lines)")
            let sessions = stage.journal.client("start_session").compactMap { $0["session_id"]?.string }
            #expect(Set(sessions).count == 2)
        }

        @Test func rateLimitIsKeptAndAnnounced() async throws {
            var faults = Hero365Script.Faults()
            faults.error = ("RATE_LIMIT_EXCEEDED", 2500)
            let stage = try Hero365Stage(Hero365Script([Self.answer], faults: faults))
            try await stage.start()
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.journal.wait(for: "the error") { entries in
                entries.contains {
                    if case .wire(.server(_, let event)) = $0 { event["type"] == "error" } else { false }
                }
            }
            let asked = Monotonic.now()
            let before = stage.journal.client("audio_input").count
            stage.say(Self.question)
            try await stage.journal.wait(for: "more sound") {
                $0.client().count { $0["type"] == "audio_input" } > before
            }
            #expect(Monotonic.now() - asked > .milliseconds(2300))
            try await stage.stop()
            #expect(stage.log.lines.contains { $0.contains("RATE_LIMIT_EXCEEDED") }, "\(stage.log.lines)")
            #expect(stage.log.lines.contains { $0.contains("a response did not complete") })
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test func refusedKeyIsReportedOnce() async throws {
            let stage = try Hero365Stage(Hero365Script([]))
            try await stage.start(key: "sk-wrong-1234567890")
            try await stage.journal.wait(for: "the refusal") { entries in
                entries.states.contains { if case .error = $0 { true } else { false } }
            }
            try await Task.sleep(for: .milliseconds(1200))
            try await stage.stop()
            #expect(stage.log.lines.count { $0.contains("refuses the connection") } == 1, "\(stage.log.lines)")
            #expect(!stage.log.lines.contains { $0.contains("sk-wrong") })
        }

        @Test func serviceThatNeedsNestedMessagesIsDetected() async throws {
            var faults = Hero365Script.Faults()
            faults.wantsNested = true
            faults.nonsense = ["", "null", "{\"type\":[]}", String(repeating: "[", count: 5000), "{\"type\":\"pong\"}"]
            let stage = try Hero365Stage(Hero365Script([Self.answer], faults: faults))
            try await stage.start()
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.listens()
            let tones = try await stage.stop()
            #expect(tones.says(Self.answer), "\(tones)")
            #expect(stage.journal.client("start_session").count == 2)
        }

        @Test func soundOnlyServiceIsUsable() async throws {
            var faults = Hero365Script.Faults()
            faults.ignoresStart = true
            faults.tellsNoStatus = true
            let stage = try Hero365Stage(Hero365Script([Self.answer], faults: faults))
            try await stage.start()
            try await stage.reach(.listening)
            stage.say(Self.question)
            try await stage.listens()
            let tones = try await stage.stop()
            #expect(tones.says(Self.answer), "\(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }
    }
}
