import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

struct ConfigurationLoaderTests {
    private static let services: String = {
        let names = ServiceRegistry.all.map { "\"\($0.name.rawValue)\"" }
        guard names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }()

    @Test func withoutAnyFileTheDefaultsHold() throws {
        let loaded = try loader().load(path: nil)
        #expect(loaded.values == Configuration())
        #expect(loaded.file == nil)
        #expect(loaded.origin(of: "audio.input") == .builtIn)
    }

    @Test func fileThenEnvironmentThenCommandLine() throws {
        let text = "[audio]\ninput = \"file\"\noutput = \"file\"\nagc = true\n"
        let loaded = try loader(
            files: ["/c.toml": text], environment: ["JARVIS_AUDIO_INPUT": "env", "JARVIS_AUDIO_OUTPUT": "env"]
        ).load(path: "/c.toml", overrides: ["audio.output=cli"])
        #expect(loaded.values.audio.input == "env")
        #expect(loaded.values.audio.output == "cli")
        #expect(loaded.values.audio.agc)
        #expect(loaded.origin(of: "audio.agc") == .file(line: 4))
        #expect(loaded.origin(of: "audio.input") == .environment("JARVIS_AUDIO_INPUT"))
        #expect(loaded.origin(of: "audio.output") == .commandLine)
        #expect(loaded.file == "/c.toml")
    }

