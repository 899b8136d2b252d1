import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// A conversation that has become longer than the context of the agent's model.
struct LongConversationTests {
    private static let tooLong = JarvisResponse.error(
        400, "exceed_context_size_error", "the request exceeds the context size"
    )
    private static let chat = "POST /v1/chat/completions"
    private static let dropped = "The conversation had become too long for Jarvis, so its beginning was dropped."
    private static let renewed = "The conversation had become too long for Jarvis, so a new one has begun."

    private func client(
        _ transport: ScriptedJarvisTransport,
        _ api: Configuration.Jarvis.API,
        log: LineLog = LineLog(),
        preamble: Configuration.Jarvis.Preamble = .off
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.api = api
        settings.preamble = preamble
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: nil,
            settings: settings,
            transport: transport,
            environment: TestTime().environment(),
            logger: log.logger
        )
    }

    /// Answers requests of up to so many bytes.
    private static func model(bytes: Int) -> ScriptedJarvisTransport {
        ScriptedJarvisTransport { request, _ in
            guard request.method == "POST" else { return .whole(.status(404)) }
            return .whole(request.body.count > bytes ? tooLong : .content("Yes, that is so."))
        }
    }

    @Test func shortensItsHistoryOnceAndContinues() async throws {
        let transport = Self.model(bytes: 700)
        let log = LineLog()
        let client = try client(transport, .openai, log: log)
        var answers: [JarvisAnswer] = []
        for number in 1...30 { answers.append(await client.ask("question \(number)")) }
        #expect(answers.allSatisfy { $0.failure == nil })
        #expect(answers.count { $0.spoken == Self.dropped + " Yes, that is so." } == 1, "and says so")
        #expect(answers.count { $0.spoken == "Yes, that is so." } == 29)
        #expect(transport.requests.count == 31, "what cannot succeed is not sent again")
        #expect(log.lines.count { $0.contains("its beginning was dropped") } == 1)
        #expect(transport.requests.last?.text.contains("question 29") == true, "the latest part is still sent along")
    }

    /// A server that says only that it does not want it.
    @Test func shortensAHistoryRefusedInUnknownWords() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            guard request.method == "POST" else { return .whole(.status(404)) }
            let refusal = JarvisResponse.error(400, "invalid_request", "Die Anfrage ist ung\u{FC}ltig.")
            return .whole(request.body.count > 700 ? refusal : .content("Yes, that is so."))
        }
        let client = try client(transport, .openai)
        var answers: [JarvisAnswer] = []
        for number in 1...30 { answers.append(await client.ask("question \(number)")) }
        #expect(answers.allSatisfy { $0.failure == nil })
        let notice = "The conversation was refused by Jarvis's model, so its beginning was dropped."
        #expect(answers.count { $0.spoken == notice + " Yes, that is so." } == 1)
        #expect(transport.requests.count == 31)
    }

    @Test func keepsAHistoryNotAtFault() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            guard request.method == "POST" else { return .whole(.status(404)) }
            let isBad = String(decoding: request.body, as: UTF8.self).contains("forbidden")
            return .whole(isBad ? .error(400, "invalid_request", "No.") : .content("Yes, that is so."))
        }
        let client = try client(transport, .openai)
        #expect(await client.ask("a").failure == nil)
        #expect(await client.ask("forbidden").failure == .serverError(status: 400, detail: "No."))
        #expect(await client.ask("b").failure == nil)
        #expect(transport.requests.last?.text.contains("\"a\"") == true)
    }

    @Test func keepsTheBriefingOfAShortenedHistory() async throws {
        let transport = Self.model(bytes: 1500)
        let client = try client(transport, .openai, preamble: .always)
        for number in 1...20 { #expect(await client.ask("question \(number)").failure == nil) }
        #expect(transport.requests.allSatisfy { $0.text.contains("A voice box passes this on") })
    }

    @Test func reportsAnOverlongQuestion() async throws {
        let transport = Self.model(bytes: 700)
        let client = try client(transport, .openai)
        #expect(await client.ask("a").failure == nil)
        #expect(await client.ask("b").failure == nil)
        let answer = await client.ask(String(repeating: "c", count: 900))
        #expect(answer.failure == .tooLong)
        #expect(answer.spoken == JarvisFailure.tooLong.spokenSentence)
        #expect(transport.requests.count == 5, "whole, half and alone")
        #expect(await client.ask("d").failure == nil)
        #expect(transport.requests.last?.text.contains("\"a\"") == true, "the history was not at fault and is kept")
    }

    @Test(arguments: [Configuration.Jarvis.API.chat, .responses])
    func overlongServerHistoryStartsANewConversation(api: Configuration.Jarvis.API) async throws {
        let transport = ScriptedJarvisTransport { request, number in
            guard request.method == "POST" else { return .whole(.status(404)) }
            let isOld = request.header("session_id") == "voice-1"
            return .whole(isOld && number > 0 ? Self.tooLong : .content("Yes."))
        }
        let log = LineLog()
        let client = try client(transport, api, log: log)
        #expect(await client.ask("a").spoken == "Yes.")
        #expect(await client.ask("b").spoken == Self.renewed + " Yes.")
        #expect(await client.ask("c").spoken == "Yes.")
        let posts = transport.requests.filter { $0.method == "POST" }
        let sessions = posts.map { $0.header("session_id") }
        #expect(sessions.prefix(2) == ["voice-1", "voice-1"])
        #expect(sessions.count == 4 && sessions[2] == sessions[3] && sessions[2] != "voice-1")
        #expect(posts.dropFirst(2).first?.text.contains("previous_response_id") == false)
        #expect(log.lines.count { $0.contains("a new one begins") } == 1)
    }

    @Test func aFirstQuestionIsAskedOnce() async throws {
        for api in [Configuration.Jarvis.API.chat, .openai] {
            let transport = ScriptedJarvisTransport([Self.tooLong])
            #expect(await (try client(transport, api)).ask("a").failure == .tooLong)
            #expect(transport.requests(Self.chat).count == 1)
        }
    }

    /// Tools filled the context: the question is not asked again, and the next one begins afresh.
    @Test func doesNotRepeatAQuestionThatUsedTools() async throws {
        let transport = ScriptedJarvisTransport { request, number in
            if request.method == "GET" {
                let messages =
                    #"{"messages":[{"role":"user","parts":[{"type":"text","text":"b"}]},{"role":"tool","parts":[]}]}"#
                return .whole(request.route.hasSuffix("messages") ? .json(messages) : .status(404))
            }
            return .whole(number == 1 ? Self.tooLong : .content("Yes."))
        }
        let client = try client(transport, .chat)
        _ = await client.ask("a")
        let answer = await client.ask("b")
        #expect(answer.failure == .cutOff(detail: "the conversation is too long for its model"))
        #expect(answer.spoken.contains(Self.renewed) && answer.spoken.contains("may have done part of it"))
        #expect(await client.ask("c").spoken == "Yes.")
        #expect(transport.requests(Self.chat).map { $0.header("session_id") } == ["voice-1", "voice-1", "voice-2"])
    }

    @Test(arguments: [Configuration.Jarvis.API.chat, .openai])
    func waitsAMomentForARateLimit(api: Configuration.Jarvis.API) async throws {
        let limit = JarvisResponse.error(429, "tokens", "Rate limit reached. Please try again in 1.2s.")
        let transport = ScriptedJarvisTransport([limit, .content("Yes.")])
        #expect(await (try client(transport, api)).ask("a").spoken == "Yes.")
        let long = JarvisResponse.error(429, "tokens", "Rate limit reached. Please try again in 5m0s.")
        let other = ScriptedJarvisTransport([long])
        #expect(await (try client(other, api)).ask("a").failure == .limited(pause: .seconds(300)))
        #expect(other.requests(Self.chat).count == 1)
    }

    @Test func toolRunByTheServerIsReportedAsRun() async throws {
        let ran = #"{"choices":[{"message":{"content":"","tool_calls":[{"id":"1"}]},"finish_reason":"tool_calls"}]}"#
        #expect(await (try client(ScriptedJarvisTransport([.json(ran)]), .chat)).ask("a").failure == .emptyReply)
        #expect(await (try client(ScriptedJarvisTransport([.json(ran)]), .openai)).ask("a").failure == .toolNotRun)
    }
}
