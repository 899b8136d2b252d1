import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceConversation

extension EndToEnd {
    @Suite struct BargeInTests {
        private static let long = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."

        @Test(arguments: [0, 3])
        func theUserIsHeardOverTheAnswer(lateDeltas: Int) async throws {
            var faults = RealtimeFaults()
            faults.lateDeltas = lateDeltas
            let stage = try Stage([.say(Self.long), .say("Very well.")], faults: faults, speed: 3)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(900))
            stage.say("Stop that now")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()

            let journal = stage.journal
            #expect(
                journal.states == [
                    .connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .userSpeaking, .processing,
                    .aiSpeaking, .listening, .idle,
                ]
            )
            // Silent within 100 ms of the flush, and until the next answer.
            let flush = try #require(journal.flushFrame)
            let begin = try #require(tones.tones.first?.frames.lowerBound)
            let cut = tones.tones.prefix { $0.frames.lowerBound < flush }
            let silent = try #require(cut.last?.frames.upperBound)
            #expect(silent < flush + 48 * 100, "silent \((silent - flush) / 48) ms after the flush")
            let next = tones.tones.dropFirst(cut.count)
            #expect(next.count == 2, "late audio of the first answer: \(tones)")
            for (tone, word) in zip(next, ["Very", "well."]) {
                #expect(abs(tone.frequency - SpokenVoice.markerFrequency(word)) < 5)
            }
            // The server is informed of what was heard: compare with the recording.
            let truncate = try #require(journal.client("conversation.item.truncate").first)
            #expect(journal.client("conversation.item.truncate").count == 1)
            let reported = try #require(truncate["audio_end_ms"]?.int)
            let played = (silent - begin) / 48
            #expect(abs(reported - played) <= 60, "told \(reported) ms, played \(played) ms")
            #expect(truncate["content_index"] == 0)
            #expect(truncate["item_id"] == journal.server("response.output_audio.delta").first?["item_id"])
            #expect(journal.server("conversation.item.truncated").count == 1)
            #expect(journal.server("error").isEmpty)
        }

        @Test func interruptedCallIsAnsweredOnce() async throws {
            let stage = try Stage([.ask("What is on?"), .say("Of course.")]) { _ in
                .init(.reply("Two meetings."), delayMilliseconds: 1200)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.waitingForJarvis)
            stage.say("Hurry")
            try await stage.journal.wait(for: "the output") { entries in
                entries.client().contains { $0["item"]?["output"] == "Two meetings." }
            }
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.outputs == ["Two meetings."])
            #expect(stage.agent.requests.count == 1)
            #expect(
                tones.spell("Checking. Of course. Two meetings.") || tones.spell("Checking. Two meetings. Of course."),
                "\(tones)"
            )
            #expect(stage.journal.server("error").isEmpty)
        }

        @Test func theCommandToBeQuietCutsTheAnswer() async throws {
            let stage = try Stage([.say(Self.long), .say("Yes.")], speed: 3)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(500))
            stage.post(.interrupt)
            try await stage.reach(.listening, times: 2)
            stage.say("Still there?")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.client("response.cancel").count == 1)
            #expect(stage.journal.client("conversation.item.truncate").count == 1)
            #expect(tones.tones.count < 8, "\(tones)")
            let last = try #require(tones.tones.last)
            #expect(abs(last.frequency - SpokenVoice.markerFrequency("Yes.")) < 5)
        }
    }
}
