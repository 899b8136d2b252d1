import Glibc
import Testing

@testable import VoiceBase
@testable import VoiceCore

struct SetupPlanTests {
    private let system: SetupPlace
    private let own: SetupPlace

    init() throws {
        system = try #require(SetupPlace(isRoot: true, wantsOwn: false, paths: [], exists: { _ in false }))
        let paths = ["/home/a/.config/jarvis-voiced/jarvis-voiced.toml", ConfigurationLoader.systemPath]
        own = try #require(SetupPlace(isRoot: false, wantsOwn: true, paths: paths, exists: { _ in false }))
    }

    @Test func rootSetsUpTheSystemDespiteItsOwnFile() {
        let place = SetupPlace(isRoot: true, wantsOwn: false, paths: [own.file], exists: { _ in true })
        #expect(place?.file == "/etc/jarvis-voiced/jarvis-voiced.toml")
        #expect(place?.isOwn == false)
    }

    @Test func userSetsUpTheFoundFile() {
        let paths = [own.file, ConfigurationLoader.systemPath]
        let found = SetupPlace(isRoot: false, wantsOwn: false, paths: paths, exists: { $0 == own.file })
        #expect(found == own)
        #expect(own.folder == "/home/a/.config/jarvis-voiced")
        #expect(SetupPlace(isRoot: false, wantsOwn: false, paths: paths, exists: { $0 != own.file }) == nil)
    }

    @Test func currentValueIsNotAChange() {
        var plan = SetupPlan(Configuration())
        #expect(plan.set("audio.input", to: "Jabra") == nil)
        #expect(plan.set("audio.input", to: "default") == nil)
        #expect(plan.isEmpty)
    }

    @Test(arguments: [
        ("activation.mode", "ask", "activation.mode: there is no \"ask\". Choose always, wake or push"),
        (
            "local.recogniser", "host",
            "local.recogniser must be host:port, for instance 192.168.1.20:10300 or [::1]:10300"
        ),
        (
            "activation.wake_words", "jarvis:x",
            "activation.wake_words wants low, normal or high after the colon: \"jarvis:x\""
        ),
        (
            "jarvis.url", "http://me:pass@h",
            "jarvis.url contains a user name or a password: leave them out, secrets have their own keys"
        ),
    ])
    func refusesAValueInOneLine(path: String, text: String, complaint: String) {
        var plan = SetupPlan(Configuration())
        #expect(plan.set(path, to: text) == complaint)
        #expect(plan.isEmpty)
    }

    @Test func newFilesGetTheRightsOfThePackage() throws {
        var plan = SetupPlan(Configuration())
        _ = plan.set("jarvis.url", to: "http://h/ui")
        plan.secrets = [.token: try #require(Secret("t"))]
        let files = try plan.files(system, changing: nil, daemon: 900)
        #expect(files.map(\.path) == ["/etc/jarvis-voiced/jarvis-token", "/etc/jarvis-voiced/jarvis-voiced.toml"])
        #expect(files.map(\.mode) == [0o600, 0o644])
        #expect(files.allSatisfy { $0.owner == nil })
        #expect(files[0].bytes == Array("t\n".utf8))
        #expect(try plan.files(own, changing: nil, daemon: 900).map(\.mode) == [0o600, 0o600])
    }

    @Test func configuredFileBelongsToTheDaemon() throws {
        var values = Configuration()
        values.realtime.apiKeyFile = "/srv/key"
        var plan = SetupPlan(values)
        plan.secrets = [SetupSecret(.openAI): try #require(Secret("sk-1"))]
        let files = try plan.files(system, changing: [], daemon: 900)
        #expect(files.map(\.path) == ["/srv/key"])
        #expect(files[0].owner == 900)
    }

    @Test func linesNameSecretsAndHideThem() throws {
        var plan = SetupPlan(Configuration())
        _ = plan.set("audio.output", to: "Jabra")
        plan.secrets = [SetupSecret(.openAI): try #require(Secret("sk-1"))]
        #expect(
            plan.lines(system) == ["audio.output = \"Jabra\"", "/etc/jarvis-voiced/openai-api-key: a new secret"]
        )
    }
}
