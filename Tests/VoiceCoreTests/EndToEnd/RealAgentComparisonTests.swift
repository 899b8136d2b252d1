import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

extension EndToEnd {
    /// The stand-in and the real agent server on the same script, event by event: the stand-in, which other tests use,
    /// must behave like the real one.
    @Suite(.enabled(if: RealAgent.isAtHand), .serialized)
    struct RealAgentComparisonTests {
        /// One turn: the words, to which the rig's model reacts, and the stand-in's script for the same.
        struct Turn: Sendable, CustomTestStringConvertible {
            var words: String
            var steps: [AgentStep]
            /// Cancelled once this was said.
            var cancelAt: String?

            var testDescription: String { words }
        }

        private static let folder = "FOLDER"

        static let turns = [
            Turn(words: "say: Two meetings.", steps: [.say("Two meetings.")]),
            Turn(
                words: "side effect",
                steps: [
                    .say("Doing it. "), .approve(command: "date +%T.%N >> \(folder)/effects.txt", in: folder),
                    .say("It is done."),
                ]
            ),
            Turn(
                words: "ask me",
                steps: [
                    .say("I need to know something. "),
                    .ask([
                        "call_id": "call_1",
                        "questions": [
                            [
                                "header": "Colour", "question": "Which colour do you want?", "multi_select": false,
                                "options": [
                                    ["label": "Red", "description": "the choice red"],
                                    ["label": "Blue", "description": "the choice blue"],
                                ],
                            ]
                        ],
                    ]),
                    .say(
                        #"You answered: {"answers":[{"question_index":0,"header":"Colour","selected":"Red","is_custom":false}]}"#
                    ),
                ]
            ),
            Turn(
                words: "error 400", steps: [.fail(type: "invalid_request_error", message: "the provider says 400")]
            ),
            Turn(words: "break 1", steps: [.say("Attempt 1 begins here. "), .discard, .say("Attempt 2 went well.")]),
            Turn(words: "dribble 5", steps: [.say("Word 1. "), .hold], cancelAt: "Word 1. "),
        ]

        @Test(arguments: turns, [false, true])
        func standInBehavesLikeTheRealAgent(turn: Turn, hidesTools: Bool) async throws {
            let real = try RealAgent(hidesTools ? ["--suppress-server-tool-calls"] : [])
            let standIn = RunningAgent(token: real.facts.token) { request in
                request.json?["input"]?.string == turn.words ? turn.steps : [.say("Yes.")]
            }
            if hidesTools { standIn.hideTools() }
            let port = try await standIn.start()
            try await NetworkThread.with { network in
                let there = try Server(real.facts.url, real.facts.token, network)
                let here = try Server("http://127.0.0.1:\(port)/ui", real.facts.token, network)
                var seen: [[String]] = []
                for server in [there, here] {
                    var lines = try await server.play(turn)
                    lines += try await server.aftermath()
                    seen.append(lines.map { $0.replacing(real.facts.dir, with: Self.folder) })
                }
                #expect(seen[0] == seen[1])
                #expect(seen[0].count > 4)
            }
            await standIn.stop()
        }

