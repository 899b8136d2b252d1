import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork
@testable import VoiceReply

/// A reply that is said while the agent writes it: the sentences said meanwhile, and the rest for the answer.
struct SpokenStreamTests {
    private typealias Talk = (said: [String], answer: JarvisAnswer)

    private static let post = "POST /v1/responses"

    /// Asks in a call that takes words.
    private func ask(
        _ transport: ScriptedJarvisTransport,
        time: TestTime = TestTime(),
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) async throws -> Talk {
        let client = try client(transport, time: time, change)
        return await Self.ask(client)
    }

    private static func ask(_ client: JarvisClient, _ question: String = "a") async -> Talk {
        let (said, answer) = await client.talk(question)
        return (said.map(\.words), answer)
    }

    @Test func sentencesAreSpokenAsTheyAreWritten() async throws {
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([
                Self.created, Self.delta("It rains. Take a c", 2), Self.delta("oat. And", 3), Self.delta(" gloves.", 4),
                Self.completed(5),
            ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["It rains.", "Take a coat."])
        #expect(answer.spoken == "And gloves." && answer.full == "It rains. Take a coat. And gloves." && answer.goesOn)
    }

    /// Without a call that takes words nothing changes.
    @Test func callerWithoutStreamingGetsTheWholeAnswer() async throws {
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([Self.created, Self.delta("It rains. Take a coat."), Self.completed(3)])
        }
        let answer = await (try client(transport)).ask("a")
        #expect(answer.spoken == "It rains. Take a coat." && !answer.goesOn)
    }

    @Test func lostConnectionRepeatsNoSentence() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            request.method == "POST"
                ? .stream([Self.created, Self.delta("It rains. Take a coat. An")], .broken)
                // The server sends what we have once more.
                : .stream([
                    Self.created, Self.delta("It rains. Take a coat. An"), Self.delta("d gloves. Bye.", 3),
                    Self.completed(4),
                ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["It rains.", "Take a coat.", "And gloves."])
        #expect(answer.spoken == "Bye.")
    }

    /// The events are no longer kept, so the answer comes as a whole.
    @Test func snapshotRepeatsNoSentence() async throws {
        let transport = ScriptedJarvisTransport { request, _ in
            switch request.route {
            case Self.post: .stream([Self.created, Self.delta("It rains. Take a coat. An")], .broken)
            case "GET /v1/responses/resp_1/events": .whole(.status(409))
            default:
                .whole(
                    .json(
                        #"{"status":"completed","recovery":{"messages":[{"role":"assistant","content":"It rains. Take a coat. "#
                            + #"And gloves."}]}}"#
                    )
                )
            }
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["It rains.", "Take a coat."] && answer.spoken == "And gloves.")
    }

