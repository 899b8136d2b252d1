import Logging
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceLive
@testable import VoiceNetwork
@testable import VoiceSession

struct DaemonSettingsTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func settings(
        _ change: (inout Configuration) -> Void = { _ in },
        environment: [String: String] = ["OPENAI_API_KEY": "sk-x"]
    ) throws -> DaemonSettings {
        var configuration = Configuration()
        change(&configuration)
        let secrets = try Secrets(configuration: configuration, environment: environment)
        return try DaemonSettings(configuration, secrets: secrets, logger: logger)
    }

    @Test func defaultsFitTheService() throws {
        let settings = try settings()
        #expect(settings.service.request?.url == "wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1")
        #expect(settings.service.request?.headers.map(\.name) == ["Authorization"])
        #expect(settings.realtime.voice == "marin")
        #expect(settings.realtime.turnDetection == .semantic(eagerness: "auto"))
        #expect(settings.realtime.noiseReduction == "far_field")
        #expect(settings.realtime.tools.first?["name"] == "ask_jarvis")
    }

    @Test func missingKeyNamesTheFix() {
        #expect(throws: ConfigurationError.self) { try settings(environment: [:]) }
        do {
            _ = try settings(environment: [:])
        } catch {
            #expect("\(error)".contains("OPENAI_API_KEY"))
            #expect("\(error)".contains("jarvis-simulator"))
        }
    }

    /// Without a key, `config check` checks everything else.
    @Test func missingKeyAllowsTheOtherChecks() throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = Configuration()
        #expect(DaemonSettings.missingKey(configuration, .none)?.message.contains("OPENAI_API_KEY") == true)
        _ = try DaemonSettings(configuration, secrets: .none, needsKey: false, logger: logger)
        configuration.audio.inputChannels = "nonsense of all kinds"
        #expect {
            _ = try DaemonSettings(configuration, secrets: .none, needsKey: false, logger: logger)
        } throws: { "\($0)".hasPrefix("audio.input_channels") }
    }

    /// Wyoming has no encryption. Names are judged when they are connected to: only this network knows what they mean.
    @Test func aPublicSpeechServerIsRefusedBeforeTheStart() throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        func check(_ change: (inout Configuration) -> Void) throws {
            var configuration = Configuration()
            configuration.service.use = [.local]
            change(&configuration)
            _ = try DaemonSettings(configuration, secrets: .none, logger: logger)
        }
        let public4 = "8.8.8.8:10300"
        for (key, change) in [
            ("local.recogniser", { $0.local.recogniser = public4 }), ("local.speaker", { $0.local.speaker = public4 }),
            ("local.recogniser", { $0.local.recogniser = "[2001:4860:4860::8888]:10300" }),
            (
                "activation.wyoming_address",
                {
                    $0.activation.engine = .wyoming
                    $0.activation.wyomingAddress = public4
                }
            ),
        ] as [(String, (inout Configuration) -> Void)] {
            #expect {
                try check(change)
            } throws: { error in
                let text = "\(error)"
                return text.hasPrefix(key) && text.contains("outside this network")
                    && text.contains("local.allow_public = true")
            }
            try check {
                change(&$0)
                $0.local.allowPublic = true
            }
        }
        try check { $0.local.recogniser = "192.168.1.20:10300" }
        try check { $0.local.recogniser = "speech.example.com:10300" }
    }

    @Test func aServiceWithoutItsKeyIsLeftOut() throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = Configuration()
        configuration.service.use = [.openAI, .local]
        let settings = try DaemonSettings(configuration, secrets: .none, logger: logger)
        #expect(settings.service.name == "local")
        #expect(settings.substitutes.isEmpty)
        #expect(settings.notices.contains("service.use: openai is left out: no API key"))
        let context = DoctorContext(overrides: ["service.use=openai,local"], environment: [:], files: .stub([:]))
        #expect(context.problems.isEmpty)
        #expect(context.settings != nil)
        let findings = ConfigurationCheck.apiKey(context)
        #expect(findings.map(\.verdict) == [.warn])
        #expect(findings.first?.message.contains("openai, which is left out: local is used") == true)
        #expect(context.loaded.map { context.service($0.values).name } == .local)
    }

    /// Instructions for one service, with its tools, are not for another service's provider.
    @Test func eachServiceGetsItsOwnInstructions() throws {
        var configuration = Configuration()
        configuration.service.use = [.openAI, .openAILive, .local]
        configuration.realtime.instructionsFile = "/realtime"
        configuration.live.instructionsFile = "/live"
        let files = FileReader.stub(["/realtime": Array("Use your tools.".utf8), "/live": Array("Delegate.".utf8)])
        let found = try DaemonSettings.instructions(of: configuration, files: files)
        #expect(found[.openAI] == "Use your tools." && found[.openAILive] == "Delegate.")
        configuration.live.instructionsFile = ""
        #expect(try DaemonSettings.instructions(of: configuration, files: files)[.openAILive] == nil)
    }

    /// A microphone that is always open must not cost more than the owner knows, whichever service takes over.
    @Test func alwaysNeedsABudgetForSubstitutesToo() throws {
        #expect(throws: ConfigurationError.self) {
            try settings {
                $0.service.use = [.local, .openAILive]
                $0.activation.mode = .always
                $0.budget.dayUSD = 0
            }
        }
    }

    /// An unreadable key does not prevent the start if no service needs it.
    @Test func unusedKeyIsNotRead() throws {
        let used = ["realtime.api_key_file=/not/there"]
        #expect(!DoctorContext(overrides: used, environment: [:], files: .stub([:])).secretProblems.isEmpty)
        let unused = DoctorContext(overrides: used + ["service.use=local"], environment: [:], files: .stub([:]))
        #expect(unused.secretProblems.isEmpty)
        #expect(ConfigurationCheck.apiKey(unused).map(\.verdict) == [.ok])
    }

    @Test func aKeyDoesNotTravelUnencrypted() throws {
        #expect(throws: ConfigurationError.self) { try settings { $0.realtime.url = "ws://203.0.113.7/v1/realtime" } }
        #expect(try settings { $0.realtime.url = "ws://gpu.lan/v1/realtime" }.service.request?.staysNear == true)
        #expect(try settings { $0.realtime.url = "wss://gpu.lan/v1/realtime" }.service.request?.staysNear == false)
        let allowed = try settings {
            $0.realtime.url = "ws://203.0.113.7/v1/realtime"
            $0.realtime.allowPlainHTTP = true
        }
        #expect(allowed.service.request?.staysNear == false)
    }

    @Test(
        arguments: [
            ("gpt-realtime-2.1", Configuration.Realtime.ReasoningEffort.auto, "minimal"),
            ("gpt-realtime-2.1-mini", .auto, "minimal"), ("gpt-realtime-2", .auto, "minimal"),
            ("gpt-realtime-2-2026-05-01", .auto, "minimal"), ("gpt-realtime-2025-08-28", .auto, nil),
            ("gpt-realtime", .auto, nil), ("gpt-realtime-1.5", .auto, nil), ("gpt-realtime-2.1", .off, nil),
            ("gpt-realtime-2.1", .high, "high"), ("a-deployment", .low, "low"),
        ] as [(String, Configuration.Realtime.ReasoningEffort, String?)]
    )
    func reasoningEffortIsTheLowestOfTheModel(
        model: String,
        asked: Configuration.Realtime.ReasoningEffort,
        sent: String?
    ) throws {
        let settings = try settings {
            $0.realtime.model = model
            $0.realtime.reasoningEffort = asked
        }
        let reasoning = settings.realtime.json["reasoning"]
        #expect(reasoning == sent.map { ["effort": .string($0)] })
    }

    @Test func otherDialectGetsNoReasoningEffort() throws {
        let settings = try settings {
            $0.realtime.url = "ws://127.0.0.1:8080"
            $0.realtime.dialect = .chosen(.localAI)
        }
        #expect(settings.realtime.json["reasoning"] == nil)
    }

    /// A GPT-Live session is charged by the second, and "always" never closes it.
    @Test func alwaysOpenPaidSessionNeedsABudget() throws {
        func live(_ change: @escaping (inout Configuration) -> Void) throws -> DaemonSettings {
            try settings {
                $0.service.use = [.openAILive]
                $0.activation.mode = .always
                change(&$0)
            }
        }
        let limited = try live { $0.budget.dayUSD = 2 }
        #expect(limited.notices.contains { $0.contains("$72 a day") })
        #expect(limited.service.name == "openai-live" && limited.model == "gpt-live-1.1")
        #expect(limited.service.request?.url == "wss://api.openai.com/v1/live/sessions")
        #expect(limited.conversation.capabilities == .live && limited.budget.prices.sessionMinute == 0.05)
        do {
            _ = try live { $0.budget.dayUSD = 0 }
            Issue.record("not refused")
        } catch {
            #expect("\(error)".contains("activation.mode") && "\(error)".contains("budget.day_usd"))
        }
        let free = try live {
            $0.budget.dayUSD = 0
            $0.budget.priceSessionMinUSD = 0
        }
        #expect(!free.notices.contains { $0.contains("a day") })
    }

    /// What the configuration may not set, a command or a saved mode may not either.
    @Test func alwaysSetByHandNeedsABudgetToo() throws {
        func refusal(_ use: [Configuration.Service.Name], limitsDay: Bool = false) throws -> String? {
            try settings {
                $0.service.use = use
                $0.activation.mode = .push
            }.refusalOfAlways(limitsDay: limitsDay)
        }
        #expect(try refusal([.openAILive])?.contains("$72 a day") == true)
        #expect(try refusal([.openAI, .openAILive])?.contains("budget.day_usd") == true, "it may take over")
        #expect(try refusal([.openAILive], limitsDay: true) == nil)
        #expect(try refusal([.openAI]) == nil)
    }

    /// One price per minute for any service that charges by time, wherever it is in the list.
    @Test func minutePriceAppliesToASubstitute() throws {
        let settings = try settings {
            $0.service.use = [.openAI, .openAILive]
            $0.budget.priceSessionMinUSD = 0.02
            $0.budget.priceAudioOutUSD = 7
        }
        #expect(settings.budget.substitutePrices.map(\.sessionMinute) == [0.02])
        #expect(settings.budget.substitutePrices.map(\.audioOut) == [0])
    }

    @Test func levelsComeFromTheConfiguration() throws {
        let settings = try settings {
            $0.audio.masterVolume = 40
            $0.audio.captureGainDB = 6
            $0.audio.agc = true
            $0.audio.mixer = "Speaker"
        }
        #expect(settings.volumes.configured == Volumes(master: 40))
        #expect(settings.volumes.stateDirectory == nil)
        #expect(settings.audio.captureGainDecibels == 6 && settings.audio.automaticGain)
        #expect(throws: ConfigurationError.self) { try self.settings { $0.audio.mixer = "hw:PCH/" } }
    }

    @Test func aModelsNameIsEscaped() throws {
        let settings = try settings { $0.realtime.model = "a b&c" }
        #expect(settings.service.request?.url.hasSuffix("?model=a%20b%26c") == true)
    }

    @Test func missingInstructionsFileIsNamed() {
        var configuration = Configuration()
        configuration.realtime.instructionsFile = "/nonexistent/persona.md"
        #expect(throws: ConfigurationError.self) { try DaemonSettings.instructions(of: configuration) }
    }

    /// A wrong address in a section that is not in use.
    @Test func lastResortDoesNotNeedARecogniser() throws {
        var configuration = Configuration()
        configuration.local.recogniser = "nowhere"
        var settings = try DaemonSettings(configuration, secrets: .none, needsKey: false, logger: LineLog().logger)
        settings.addLastResort(configuration)
        #expect(settings.lastResort == nil && !settings.conversation.hasLastResort)
    }
}
