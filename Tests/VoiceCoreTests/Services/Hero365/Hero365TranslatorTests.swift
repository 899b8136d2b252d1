import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceHero365

/// Conversations with Hero365, message by message, according to its description.
struct Hero365TranslatorTests {
    private static let session = "0b0c6c3e-7d5b-4a4e-9c62-0d8f0a3f4d11"

    /// A translator and its effects.
    private struct Scene {
        var translator: Hero365Translator
        var effects: [Hero365Translator.Effect] = []
        var now = Duration.zero

        init(_ settings: Hero365Settings = Hero365Settings()) {
            translator = Hero365Translator(settings, session: session)
        }

        static func live() -> Scene {
            var scene = Scene()
            scene.effects += scene.translator.connected()
            scene.ask(.open(history: []))
            scene.receive(#"{"type":"session_started","session_id":"\#(session)"}"#)
            scene.effects = []
            return scene
        }

        mutating func ask(_ request: ServiceRequest) { effects += translator.ask(request, at: now) }

        mutating func receive(_ text: String) {
            guard let envelope = Hero365Decoder.decode(text) else { return effects.append(.own(.nest)) }
            effects += translator.receive(envelope, at: now)
        }

        mutating func status(_ status: String) { receive(#"{"type":"session_status","status":"\#(status)"}"#) }

        mutating func audio(_ sequence: Int, isFinal: Bool = false, _ data: String = "AQID") {
            receive(#"{"type":"audio_output","audio_data":"\#(data)","sequence":\#(sequence),"is_final":\#(isFinal)}"#)
        }

        mutating func pass(_ milliseconds: Int) {
            for _ in 0..<milliseconds / 20 {
                now += .milliseconds(20)
                effects += translator.tick(at: now)
            }
        }

        /// A whole turn of the user.
        mutating func say() {
            effects += translator.turnBegan(at: 100, now: now)
            effects += translator.heard([1, 2])
            pass(600)
            effects += translator.turnEnded(at: 700, now: now)
        }

        /// Returns the effects since the last call.
        mutating func news() -> [Hero365Translator.Effect] {
            defer { effects = [] }
            return effects
        }

        var reports: [ServiceReport] {
            effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
        }

        var sent: [Hero365ClientMessage] {
            effects.compactMap { if case .send(let message) = $0 { message } else { nil } }
        }

        var played: Int { effects.count { if case .own(.play) = $0 { true } else { false } } }

        var ends: [ResponseEnd.Status] {
            reports.compactMap { if case .responseEnded(let end) = $0 { end.status } else { nil } }
        }
    }

    // MARK: Messages as written

    @Test(arguments: [false, true]) func messagesAreWrittenAsDescribed(isNested: Bool) throws {
        func json(_ message: Hero365ClientMessage) throws -> JSONValue {
            let bytes = message.encoded(session: Self.session, isNested: isNested)
            return try #require(OutsideJSON.decode(JSONValue.self, from: bytes, atMost: 1 << 20))
        }
        func whole(_ type: String, _ fields: [String: JSONValue]) -> JSONValue {
            var all: [String: JSONValue] = isNested ? ["data": .object(fields)] : fields
            all["type"] = .string(type)
            all["session_id"] = .string(Self.session)
            return .object(all)
        }
        let start = try json(.start(codec: .opus, rate: 16_000))
        #expect(start == whole("start_session", ["audio_format": "opus", "sample_rate": 16_000, "channels": 1]))
        let audio = try json(.audio([1, 2, 3, 4], sequence: 1, isFinal: false))
        #expect(audio == whole("audio_input", ["audio_data": "AQIDBA==", "sequence": 1, "is_final": false]))
        let last = try json(.audio([], sequence: 2, isFinal: true))
        #expect(last == whole("audio_input", ["audio_data": "", "sequence": 2, "is_final": true]))
        let end = try json(.end(reason: "user_ended", duration: .seconds(12)))
        #expect(end == whole("end_session", ["reason": "user_ended", "duration_ms": 12_000]))
    }

    // MARK: Beginning

    @Test func aSessionIsStartedAndReady() {
        var scene = Scene()
        scene.effects += scene.translator.connected()
        scene.ask(.open(history: []))
        #expect(scene.reports == [.opened(id: Self.session, ends: nil)])
        #expect(scene.sent == [.start(codec: .opus, rate: 16_000)])
        _ = scene.news()
        scene.receive(
            """
            {"type":"session_started","session_id":"\(Self.session.uppercased())","timestamp":"2025-07-15T10:00:00Z",
             "data":{"agent_type":"scheduling","session_config":{"silence_threshold":600,"max_duration":300000}}}
            """
        )
        #expect(
            scene.news() == [
                .lifetime(.seconds(300)), .report(.ready(ServiceReadiness(isConfirmed: true))),
                .report(.news("the agent of the session is \"scheduling\"")),
            ]
        )
    }

    @Test func unansweredStartIsUsableAfterASecond() {
        var scene = Scene()
        scene.effects += scene.translator.connected()
        scene.ask(.open(history: []))
        scene.pass(980)
        #expect(!scene.reports.contains(.ready(ServiceReadiness(isConfirmed: false))))
        scene.pass(20)
        #expect(scene.reports.last == .ready(ServiceReadiness(isConfirmed: false)))
        // A session status counts as a reply too.
        var other = Scene()
        other.effects += other.translator.connected()
        other.ask(.open(history: []))
        other.status("listening")
        #expect(other.reports.last == .ready(ServiceReadiness(isConfirmed: true)))
    }

    @Test func refusedFlatMessagesAreNestedNextTime() {
        var scene = Scene()
        scene.effects += scene.translator.connected()
        scene.ask(.open(history: []))
        scene.receive(#"{"type":"error","error_code":"INVALID_MESSAGE","message":"no data"}"#)
        #expect(scene.effects.contains(.own(.nest)))
        guard case .closing(.lost, _)? = scene.reports.last else { return #expect(Bool(false), "\(scene.reports)") }
        // Only once.
        var settings = Hero365Settings()
        settings.isNested = true
        var nested = Scene(settings)
        nested.effects += nested.translator.connected()
        nested.ask(.open(history: []))
        nested.receive(#"{"type":"error","error_code":"INVALID_AUDIO_FORMAT","message":"opus only"}"#)
        #expect(!nested.effects.contains(.own(.nest)))
        guard case .trouble(let error)? = nested.reports.last else { return #expect(Bool(false), "\(nested.reports)") }
        #expect(error.meaning == .configuration)
    }

    // MARK: A turn and its answer

    @Test func turnIsReportedAndItsAnswerPlayed() {
        var scene = Scene.live()
        scene.say()
        #expect(scene.sent == [.audio([1, 2], sequence: 1, isFinal: false), .audio([], sequence: 2, isFinal: true)])
        #expect(
            scene.reports == [
                .userStarted(item: "0b0c6c3e-turn1", at: 100), .userStopped(at: 700),
                .userTurn(item: "0b0c6c3e-turn1", after: nil),
            ]
        )
        #expect(!scene.translator.mayListen)
        _ = scene.news()
        scene.status("processing")
        scene.status("speaking")
        scene.audio(1)
        scene.audio(2, isFinal: true)
        let response = "0b0c6c3e-response2"
        let item = "0b0c6c3e-item3"
        let part = SpokenPart(responseID: response, itemID: item, contentIndex: 0)
        let sound = Hero365Sound(.opus, [1, 2, 3])
        #expect(
            scene.news() == [
                .report(.responseBegan(response: response, request: nil)), .own(.begin),
                .report(.speaks(response: response, item: item)), .own(.play(sound, of: part)),
                .own(.play(sound, of: part)), .finish(part), .report(.audioEnded(response: response, item: item)),
                .report(.responseEnded(ResponseEnd(response: response, status: .completed))),
            ]
        )
        scene.status("complete")
        scene.status("listening")
        #expect(scene.news().isEmpty)
        #expect(scene.translator.mayListen)
    }

    @Test func answerWithoutStatusMessagesIsPlayed() {
        var scene = Scene.live()
        scene.say()
        scene.audio(1)
        scene.audio(2, isFinal: true)
        #expect(scene.played == 2 && scene.ends == [.completed])
        // The microphone opens again.
        scene.pass(10_000)
        #expect(scene.translator.mayListen)
    }

    @Test func emptyAnswerEndsTheTurn() {
        var scene = Scene.live()
        scene.say()
        scene.status("complete")
        #expect(scene.ends == [.completed] && scene.played == 0)
    }

    @Test func missingPacketIsReportedBeforeTheNext() {
        var scene = Scene.live()
        scene.say()
        scene.audio(1)
        scene.audio(3)
        _ = scene.news()
        scene.pass(140)
        let sound = Hero365Sound(.opus, [1, 2, 3])
        guard case .own(.conceal(1, next: sound, of: _))? = scene.effects.first else {
            return #expect(Bool(false), "\(scene.effects)")
        }
        #expect(scene.played == 1)
        scene.audio(4, isFinal: true)
        #expect(scene.reports.contains(.news("packets of the answer that did not come in time and were concealed: 1")))
    }

    @Test func agentTransferIsReported() {
        var scene = Scene.live()
        scene.receive(
            """
            {"type":"agent_transfer","session_id":"\(Self.session)","data":{"from_agent":"triage","to_agent":"invoices",
             "transfer_reason":"asked\\nfor a bill","context_preserved":true}}
            """
        )
        let text = #"it goes on with the agent "invoices": "asked\nfor a bill""#
        #expect(scene.reports == [.news(text)])
    }

    // MARK: Interruption

    @Test func lateAudioOfACutAnswerIsDropped() {
        var scene = Scene.live()
        scene.say()
        scene.audio(1)
        scene.audio(2)
        _ = scene.news()
        scene.effects += scene.translator.turnBegan(at: 3000, now: scene.now)
        #expect(scene.ends == [.cancelled])
        for number in 3...10 { scene.audio(number) }
        #expect(scene.played == 0)
        scene.effects += scene.translator.turnEnded(at: 4000, now: scene.now)
        scene.audio(11)
        scene.audio(12, isFinal: true)
        #expect(scene.played == 0)
        scene.audio(1, "BAUG")
        scene.audio(2, isFinal: true, "BAUG")
        #expect(scene.played == 2 && scene.ends == [.cancelled, .completed])
    }

    @Test(arguments: ["processing", "listening"]) func statusEndsTheCutAnswer(state: String) {
        var scene = Scene.live()
        scene.say()
        scene.audio(1)
        scene.say()
        _ = scene.news()
        scene.status(state)
        scene.audio(2)
        #expect(scene.played == 1)
    }

    @Test func audioAfterAPauseIsTheNextAnswer() {
        var scene = Scene.live()
        scene.say()
        scene.audio(1)
        scene.say()
        _ = scene.news()
        scene.pass(1200)
        scene.audio(2)
        #expect(scene.played == 1)
    }

    @Test func serviceThatKeepsTalkingIsDisconnected() {
        var scene = Scene.live()
        scene.say()
        scene.audio(1)
        scene.say()
        for number in 2...200 {
            scene.audio(number)
            scene.pass(20)
        }
        guard case .closing(.lost, _)? = scene.reports.last else { return #expect(Bool(false), "\(scene.reports)") }
        #expect(scene.played == 1)
    }

    @Test func aCoughIsAnsweredWithSilence() {
        var scene = Scene.live()
        scene.effects += scene.translator.turnBegan(at: 100, now: scene.now)
        scene.effects += scene.translator.turnDropped(at: 900)
        #expect(scene.sent.isEmpty && scene.ends == [.completed])
    }

    // MARK: Errors

    @Test func rateLimitPausesAndReportsTheQuestionAsLost() {
        var scene = Scene.live()
        scene.say()
        _ = scene.news()
        scene.receive(#"{"type":"error","error_code":"RATE_LIMIT_EXCEEDED","message":"slow down","retry_after":1500}"#)
        #expect(scene.effects.prefix(2) == [.own(.pause(.milliseconds(1500))), .own(.lengthenPackets)])
        #expect(scene.ends == [.incomplete])
        guard case .trouble(let error)? = scene.reports.first else { return #expect(Bool(false), "\(scene.reports)") }
        #expect(error.meaning == .limited && error.retryAfter == .milliseconds(1500))
        // The next turn is heard as usual.
        _ = scene.news()
        scene.say()
        scene.audio(1, isFinal: true)
        #expect(scene.played == 1)
    }

    @Test func requestedPauseIsLimitedToAMinute() {
        for value in ["1e300", "-5", "86400000"] {
            var scene = Scene.live()
            scene.receive(#"{"type":"error","error_code":"AGENT_UNAVAILABLE","retry_after":\#(value)}"#)
            guard case .own(.pause(let pause))? = scene.effects.first else {
                return #expect(Bool(false), "\(scene.effects)")
            }
            #expect(pause >= .zero && pause <= .seconds(60))
        }
    }

    @Test(arguments: [
        ("AUTHENTICATION_ERROR", ErrorClass.account), ("INVALID_AUDIO_FORMAT", .configuration),
        ("SESSION_TIMEOUT", .expired), ("RATE_LIMIT_EXCEEDED", .limited), ("AUDIO_PROCESSING_ERROR", .service),
        ("AGENT_UNAVAILABLE", .service), ("NETWORK_ERROR", .service), ("SOMETHING_ELSE", .other),
    ]) func errorCodesHaveTheirDocumentedMeaning(code: String, meaning: ErrorClass) {
        var scene = Scene.live()
        scene.receive(#"{"type":"error","error_code":"\#(code)","error_message":"words"}"#)
        let errors = scene.reports.compactMap { if case .trouble(let error) = $0 { error } else { nil } }
        #expect(errors.map(\.meaning) == [meaning])
        #expect(errors.first?.line == "\(code): words")
    }

    @Test func unknownSessionEnds() {
        var scene = Scene.live()
        scene.receive(#"{"type":"error","error_code":"INVALID_SESSION","message":"gone"}"#)
        #expect(scene.reports == [.closing(.lost, "INVALID_SESSION: gone")])
        scene.audio(1)
        #expect(scene.played == 0)
    }

    // MARK: Foreign messages

    @Test func messagesOfOtherSessionsAndFormatsAreIgnored() {
        var scene = Scene.live()
        scene.say()
        _ = scene.news()
        scene.receive(#"{"type":"audio_output","session_id":"other","audio_data":"AQID","sequence":1}"#)
        #expect(scene.news() == [.report(.unknown("a message of another session"))])
        scene.receive(#"{"type":"audio_output","audio_data":"AQID","sequence":1,"content_type":"audio/mpeg"}"#)
        #expect(scene.reports.count { if case .trouble = $0 { true } else { false } } == 1)
        scene.receive(#"{"type":"unheard_of","session_id":"\#(Self.session)"}"#)
        #expect(scene.reports.last == .unknown("unheard_of"))
    }

    @Test func malformedMessageIsIgnored() {
        for text in [
            "", "null", "[]", "{}", #"{"type":1}"#, #"{"type":"audio_output","audio_data":"%%%"}"#,
            String(repeating: "[", count: 5000),
        ] {
            #expect(Hero365Decoder.decode(text) == nil, "\(text.prefix(40))")
        }
        // Numbers of any size do no harm.
        let odd =
            #"{"type":"audio_output","audio_data":"","sequence":1e40,"sample_rate":-1,"content_type":"audio/pcm"}"#
        #expect(
            Hero365Decoder.decode(odd)
                == Hero365Envelope(.audio(Hero365Sound(.pcm(8000), []), sequence: nil, isFinal: false))
        )
    }

    @Test func endOfTheSessionIsTheLastMessage() {
        var scene = Scene.live()
        scene.pass(2000)
        scene.ask(.close)
        #expect(scene.sent == [.end(reason: "user_ended", duration: .seconds(2))])
        #expect(scene.reports == [.closing(.asked, "")])
    }
}