    @Test func withdrawnSentencesAreNotRepeated() async throws {
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([
                Self.created, Self.delta("It rains. Take a coat. An", 2), Self.event("response.attempt.discard", 3),
                Self.delta("It rains. Stay at home. It is", 4), Self.delta(" cold.", 5), Self.completed(6),
            ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["It rains.", "Take a coat.", "Stay at home."])
        #expect(answer.spoken == "It is cold.")
    }

    @Test func failureOfARunFollowsTheSpokenPart() async throws {
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([
                Self.created, Self.delta("It rains. Take a coat. An", 2),
                Self.event("response.failed", 3, #""error":{"message":"boom","type":"server_error"}"#),
            ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["It rains.", "Take a coat."])
        #expect(answer.failure == .runFailed(detail: "boom") && answer.goesOn)
        #expect(answer.spoken == "Jarvis ran into a problem and could not finish.")
    }

    /// What comes before a tool is used is on the way to the answer.
    @Test func textBeforeToolsIsNotSpoken() async throws {
        let tool = #""call_id":"c","tool_name":"shell","tool_info":"ls. Now. And""#
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([
                Self.created, Self.delta("Let me look.", 2), Self.event("response.tool_exec.start", 3, tool),
                Self.event("response.tool_exec.end", 4, tool), Self.event("response.output_text.new_segment", 5),
                Self.delta("Three files. All old. By", 6), Self.delta("e.", 7), Self.completed(8),
            ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["Three files.", "All old."] && answer.spoken == "Bye.")
    }

    @Test func answerAfterAWordyStartIsWhole() async throws {
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([
                Self.created, Self.delta("I look. One moment. So", 2),
                Self.event("response.output_text.new_segment", 3),
                Self.delta("I look. Nothing is there.", 4), Self.completed(5),
            ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["I look.", "One moment.", "I look."] && answer.spoken == "Nothing is there.")
    }

    /// A reply may end with an empty segment after a tool: the answer is then the segment before, which was spoken.
    @Test func emptyLastSegmentRepeatsNoSentence() async throws {
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([
                Self.created, Self.delta("The reminder is set. It rings at nine. Bye.", 2),
                Self.event("response.output_text.new_segment", 3), Self.completed(4),
            ])
        }
        let (said, answer) = try await ask(transport)
        #expect(said == ["The reminder is set.", "It rings at nine."])
        #expect(answer.spoken == "Bye." && answer.goesOn)
    }

    @Test func answerOfARejoinedRunIsSpokenWhole() async throws {
        let time = TestTime()
        let transport = ScriptedJarvisTransport { request, _ in
            request.method == "POST"
                ? .stream([Self.created, ": ping\n\n"], .silent)
                : .stream([Self.delta("It rains. Take a coat. Bye."), Self.completed(3)])
        }
        let client = try client(transport, time: time)
        async let talk = Self.ask(client)
        while transport.silentStreams == 0 { await Task.yield() }
        await time.pass(.seconds(30))
        let (said, answer) = await talk
        #expect(said.isEmpty && answer.spoken == "It rains. Take a coat. Bye." && !answer.goesOn)
    }

    @Test func mediaIsNamedAtTheEnd() async throws {
        let item = #"{\"type\":\"radio\",\"title\":\"Jazz\",\"url\":\"https://e.org/jazz.mp3\"}"#
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([Self.created, Self.delta("Here is jazz. It is good. Have fun.\\n\\n\(item)"), Self.completed(3)])
        }
        let (said, answer) = try await ask(transport)
        let all = (said + [answer.spoken]).filter { !$0.isEmpty }
        #expect(all.joined(separator: " ") == "Here is jazz. It is good. Have fun.")
        #expect(answer.media.map(\.address) == ["https://e.org/jazz.mp3"])
    }

    @Test func moreIsReadFromWhereTheStreamWasCut() async throws {
        let reply = (1...20).map { "Sentence \($0) has five words." }.joined(separator: " ")
        let transport = ScriptedJarvisTransport { _, _ in
            .stream([Self.created, Self.delta(reply), Self.completed(3)])
        }
        let client = try client(transport) { $0.maximumSpokenWords = 50 }
        let (said, answer) = await Self.ask(client)
        #expect(said.count == 10 && answer.spoken == SpeechShaper.offer)
        #expect(await client.readOn()?.hasPrefix("Sentence 11 has") == true)
    }

    // MARK: The server's words

    private static let created = event("response.created", 1, #""response":{"id":"resp_1"}"#)

    private static func delta(_ text: String, _ number: Int = 2) -> String {
        event("response.output_text.delta", number, "\"delta\":\"\(text)\"")
    }

    private static func completed(_ number: Int) -> String {
        event("response.completed", number, #""response":{"id":"resp_msg_1"}"#) + "data: [DONE]\n\n"
    }

    private static func event(_ name: String, _ number: Int, _ fields: String = #""x":1"#) -> String {
        "id: \(number)\nevent: \(name)\ndata: {\"sequence_number\":\(number),\(fields)}\n\n"
    }

    private func client(
        _ transport: ScriptedJarvisTransport,
        time: TestTime = TestTime(),
        _ change: (inout Configuration.Jarvis) -> Void = { _ in }
    ) throws -> JarvisClient {
        var settings = Configuration().jarvis
        settings.preamble = .off
        settings.api = .responses
        change(&settings)
        return JarvisClient(
            base: try #require(ServerURL("http://127.0.0.1:8080/ui")),
            token: Secret("topsecret"),
            settings: settings,
            transport: transport,
            environment: time.environment(),
            logger: LineLog().logger
        )
    }
}
