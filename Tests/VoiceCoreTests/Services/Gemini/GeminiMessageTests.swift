import FoundationEssentials
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceGemini

struct GeminiMessageTests {
    private static let sound = String(repeating: "AAEC", count: 100)

    @Test func allFieldsOfOneMessageAreRead() throws {
        let text = """
            {"serverContent":{"modelTurn":{"parts":[{"text":"hm","thought":true},{"inlineData":{"mimeType":"audio/pcm;rate=24000",\
            "data":"\(Self.sound)"}}]},"outputTranscription":{"text":" a \\"quoted\\" word"},"generationComplete":true},\
            "voiceActivity":{"type":"ACTIVITY_END","audioOffset":"1.880s"},"goAway":{"timeLeft":"9.5s"},"newField":{"data":1}}
            """
        let message = try #require(GeminiDecoder.decode(text))
        #expect(message.sounds.count == 1)
        if case .range(let range)? = message.sounds.first?.data {
            #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == Self.sound)
        } else {
            Issue.record("the sound was not taken out")
        }
        #expect(message.said == " a \"quoted\" word" && message.isGenerated && message.activity == .end)
        #expect(message.timeLeft == .milliseconds(9500) && message.unknown == ["newField"])
    }

    @Test(arguments: [
        "", "null", "[]", "{", "{\"serverContent\":", "\"a\"", "{\"a\":\"\\", String(repeating: "[", count: 5000),
    ])
    func textThatIsNoObjectIsUnreadable(text: String) { #expect(GeminiDecoder.decode(text) == nil) }

    @Test(
        arguments: [
            #"{"serverContent":7,"toolCall":[],"usageMetadata":"x","goAway":{},"voiceActivity":{"type":3}}"#,
            #"{"toolCall":{"functionCalls":[{"id":7},{"name":"a"},null]},"toolCallCancellation":{"ids":[1,{}]}}"#,
            #"{"usageMetadata":{"promptTokenCount":-5,"responseTokenCount":1e300,"promptTokensDetails":{}}}"#,
        ]
    )
    func fieldsOfOtherTypesAreHarmless(text: String) throws {
        let message = try #require(GeminiDecoder.decode(text))
        var translator = GeminiTranslator(GeminiSettings(), GeminiStart(tag: "g"))
        _ = translator.ask(.open(history: []), at: .zero)
        _ = translator.receive(try #require(GeminiDecoder.decode(#"{"setupComplete":{}}"#)), at: .zero)
        _ = translator.receive(message, at: .zero)
    }

    @Test func soundInSeveralPartsIsPlayedAsOne() throws {
        var translator = GeminiTranslator(GeminiSettings(), GeminiStart(tag: "g"))
        _ = translator.ask(.open(history: []), at: .zero)
        let downlink = Downlink()
        func read(_ text: String) -> [GeminiTranslator.Effect] {
            Array(text.utf8).withUnsafeBytes { translator.read($0, downlink, at: .zero) } ?? []
        }
        _ = read(#"{"setupComplete":{}}"#)
        let loud = Base64.text([UInt8](repeating: 0x22, count: 96))
        let part = #"{"inlineData":{"data":"\#(loud)"}}"#
        let effects = read(#"{"serverContent":{"modelTurn":{"parts":[\#(part),\#(part)]}}}"#)
        #expect(effects.contains { if case .play(0..<96, _) = $0 { true } else { false } }, "\(effects)")
        #expect(downlink.samples.count == 96 && downlink.samples.allSatisfy { $0 == 0x2222 })
    }

    @Test func toolIsDeclaredInTheServicesSchema() throws {
        let tools: [JSONValue] = [
            [
                "type": "function", "name": "set_timer", "description": "Sets a timer.",
                "parameters": [
                    "type": "object",
                    "properties": [
                        "repeat": ["type": "array", "items": ["type": "string", "enum": ["daily"]]],
                        "hours": ["type": "number"],
                    ], "required": ["hours"], "additionalProperties": false,
                ],
            ]
        ]
        let setup = GeminiClientMessage.setup(GeminiSettings(tools: tools), handle: nil, hasHistory: false)
        let json = try #require(OutsideJSON.decode(JSONValue.self, from: setup.encoded, atMost: 1 << 16))
        let text = try #require(json["setup"]?["tools"]).encoded
        #expect(
            text == """
                [{"functionDeclarations":[{"behavior":"NON_BLOCKING","description":"Sets a timer.","name":"set_timer",\
                "parameters":{"properties":{"hours":{"type":"NUMBER"},"repeat":{"items":{"enum":["daily"],"type":"STRING"},\
                "type":"ARRAY"}},"required":["hours"],"type":"OBJECT"}}]}]
                """
        )
    }
}

/// What the end of a connection means, and what is done about it.
struct GeminiEndTests {
    private typealias Stage = GeminiEnd.Stage

    @Test(
        arguments: [
            (401, "", GeminiEnd.Meaning.refused, "gemini.api_key_file"),
            (1007, "API key expired. Please renew the API key.", .refused, "gemini.api_key_file"),
            (1011, "Your prepayment credits are depleted.", .refused, "add some at"),
            (
                1011, "You exceeded your current quota, please check your plan and billing details.", .quota,
                "wait, or turn on billing"
            ),
            (1008, "models/x is not found for API version v1beta", .refused, "set gemini.model"),
            (1007, "User location is not supported for the API use.", .refused, "in this country"),
            (1007, "Unknown name \"proactivity\" at 'setup'", .refused, "update jarvis-voiced"),
            (1007, "Request contains an invalid argument.", .refused, "set gemini.model"),
        ]
    )
    func reasonBeforeTheSetUpNamesTheWayOut(code: Int, reason: String, meaning: GeminiEnd.Meaning, way: String) {
        let end = GeminiEnd(code: code, reason: reason, stage: .settingUp, model: "gemini-3.8-live")
        #expect(end.meaning == meaning)
        #expect(end.line.contains(way) && !end.line.contains("\n"), "\(end.line)")
    }

    @Test(
        arguments: [
            (1011, "Deadline expired before operation could complete.", GeminiEnd.Meaning.expired),
            (1000, "The operation was cancelled.", .expired), (1011, "Internal error encountered.", .lost),
            (1008, "Operation is not implemented, or supported, or enabled.", .lost), (1000, "", .lost),
            (1007, "Function response scheduling is not supported for this model.", .unscheduled),
            (1007, "Request contains an invalid argument.", .startOver),
            (1008, "The request was blocked by safety settings.", .startOver),
        ]
    )
    func reasonInASessionDecidesAndNotTheCode(code: Int, reason: String, meaning: GeminiEnd.Meaning) {
        #expect(GeminiEnd(code: code, reason: reason, stage: .live, model: "m").meaning == meaning)
    }

    @Test func keyInAReasonIsNotRepeated() {
        let end = GeminiEnd(code: 1008, reason: "bad thing AIzaSyCanary01 here", stage: .live, model: "m")
        #expect(!end.line.contains("Canary") && end.line.contains("(key)"))
    }

    // MARK: What the next connection begins with

    private let settings = GeminiSettings(instructions: "Be brief.")

    private func loss(_ isLost: Bool = true, calls: [GeminiCall] = []) -> GeminiLoss {
        GeminiLoss(isLost: isLost, handle: "h1", openCalls: calls)
    }

    private func end(_ code: Int, _ reason: String, _ stage: GeminiEnd.Stage = .live) -> GeminiEnd {
        GeminiEnd(code: code, reason: reason, stage: stage, model: "m")
    }

    @Test func lostSessionIsResumedWithItsOpenCalls() {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        let call = GeminiCall(id: "fc_1", name: "ask_jarvis")
        let pause = memory.ended(loss(calls: [call]), nil, settings, at: .seconds(10))
        #expect(pause == nil)
        let start = memory.start(settings, tag: "g", at: .seconds(11))
        #expect(start.handle == "h1" && start.lostCalls == [call])
        let late = memory.start(settings, tag: "g", at: .seconds(7300))
        #expect(late.handle == nil, "the service has forgotten it")
        let other = memory.start(GeminiSettings(instructions: "Other."), tag: "g", at: .seconds(11))
        #expect(other.handle == nil)
    }

    @Test func sessionBesideAnotherBeginsWithHistory() {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        memory.began(at: .zero)
        _ = memory.ended(loss(), nil, settings, at: .seconds(10))
        let handle = memory.start(settings, tag: "g", at: .seconds(11)).handle
        #expect(handle == nil)
    }

    @Test func conversationThatEndedIsNotResumed() {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        _ = memory.ended(loss(false), nil, settings, at: .seconds(10))
        let handle = memory.start(settings, tag: "g", at: .seconds(11)).handle
        #expect(handle == nil)
    }

    @Test func sessionThatCannotBeResumedBeginsAnew() {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        _ = memory.ended(loss(), end(1011, "Deadline expired"), settings, at: .seconds(10))
        let handle = memory.start(settings, tag: "g", at: .seconds(11)).handle
        #expect(handle == "h1")
        let refused = end(1007, "Request contains an invalid argument.", .resuming)
        let pause = memory.ended(GeminiLoss(isLost: true, wasLive: false), refused, settings, at: .seconds(12))
        #expect(pause == nil)
        let next = memory.start(settings, tag: "g", at: .seconds(13)).handle
        #expect(next == nil)
    }

    /// Whatever the service says of it: with a handle that does not help, the box would be mute for two hours.
    @Test(arguments: [(1007, "Request contains an invalid argument."), (1008, "no"), (1011, "Internal error"), (0, "")])
    func resumptionThatFailsIsTriedOnce(code: Int, reason: String) {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        _ = memory.ended(loss(), nil, settings, at: .seconds(10))
        let tried = memory.start(settings, tag: "g", at: .seconds(11))
        let other = memory.start(settings, tag: "g", at: .seconds(21))
        #expect(tried.handle == "h1" && other.handle == nil, "the first one still hangs")
        let failed = GeminiLoss(isLost: true, handle: "h1", wasLive: false)
        _ = memory.ended(failed, code == 0 ? nil : end(code, reason, .resuming), settings, at: .seconds(22))
        let next = memory.start(settings, tag: "g", at: .seconds(23))
        #expect(next.handle == nil)
    }

    @Test(arguments: [nil, (1011, "You exceeded your current quota.")] as [(Int, String)?])
    func resumptionIsTriedAgainWhereItWasNotRefused(reason: (Int, String)?) {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        _ = memory.ended(loss(), nil, settings, at: .seconds(10))
        _ = memory.start(settings, tag: "g", at: .seconds(11))
        let failed = GeminiLoss(isLost: true, handle: reason == nil ? nil : "h1", wasLive: false)
        _ = memory.ended(failed, reason.map { end($0.0, $0.1, .resuming) }, settings, at: .seconds(12))
        let next = memory.start(settings, tag: "g", at: .seconds(13))
        #expect(next.handle == "h1")
    }

    @Test func pauseGrowsWhileEachSessionEndsByItsQuota() {
        var memory = GeminiMemory()
        let quota = end(1011, "You exceeded your current quota.")
        let pauses = (1...3).map { turn -> Duration? in
            memory.began(at: .seconds(turn * 1000))
            return memory.ended(loss(), quota, settings, at: .seconds(turn * 1000 + 1))
        }
        #expect(pauses == [60, 120, 240].map { .seconds($0) })
    }

    @Test func spentQuotaIsTriedAfterAGrowingPause() {
        var memory = GeminiMemory()
        let quota = end(1011, "You exceeded your current quota.", .settingUp)
        let pauses = (0..<6).map { _ in
            memory.ended(GeminiLoss(isLost: true, wasLive: false), quota, settings, at: .zero)
        }
        #expect(pauses == [60, 120, 240, 480, 900, 900].map { .seconds($0) })
        memory.began(at: .zero)
        let first = memory.ended(loss(), quota, settings, at: .seconds(10))
        #expect(first == .seconds(60))
    }

    @Test func invalidMessageIsNotRepeatedWithinAMinute() {
        var memory = GeminiMemory()
        let invalid = end(1007, "Request contains an invalid argument.")
        let pause = memory.ended(loss(), invalid, settings, at: .seconds(100))
        #expect(pause == nil)
        let longer = memory.ended(loss(), invalid, settings, at: .seconds(130))
        #expect(longer == .seconds(60))
    }

    /// A resumed session would still wait for the refused answer, or not: the service does not say.
    @Test func refusedSchedulingIsLeftOutInAFreshSession() {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        let refused = end(1007, "Function response scheduling is not supported for this model.")
        _ = memory.ended(loss(), refused, settings, at: .seconds(10))
        let start = memory.start(settings, tag: "g", at: .seconds(11))
        #expect(!start.schedules && start.handle == nil && start.lostCalls.isEmpty)
    }

    @Test func billLostWithAConnectionIsChargedByTheNext() {
        var memory = GeminiMemory()
        memory.began(at: .zero)
        let usage = Usage(audioOut: 100)
        _ = memory.ended(GeminiLoss(isLost: true, handle: nil, unbilled: usage), nil, settings, at: .zero)
        let attempt = memory.start(settings, tag: "g", at: .zero)
        let next = memory.start(settings, tag: "g", at: .zero)
        #expect(attempt.unbilled == usage && next.unbilled == usage, "an attempt that fails charges nothing")
        memory.began(at: .zero)
        let later = memory.start(settings, tag: "g", at: .zero)
        #expect(later.unbilled == nil)
    }
}
