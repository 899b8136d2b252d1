import Logging
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct DialectTests {
    private func settings(_ change: (inout Configuration) -> Void, key: String? = "k-1") throws -> DaemonSettings {
        var configuration = Configuration()
        change(&configuration)
        let secrets = try Secrets(
            configuration: configuration,
            environment: key.map { ["OPENAI_API_KEY": $0] } ?? [:]
        )
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try DaemonSettings(configuration, secrets: secrets, logger: logger)
    }

    @Test(arguments: [
        ("wss://api.openai.com/v1/realtime", Dialect.Name.openAI), ("wss://eu.api.openai.com", .openAI),
        ("wss://voice.openai.azure.com", .azure), ("wss://api.x.ai/v1/realtime", .xai),
        ("wss://example.org/v1/realtime", .openAI), ("wss://openai.azure.com.example.org", .openAI),
    ])
    func hostSelectsTheDialect(url: String, name: Dialect.Name) throws {
        let settings = try settings { $0.realtime.url = url }
        #expect(settings.realtime.dialect.name == name)
    }

    @Test func azureUsesItsHeaderAndPath() throws {
        let settings = try settings {
            $0.realtime.url = "wss://voice.openai.azure.com"
            $0.realtime.model = "our-deployment"
        }
        #expect(settings.service.request?.url == "wss://voice.openai.azure.com/openai/v1/realtime?model=our-deployment")
        #expect(settings.service.request?.headers.map(\.name) == ["api-key"])
        #expect(settings.service.request?.headers.map(\.value) == ["k-1"])
        #expect(settings.conversation.sessionLifetime == .seconds(1800))
        #expect(settings.notices.count == 1)
    }

    @Test(arguments: [
        ("wss://host.example/v1/realtime?model=mine", "wss://host.example/v1/realtime?model=mine"),
        ("wss://host.example/?tier=gold", "wss://host.example/v1/realtime?tier=gold&model=m"),
        ("wss://host.example/other", "wss://host.example/other?model=m"),
    ])
    func addressIsCompletedNotChanged(url: String, whole: String) throws {
        let settings = try settings {
            $0.realtime.url = url
            $0.realtime.model = "m"
        }
        #expect(settings.service.request?.url == whole)
    }

    @Test(arguments: Dialect.all.filter(\.isSelfHosted).map(\.name))
    func ownServerNeedsNoKeyAndCostsNothing(dialect: Dialect.Name) throws {
        let settings = try settings(
            {
                $0.realtime.url = "ws://127.0.0.1:8080"
                $0.realtime.dialect = .chosen(dialect)
            },
            key: nil
        )
        #expect(settings.service.request?.headers.isEmpty == true)
        #expect(settings.budget.prices == PriceTable())
        #expect(settings.realtime.turnDetection == .server(threshold: 0.5, silence: 500))
        #expect(settings.notices.contains { $0.contains("server_vad") })
        #expect(settings.conversation.responseLimit == .seconds(30))
        #expect(settings.pump.chunk == 100)
    }

    @Test func noticeNamesTheModelTheServerDemands() throws {
        func notices(_ dialect: Dialect.Name, _ url: String, model: String? = nil) throws -> [String] {
            try settings(
                {
                    $0.realtime.url = url
                    $0.realtime.dialect = .chosen(dialect)
                    if let model { $0.realtime.model = model }
                },
                key: nil
            ).notices.filter { $0.contains("realtime.model") }
        }
        #expect(try notices(.speaches, "ws://127.0.0.1:8000").count == 1)
        #expect(try notices(.speaches, "ws://127.0.0.1:8000", model: "m").isEmpty)
        #expect(try notices(.speaches, "ws://127.0.0.1:8000/v1/realtime?model=m").isEmpty)
        #expect(try notices(.huggingFace, "ws://127.0.0.1:8000").isEmpty)
    }

    /// A server of one's own does not know OpenAI's defaults.
    @Test(arguments: Dialect.all.filter(\.isSelfHosted).map(\.name))
    func ownServerGetsOnlyConfiguredSettings(dialect: Dialect.Name) throws {
        func sent(_ change: (inout Configuration.Realtime) -> Void) throws -> String {
            let settings = try settings(
                {
                    $0.realtime.url = "ws://127.0.0.1:8080"
                    $0.realtime.dialect = .chosen(dialect)
                    $0.realtime.transcription = true
                    change(&$0.realtime)
                },
                key: nil
            )
            let update = ClientEvent.sessionUpdate(settings.realtime, eventID: "e").encoded(
                for: settings.realtime.dialect
            )
            return (settings.service.request?.url ?? "") + String(decoding: update, as: UTF8.self)
        }
        let plain = try sent { _ in }
        for unknown in ["gpt-", "marin", "model=", "output_tokens", "noise_reduction"] {
            #expect(!plain.contains(unknown), "\(unknown) in \(plain)")
        }
        let chosen = try sent {
            $0.model = "my-model"
            $0.voice = "joe"
            $0.transcriptionModel = "whisper-small"
        }
        for own in ["model=my-model", "joe", "whisper-small"] { #expect(chosen.contains(own), "\(own) in \(chosen)") }
    }

    @Test func xaiIsChargedByTheMinute() throws {
        let prices = try settings { $0.realtime.url = "wss://api.x.ai/v1/realtime" }.budget.prices
        #expect(prices.sessionMinute == 0.05)
        #expect(prices.cost(of: Usage(audioIn: 1000, audioOut: 1000)) == 0)
    }

    @Test func unencryptedRemoteAddressIsRefused() {
        #expect(throws: ConfigurationError.self) {
            try settings(
                {
                    $0.realtime.url = "ws://203.0.113.7"
                    $0.realtime.dialect = .chosen(.localAI)
                },
                key: nil
            )
        }
    }

    @Test func historyUsesTheNamesOfTheDialect() {
        func kind(_ dialect: Dialect) -> JSONValue? {
            let event = ClientEvent.assistantMessage(text: "Two.", eventID: "e").json(for: dialect)
            guard case .array(let content)? = event["item"]?["content"] else { return nil }
            return content.first?["type"]
        }
        #expect(kind(.openAI) == "output_text")
        #expect(kind(.speaches) == "text")
    }

    @Test func argumentsOfACallAreKeptUntilTheResponseEnds() throws {
        let text =
            #"{"type":"response.function_call_arguments.done","response_id":"r","call_id":"c","name":"n","arguments":"{"}"#
        let call = FunctionCall(callID: "c", name: "n", arguments: "{")
        #expect(
            try ServerEventDecoder().decode(text) == .callWritten(responseID: "r", itemID: "", call: call),
            "it is kept until the response is done"
        )
    }
}