        /// A question behind an open permission prompt gets no reply at all; once the run is cancelled it is accepted.
        @Test func openPermissionHoldsTheNextQuestion() async throws {
            let real = try RealAgent()
            let turn = Self.turns[1]
            let standIn = RunningAgent(token: real.facts.token) { request in
                request.json?["input"]?.string == turn.words ? turn.steps : [.say("Yes.")]
            }
            let port = try await standIn.start()
            try await NetworkThread.with { network in
                for url in [real.facts.url, "http://127.0.0.1:\(port)/ui"] {
                    let server = try Server(url, real.facts.token, network)
                    let stream = try await server.open(turn.words).get()
                    var state: JarvisState?
                    for _ in 0..<300 where state?.prompts.isEmpty != false {
                        state = await server.connection.state(of: Server.session)
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    let run = try #require(state?.activeRun)
                    #expect(run == stream.head.runID)
                    let previous = state?.lastResponseID
                    let second = Task { await server.open("say: Yes.", previous: previous) }
                    try await Task.sleep(for: .milliseconds(400))
                    #expect(await server.connection.state(of: Server.session)?.activeRun == run)
                    _ = await server.transport.exchange(server.request.cancel(run: run))
                    #expect(try await second.value.get().head.status == 200)
                    stream.close()
                }
            }
            await standIn.stop()
        }

        /// One of the two servers, accessed without the client: what is on the wire.
        private struct Server {
            static let session = "voice-compared"

            let request: JarvisRequest
            let transport: NetworkThread
            let connection: JarvisConnection

            init(_ url: String, _ token: String, _ network: NetworkThread) throws {
                let base = try #require(ServerURL(url))
                request = JarvisRequest(base: base, token: Secret(token), settings: Configuration().jarvis)
                transport = network
                connection = JarvisConnection(
                    request: request, transport: transport, environment: .system, logger: LineLog().logger
                )
            }

            func open(
                _ words: String,
                previous: String? = nil
            ) async -> Result<any JarvisReplyStream, JarvisFailure> {
                let key = "key-\(UInt32.random(in: 0 ... .max))"
                let question = JarvisQuestion(query: words, sessionID: Self.session, previous: previous, key: key)
                return await transport.open(request.response(question, previous: previous))
            }

            /// Plays a turn; returns the names of its events and what the client reads from them.
            func play(_ turn: Turn) async throws -> [String] {
                let stream = try await open(turn.words).get()
                var parser = ServerSentEventParser()
                var lines: [String] = []
                while let bytes = try await stream.read().get() {
                    for event in try parser.feed(bytes) {
                        guard let line = Self.line(event) else { continue }
                        // Words arrive in pieces of any size.
                        if line.hasPrefix("say "), let last = lines.last, last.hasPrefix("say ") {
                            lines[lines.count - 1] = last + line.dropFirst(4)
                        } else {
                            lines.append(line)
                        }
                        try await react(event, turn, lines.last ?? "", stream.head.runID)
                    }
                }
                return lines
            }

            private func react(_ event: ServerSentEvent, _ turn: Turn, _ said: String, _ run: String?) async throws {
                let json = SimulatedJSON(text: event.data)
                var reply: JarvisPromptReply?
                if let id = json?["approval_id"]?.string { reply = .choice(approvalID: id, index: 1) }
                if event.name == "response.ask_user.prompt", let id = json?["call_id"]?.string {
                    reply = .answers(callID: id, [.init(question_index: 0, selected: "Red")])
                }
                if let reply { _ = await transport.exchange(request.reply(reply, session: Self.session)) }
                if let words = turn.cancelAt, said == "say " + words, let run {
                    _ = await transport.exchange(request.cancel(run: run))
                }
            }

            /// What remains of the turn: the conversation's state, its messages, and the fate of ids.
            func aftermath() async throws -> [String] {
                let state = try #require(await connection.state(of: Self.session))
                let reply = await transport.exchange(request.messages(session: Self.session))
                guard case .success(let response) = reply, let json = SimulatedJSON(bytes: response.body) else {
                    return []
                }
                let messages = (json["messages"]?.array ?? []).map { message in
                    let parts = (message["parts"]?.array ?? []).map { $0["type"]?.string ?? "?" }
                    return "\(message["role"]?.string ?? "?"): \(parts.joined(separator: ", "))"
                }
                var lines = ["active \(state.isActive)", "prompts \(state.prompts.count)"] + messages
                for previous in ["resp_msg_999999", state.lastResponseID ?? "none"] {
                    let stream = try await open("say: Yes.", previous: previous).get()
                    lines.append("\(previous == state.lastResponseID ? "latest" : "unknown") id: \(stream.head.status)")
                    while try await stream.read().get() != nil {}
                }
                let stream = try await open("say: Yes.", previous: state.lastResponseID).get()
                lines.append("stale id: \(stream.head.status)")
                stream.close()
                return lines
            }

            private static func line(_ event: ServerSentEvent) -> String? {
                guard let json = SimulatedJSON(text: event.data) else { return event.data }
                let name = event.name.replacing("response.", with: "")
                func kind(_ id: SimulatedJSON?) -> String {
                    (id?.string ?? "").hasPrefix("resp_msg_") ? "durable" : "run"
                }
                switch name {
                case "heartbeat": return nil
                case "output_text.delta": return "say \(json["delta"]?.string ?? "")"
                case "output_item.added", "output_item.done":
                    return "\(name) \(json["item"]?["type"]?.string ?? "") \(json["item"]?["name"]?.string ?? "")"
                case "tool_exec.start", "tool_exec.end":
                    return "\(name) \(json["tool_name"]?.string ?? "") \(json["success"]?.bool.map(String.init) ?? "")"
                case "ask_user.prompt": return "\(name) \(json["questions"]?.text ?? "")"
                case "approval.prompt":
                    let fields = ["path", "work_dir", "title", "is_shell", "is_write", "is_workspace", "options"]
                    return "\(name) " + fields.map { "\($0)=\(json[$0]?.text ?? "-")" }.joined(separator: " ")
                case "completed", "failed", "cancelled":
                    return "\(name) \(kind(json["response"]?["id"])) \(json["error"]?["type"]?.string ?? "")"
                default: return name
                }
            }
        }
    }
}
