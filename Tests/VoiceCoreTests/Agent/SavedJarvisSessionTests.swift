import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase

struct SavedJarvisSessionTests {
    @Test func savedSessionRoundTrips() {
        for saved in [
            SavedJarvisSession(id: "voice-1", previous: "resp_msg_7", usedAt: 12), .init(id: "voice-a_b", usedAt: 0),
            .init(id: "voice-1", usedAt: 1, knowsVoiceMode: true),
        ] {
            #expect(SavedJarvisSession(parsing: Array(saved.text.utf8)) == saved)
        }
    }

    @Test(arguments: [
        "", "id = 3", "id = \"123\"", "id = \"voice-../x\"", "id = \"voice-1", "previous = \"x\"",
        "id = \"voice-1\"\nprevious = \"a b\"", "id = \"\"",
    ])
    func malformedSessionFileStartsANewSession(text: String) {
        #expect(SavedJarvisSession(parsing: Array(text.utf8)) == nil)
    }

    @Test func conversationContinuesAfterARestart() async throws {
        let folder = "/tmp/jarvis-session-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let store = JarvisSessionStore.folder(folder, logger: LineLog().logger)
        let first = ScriptedJarvisTransport([.content("Yes.")])
        _ = await (try client(first, store, ids: ["a", "b"])).ask("1")
        while store.load() == nil { await Task.yield() }
        let second = ScriptedJarvisTransport([.content("Yes.")])
        _ = await (try client(second, store, ids: ["c", "d"])).ask("2")
        #expect(second.requests.last?.header("session_id") == first.requests.last?.header("session_id"))
        let late = ScriptedJarvisTransport([.content("Yes.")])
        _ = await (try client(late, store, ids: ["e"], laterBy: 1801)).ask("3")
        #expect(late.requests.last?.header("session_id") == "voice-e")
        let back = ScriptedJarvisTransport([.content("Yes.")])
        while store.load()?.id != "voice-e" { await Task.yield() }
        _ = await (try client(back, store, ids: ["f"], laterBy: -100_000)).ask("4")
        #expect(back.requests.last?.header("session_id") == "voice-e", "a clock that was set back is no pause")
        unlink(folder + "/conversation")
        rmdir(folder)
    }

    @Test func unwritableFileIsOnlyLogged() async throws {
        let log = LineLog()
        let store = JarvisSessionStore.folder("/proc/nowhere", logger: log.logger)
        let client = try client(ScriptedJarvisTransport([.content("Yes.")]), store, ids: ["a"], logger: log)
        #expect(await client.ask("1").spoken == "Yes.")
        while !log.lines.contains(where: { $0.contains("will not survive a restart") && $0.contains("/proc/nowhere/") })
        { await Task.yield() }
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        _ store: JarvisSessionStore,
        ids: [String],
        laterBy seconds: Int = 0,
        logger: LineLog = LineLog()
    ) throws -> JarvisClient {
        var environment = TestTime().environment(ids: ids)
        environment.wallClock = { 1_795_208_889 + seconds }
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: Secret("topsecret"),
            settings: Configuration().jarvis,
            transport: transport,
            store: store,
            environment: environment,
            logger: logger.logger
        )
    }
}
