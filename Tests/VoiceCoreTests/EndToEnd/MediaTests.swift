import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceMedia
@testable import VoiceReply

extension EndToEnd {
    /// Music by voice: what a user asks for, what the loudspeaker plays.
    @Suite(.enabled(if: TestSound.canPlay, "ffmpeg is not installed")) struct MediaTests {
        private static func turn(
            _ words: String,
            _ tool: String,
            _ arguments: SimulatedJSON = [:]
        ) -> ConversationScript.Turn {
            .init(transcript: words, action: .callOnly(tool: tool, arguments: arguments))
        }

        @Test func musicIsPlayedChangedAndStopped() async throws {
            let server = MediaServer()
            let port = try await server.start()
            server.serve("/a", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"], seconds: 60, hertz: 6000)))
            server.serve("/b", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"], seconds: 60, hertz: 7000)))
            let stage = try Stage([
                Self.turn(
                    "play something",
                    "play_audio",
                    ["url": .string("http://127.0.0.1:\(port)/a"), "title": "A"]
                ),
                Self.turn("and then B", "enqueue", ["url": .string("http://127.0.0.1:\(port)/b"), "title": "B"]),
                Self.turn("next", "skip_track"),
                Self.turn("louder", "set_volume", ["level": 0.9]),
                Self.turn("what is this", "get_now_playing"),
                .init(
                    transcript: "Who wrote it?",
                    action: .callOnly(tool: "ask_jarvis", arguments: ["query": "Who wrote it?", "about_media": true])
                ),
                Self.turn("stop", "stop_playback"),
            ])
            try await stage.start { $0.media.allowHosts = "127.0.0.1" }
            try await stage.reach(.listening)
            for turn in 2...8 {
                stage.say("Hey")
                try await stage.reach(.listening, times: turn)
                try await Task.sleep(for: .milliseconds(turn == 2 ? 2500 : 900))
            }
            let media = await stage.media?.snapshot()
            let (outputs, question) = (stage.journal.outputs, stage.agent.requests.first)
            try await stage.stop()
            await server.stop()
            #expect(media?.status == .stopped)
            #expect(outputs.count == 7)
            #expect(outputs.first?.contains(#""status":"starting""#) == true)
            #expect(outputs[4].contains(#""title":"B""#) && outputs[4].contains(#""volume":0.9"#), "\(outputs[4])")
            #expect(outputs[6].contains(#""status":"stopped""#))
            #expect(stage.journal.server("error").isEmpty)
            let asked = question?.json?["messages"]?.array?.first?["content"]?.string ?? ""
            #expect(asked.contains("Who wrote it?") && asked.contains(#""playing":"B""#), "\(asked)")

            let first = ToneLevels(stage.samples, hertz: 6000)
            let second = ToneLevels(stage.samples, hertz: 7000)
            #expect(first.loudest > 0.15, "A is heard: \(first.loudest)")
            #expect(second.loudest > 2 * first.loudest, "B is louder: \(second.loudest)")
            #expect(second.levels.suffix(20).allSatisfy { $0 < 0.001 }, "it stops")
        }

        /// Measured from the loudspeaker's output: how fast media fades when the voice begins, and comes back.
        @Test func mediaDucksAtTheFirstSampleOfTheVoice() async throws {
            let server = MediaServer()
            let port = try await server.start()
            server.serve("/a", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"], seconds: 60, hertz: 6000)))
            let stage = try Stage([.say("One two three four five six seven eight nine ten")])
            try await stage.start {
                $0.media.allowHosts = "127.0.0.1"
                // The state of the conversation ducks too; here only the voice itself may.
                $0.media.duckedLevelUser = 1
            }
            try await stage.reach(.listening)
            _ = try await stage.media?.play(address: "http://127.0.0.1:\(port)/a", title: "A", kind: .track)
            try await Task.sleep(for: .seconds(2))
            stage.say("Hello you")
            try await stage.reach(.listening, times: 2)
            try await Task.sleep(for: .seconds(1))
            let played = try #require(stage.ports).media.underruns.load(ordering: .relaxed)
            try await stage.stop()
            await server.stop()
            #expect(played == 0)

            let media = ToneLevels(stage.samples, hertz: 6000)
            let full = media.loudest
            let ducked = media.levels.firstIndex { $0 > 0.9 * full }.flatMap { start in
                media.levels[start...].firstIndex { $0 < 0.63 * full }
            }
            let low = try #require(ducked)
            let back = try #require(media.levels[low...].firstIndex { $0 > 0.95 * full })
            #expect(media.levels[low + 2..<back - 40].allSatisfy { abs($0 - 0.6 * full) < 0.05 * full })
            let rise = try #require(media.levels[..<back].lastIndex { $0 < 0.63 * full })
            #expect((20...40).contains(back - rise), "comes back in \(10 * (back - rise)) ms")
            let fall = try #require(media.levels[..<low].lastIndex { $0 > 0.97 * full })
            #expect(low - fall <= 5, "falls in \(10 * (low - fall)) ms")
            print("media falls within \(10 * (low - fall)) ms and comes back within \(10 * (back - rise)) ms")
        }
    }
}

/// The amplitude of one frequency in blocks of 10 ms.
struct ToneLevels {
    private(set) var levels: [Float] = []

    var loudest: Float { levels.max() ?? 0 }

    /// - Parameter hertz: a multiple of 100, so that a block holds whole periods.
    init(_ samples: [Float], hertz: Double) {
        let step = 2 * Double.pi * hertz / 48_000
        for start in stride(from: 0, to: samples.count - 480, by: 480) {
            var (real, imaginary) = (0.0, 0.0)
            for index in 0..<480 {
                let sample = Double(samples[start + index])
                real += sample * cos(step * Double(index))
                imaginary += sample * sin(step * Double(index))
            }
            levels.append(Float((real * real + imaginary * imaginary).squareRoot() / 240))
        }
    }
}
