import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceMedia

extension EndToEnd {
    /// From the question through the agent's reply to the audio of that file: the agent names, the box plays.
    @Suite(.enabled(if: TestSound.canPlay, "ffmpeg is not installed")) struct NamedMediaTests {
        private static let query = "play me something good"

        private static func ask(_ words: String = query) -> ConversationScript.Turn {
            .init(
                transcript: words,
                action: .callOnly(tool: "ask_jarvis", arguments: ["query": .string(words), "about_media": true])
            )
        }

        /// A web server with tones under "/a.wav" (6000 Hz) and "/b.wav" (7000 Hz), a playlist and a feed.
        private static func server(seconds: Double) async throws -> (MediaServer, root: String) {
            let server = MediaServer()
            let root = "http://127.0.0.1:\(try await server.start())"
            for (path, hertz) in [("/a.wav", 6000), ("/b.wav", 7000)] {
                let sound = try TestSound.tone(["-f", "wav"], seconds: path == "/a.wav" ? seconds : 60, hertz: hertz)
                server.serve(path, .file(type: "audio/wav", sound))
            }
            server.serve("/list.m3u", .file(type: "audio/x-mpegurl", Array("#EXTM3U\n\(root)/a.wav\n".utf8)))
            let feed = """
                <rss><channel><title>Show</title><item><title>Episode 147</title>
                <enclosure url="\(root)/a.wav" type="audio/wav"/></item></channel></rss>
                """
            server.serve("/feed.xml", .file(type: "application/rss+xml", Array(feed.utf8)))
            return (server, root)
        }

        /// ROOT is replaced by the address of the web server.
        @Test(arguments: [
            ("object", #"{"type":"track","title":"Song","url":"ROOT/a.wav","reason":"you have not heard it"}"#),
            ("array", #"How about these: [{"title":"Song","url":"ROOT/a.wav"},{"title":"Other","url":"ROOT/b.wav"}]"#),
            ("fenced", "Here.\n```json\n{\"items\": [{\"title\": \"Song\", \"url\": \"ROOT/a.wav\"}]}\n```\n"),
            ("link", "I found [Song](ROOT/a.wav) for you."), ("bare", "Play this: ROOT/a.wav"),
            ("playlist", "- Song: ROOT/list.m3u\n"),
            ("feed", #"{"type":"podcast","title":"Song","url":"ROOT/feed.xml"}"#),
        ])
        func mediaNamedByTheAgentIsPlayed(form: String, reply: String) async throws {
            let (server, root) = try await Self.server(seconds: 60)
            let stage = try Stage([Self.ask()], playsNamedMedia: true) { _ in
                .init(.reply(reply.replacing("ROOT", with: root)))
            }
            try await stage.start { $0.media.allowHosts = "127.0.0.1" }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            for _ in 0..<300 {
                if await stage.media?.snapshot().status == .playing { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            try await Task.sleep(for: .milliseconds(1500))
            let playing = await stage.media?.snapshot()
            let outputs = stage.journal.outputs
            try await stage.stop()
            await server.stop()
            #expect(playing?.status == .playing)
            let title = form == "bare" ? "a" : "Song"
            #expect(playing?.title == (form == "feed" ? "Episode 147" : title))
            let kind = form == "feed" ? "podcast" : "track"
            #expect(outputs.first?.contains("\nmedia-1: \"\(title)\" (\(kind))") == true, "\(outputs)")
            #expect(outputs.allSatisfy { !$0.contains("http") }, "no address passes through the model: \(outputs)")
            #expect(stage.journal.server("error").isEmpty)
            let (song, other) = (ToneLevels(stage.samples, hertz: 6000), ToneLevels(stage.samples, hertz: 7000))
            #expect(song.loudest > 0.15, "\(form): \(song.loudest)")
            #expect(other.loudest < 0.01, "\(form): \(other.loudest)")
        }

        /// The same with the agent's real server, if one runs: scripts/agent-check.
        @Test(
            .enabled(if: RunningServer.found != nil, "no AGENT_URL"),
            arguments: ["object", "array", "link", "bare", "playlist"], [Configuration.Jarvis.API.chat, .responses]
        )
        func mediaNamedByARealServerIsPlayed(form: String, api: Configuration.Jarvis.API) async throws {
            let agent = try #require(RunningServer.found)
            let (server, root) = try await Self.server(seconds: 60)
            let stage = try Stage([Self.ask("media \(form) \(root)/a.wav")], playsNamedMedia: true)
            try await stage.start(token: agent.token) {
                $0.media.allowHosts = "127.0.0.1"
                $0.jarvis.url = agent.url
                $0.jarvis.api = api
            }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            try await Task.sleep(for: .milliseconds(2500))
            let outputs = stage.journal.outputs
            try await stage.stop()
            await server.stop()
            #expect(outputs.first?.contains("media-1: \"") == true, "\(outputs)")
            #expect(outputs.allSatisfy { !$0.contains("http") }, "\(outputs)")
            #expect(ToneLevels(stage.samples, hertz: 6000).loudest > 0.15, "\(form), \(api): \(outputs)")
        }

        /// The first item ends, the conversation is informed, the next one begins; at the end the user is asked, and
        /// what the agent names then is played.
        @Test func itemsPlayInOrderAndTheModelIsInformed() async throws {
            let (server, root) = try await Self.server(seconds: 1)
            server.serve(
                "/c.wav", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"], seconds: 1, hertz: 8000))
            )
            let stage = try Stage([Self.ask(), Self.ask("yes, go on")], playsNamedMedia: true) { request in
                let isFirst = !(request.json?["messages"]?.array?.first?["content"]?.string ?? "").contains("yes")
                return .init(
                    .reply(
                        isFirst
                            ? #"[{"title":"One","url":"\#(root)/a.wav"},{"title":"Two","url":"\#(root)/c.wav"}]"#
                            : #"{"title":"Three","url":"\#(root)/b.wav"}"#
                    )
                )
            }
            try await stage.start { $0.media.allowHosts = "127.0.0.1" }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.journal.wait(for: "the end of the queue") { entries in
                entries.client().contains { $0["item"]?["output"]?.string?.contains("queue_ended") == true }
            }
            try await stage.journal.wait(for: "the question") { $0.count(.aiSpeaking) >= 2 && $0.last(.listening) }
            stage.say("Yes")
            // A late machine starts the decoder late.
            for _ in 0..<1500 {
                let media = await stage.media?.snapshot()
                if media?.title == "Three", media?.position ?? 0 >= 2.5 { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            try await stage.stop()
            await server.stop()
            let reported = stage.journal.outputs.filter { $0.contains("\"event\"") }
            #expect(reported.first?.hasPrefix(#"{"event":"next_item","next":"Two","note":"#) == true, "\(reported)")
            #expect(reported.first?.hasSuffix(#""title":"One"}"#) == true, "\(reported)")
            #expect(reported.last?.hasPrefix(#"{"event":"queue_ended""#) == true, "\(reported)")
            #expect(reported.last?.hasSuffix(#""title":"Two"}"#) == true, "\(reported)")
            let creates = stage.journal.client("response.create")
            #expect(creates.count { $0["response"]?["tool_choice"] == "none" && $0["response"]?["tools"] == [] } == 1)
            let asked = stage.agent.requests.compactMap { $0.json?["messages"]?.array?.first?["content"]?.string }
            #expect(asked.count == 2, "nobody is asked because something ended: \(asked)")
            #expect(asked.last?.contains(#""played_lately":["Two","One"]"#) == true, "\(asked)")
            for (hertz, name) in [(6000.0, "One"), (8000, "Two"), (7000, "Three")] {
                #expect(ToneLevels(stage.samples, hertz: hertz).loudest > 0.05, "\(name) is heard")
            }
        }

        /// Media from the home network is not played unless its host is listed: the user hears which host, and the fix.
        @Test func homeAddressIsRefusedWithTheFix() async throws {
            let (server, root) = try await Self.server(seconds: 60)
            let stage = try Stage([Self.ask()], playsNamedMedia: true) { _ in .init(.reply("Play this: \(root)/a.wav"))
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            await server.stop()
            #expect(stage.journal.outputs.last?.contains("media.allow_hosts") == true, "\(stage.journal.outputs)")
            #expect(server.requests.isEmpty)
        }
    }
}

extension [Journal.Entry] {
    /// Whether this is the last state that was reached.
    func last(_ state: ConversationState) -> Bool {
        for case .state(let reached) in reversed() { return reached == state }
        return false
    }
}

/// The agent's real server, if the environment names one.
struct RunningServer {
    let url: String
    let token: String

    static let found: RunningServer? = {
        guard let url = getenv("AGENT_URL"), let token = getenv("AGENT_TOKEN") else { return nil }
        return RunningServer(url: String(cString: url), token: String(cString: token))
    }()
}