    @Test(arguments: [
        (
            "[audio]\noutput_buffer_ms = \"x\"",
            "c.toml:2: audio.output_buffer_ms must be a multiple of 10 from 30 to 160, got \"x\""
        ),
        (
            "[audio]\ninput_rate = 12000",
            "c.toml:2: audio.input_rate must be one of 0, 8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 88200, "
                + "96000, 176400 or 192000, got 12000"
        ),
        (
            "[service]\nuse = []",
            "c.toml:2: service.use must be a list without repetitions of \(services), got an array"
        ),
        (
            "[service]\nuse = [\"openai\", \"openai\"]", "c.toml:2: service.use names \"openai\" twice: once is enough"
        ),
        (
            "[service]\nuse = \"siri\"",
            "c.toml:2: There is no service \"siri\". Choose \(services.filter { $0 != "\"" })"
        ),
        ("[audio]\ninput_channel = 33", "c.toml:2: audio.input_channel must be an integer from 0 to 32, got 33"),
        ("[audio]\ninput_channel = 1.0", "c.toml:2: audio.input_channel must be an integer from 0 to 32, got 1.0"),
        ("[audio]\ninput = \"\"", "c.toml:2: audio.input must be a line of text that is not empty, got \"\""),
        ("[audio]\nagc = 1", "c.toml:2: audio.agc must be true or false, got 1"),
        ("[realtime]\nspeed = nan", "c.toml:2: realtime.speed must be a number from 0.25 to 1.5, got nan"),
        (
            "[realtime]\nspeed = 2026-01-01",
            "c.toml:2: realtime.speed must be a number from 0.25 to 1.5, got a date or a mixed array"
        ),
        (
            "[realtime]\nurl = \"http://x\"",
            "c.toml:2: realtime.url must be a URL that begins with wss:// or ws://, got something else"
        ),
        (
            "[realtime]\napi_key_file = \"sk-1\"",
            "c.toml:2: realtime.api_key_file must be the absolute path of a file, or \"\", got something else"
        ),
        (
            "[realtime]\napi_key = \"sk-1\"",
            "c.toml:2: realtime.api_key does not belong in the configuration: "
                + "put the secret into a file and name it in realtime.api_key_file"
        ),
        (
            "[echo]\n\nduplex = \"hlaf\"", "c.toml:3: echo.duplex: there is no \"hlaf\". Choose auto, full or half"
        ),
        ("[audio]\ninptu = \"x\"", "c.toml:2: unknown key audio.inptu, did you mean audio.input?"),
        ("input = \"x\"", "c.toml:1: unknown key input, did you mean audio.input?"),
        ("[audio]\nzzzzzzzz = 1", "c.toml:2: unknown key audio.zzzzzzzz"),
        ("[auido]\ninput = \"x\"\noutput = \"y\"", "c.toml:1: unknown section [auido], did you mean [audio]?"),
        ("audio = 3", "c.toml:1: unknown key audio"),
    ])
    func aWrongFileIsExplainedByLine(text: String, message: String) {
        #expect(problems(in: text) == [message])
    }

    @Test func variablesAndOptionsSeparateListsByCommas() throws {
        let one = try loader(environment: ["JARVIS_SERVICE_USE": " openai "]).load(path: nil)
        #expect(one.values.service.use == [.openAI])
        let two = try loader(environment: ["JARVIS_SERVICE_USE": "openai , local"]).load(path: nil)
        #expect(two.values.service.use == [.openAI, .local])
        let file = try loader(files: ["/c.toml": "[service]\nuse = \"openai\""]).load(path: "/c.toml")
        #expect(file.values.service.use == [.openAI])
    }

    @Test func allProblemsAreReportedTogether() {
        #expect(problems(in: "[audio]\nagc = 1\ninput_channel = -1\n").count == 2)
    }

    @Test func brokenTOMLHasAPlace() {
        let found = problems(in: "[audio]\ninput = \n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("c.toml:2:") == true)
        #expect(problems(in: "[audio]\ninput = \"a\"\ninput = \"b\"").first?.hasPrefix("c.toml:3:") == true)
    }

    @Test func textInAnotherEncodingIsRefused() {
        #expect(problems(in: [0x61, 0x20, 0x3D, 0x20, 0x22, 0xFF, 0x22]).count == 1)
        #expect(problems(in: [0x61, 0x3D, 0x00]).count == 1)
    }

    @Test func deepNamesAreRefusedEarly() {
        let name = [String](repeating: "a", count: 300_000).joined(separator: ".")
        #expect(problems(in: "[\(name)]") == ["c.toml:1:1: too many dotted names in one line"])
    }

    @Test func numbersMayBeWrittenAsIntegers() throws {
        let loaded = try loader(files: ["/c.toml": "realtime.speed = 1\naudio.capture_gain_db = -6"]).load(
            path: "/c.toml"
        )
        #expect(loaded.values.realtime.speed == 1)
        #expect(loaded.values.audio.captureGainDB == -6)
    }

    @Test(arguments: [
        ("JARVIS_AUDIO_AGC", "maybe", "$JARVIS_AUDIO_AGC: audio.agc must be true or false, got \"maybe\""),
        (
            "JARVIS_SERVICE_USE", "openai local",
            "$JARVIS_SERVICE_USE: There is no service \"openai local\". Choose \(services.filter { $0 != "\"" })"
        ),
        (
            "JARVIS_JARVIS_TIMEOUT_S", "0",
            "$JARVIS_JARVIS_TIMEOUT_S: jarvis.timeout_s must be an integer from 1 to 1800, got 0"
        ),
    ])
    func aWrongVariableIsNamed(name: String, value: String, message: String) {
        #expect(complaint { try loader(environment: [name: value]).load(path: nil) } == message)
    }

    @Test func anEmptyVariableCountsAsNotSet() throws {
        #expect(try loader(environment: ["JARVIS_AUDIO_EARCONS": ""]).load(path: nil).values == Configuration())
    }

    @Test func aMisspeltVariableIsWarnedOf() throws {
        let loaded = try loader(environment: ["JARVIS_AUDIO_INPUTT": "x", "JARVIS_HOME": "/x"]).load(path: nil)
        #expect(loaded.warnings == ["$JARVIS_AUDIO_INPUTT is not used; did you mean JARVIS_AUDIO_INPUT?"])
    }

    @Test(arguments: [
        ("audio.input", "--set: must be key=value"),
        ("audio.inputs=x", "--set: unknown key audio.inputs, did you mean audio.input?"),
        (
            "log.level=loud",
            "--set: log.level: there is no \"loud\". Choose trace, debug, info, notice, warning, error or critical"
        ),
    ])
    func aWrongOverrideIsNamed(override: String, message: String) {
        #expect(complaint { try loader().load(path: nil, overrides: [override]) } == message)
    }

    @Test func fileOfTheUserPrecedesTheSystemFile() throws {
        let files = [
            "/home/u/.config/jarvis-voiced/jarvis-voiced.toml": "audio.input = \"user\"",
            ConfigurationLoader.systemPath: "audio.input = \"system\"",
        ]
        #expect(try loader(files: files, environment: ["HOME": "/home/u"]).load(path: nil).values.audio.input == "user")
        #expect(try loader(files: files, environment: ["HOME": "/root"]).load(path: nil).values.audio.input == "system")
        let loaded = try loader(files: files, environment: ["HOME": "/home/u", "XDG_CONFIG_HOME": "/x"]).load(path: nil)
        #expect(loaded.file == ConfigurationLoader.systemPath)
    }

    /// The daemon that uses it is this user's, and not the service.
    @Test func fileInTheUserFolderBelongsToTheUser() throws {
        let own = "/home/u/.config/jarvis-voiced/jarvis-voiced.toml"
        let files = [own: "", "/draft.toml": "", ConfigurationLoader.systemPath: ""]
        let user = loader(files: files, environment: ["HOME": "/home/u"])
        #expect(try user.load(path: nil).isUsersOwn)
        #expect(try user.load(path: own).isUsersOwn, "named on the command line")
        #expect(try !user.load(path: "/draft.toml").isUsersOwn)
        #expect(try !loader(files: files, environment: ["HOME": "/root"]).load(path: nil).isUsersOwn)
        #expect(try !loader().load(path: nil).isUsersOwn)
    }

    @Test func aNamedFileMustBeThere() {
        #expect(complaint { try loader().load(path: "/none.toml") } == "/none.toml: cannot be read: no such file")
    }

    @Test func everyKeyAcceptsItsDefaultFromAnyLayer() throws {
        for key in ConfigurationSchema.keys {
            let loaded = try loader(files: ["/c": "\(key.path) = \(key.builtIn.toml)"]).load(path: "/c")
            #expect(loaded.values == Configuration(), "\(key.path)")
        }
    }

    @Test func randomBytesAreAnErrorAtWorst() {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "[", "]", "audio", ".", "input", "=", "\"", "\"\"\"", "\n", "{", "}", ",", "1", "-", "nan", "\\u00", "#",
            "ü", "'",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            _ = problems(in: text.joined())
        }
    }

    private func loader(files: [String: String] = [:], environment: [String: String] = [:]) -> ConfigurationLoader {
        ConfigurationLoader(environment: environment, files: .stub(files.mapValues { Array($0.utf8) }))
    }

    private func problems(in text: String) -> [String] { problems(in: Array(text.utf8)) }

    private func problems(in bytes: [UInt8]) -> [String] {
        let loader = ConfigurationLoader(environment: [:], files: .stub(["c.toml": bytes]))
        do {
            _ = try loader.load(path: "c.toml")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    private func complaint(_ body: () throws -> LoadedConfiguration) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
