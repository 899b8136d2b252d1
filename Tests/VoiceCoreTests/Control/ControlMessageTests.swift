import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork

struct ControlMessageTests {
    private func parsed(_ text: String) -> Result<ControlRequest, ControlRequest.Refusal> {
        do { return .success(try ControlRequest(line: Array(text.utf8))) } catch { return .failure(error) }
    }

    @Test func requestInAnotherEncodingIsNamed() {
        let line = Array(#"{"command":"ask","arguments":{"text":"sp"#.utf8) + [0xE4] + Array(#"t"}}"#.utf8)
        #expect(throws: ControlRequest.Refusal(ControlProblem(.badRequest, "the request is not UTF-8"))) {
            try ControlRequest(line: line)
        }
    }

    @Test func requestsAreRead() throws {
        #expect(
            try parsed(#"{"id":7,"command":"say","arguments":{"text":"hi"},"protocol":1,"new":true}"#).get()
                == ControlRequest(id: 7, command: "say", arguments: ["text": "hi"])
        )
        #expect(try parsed(#"{"command":"status"}"#).get() == ControlRequest(command: "status"))
        #expect(try parsed(#"{"command":"status","id":null,"arguments":null}"#).get().id == .null)
        let request = ControlRequest(id: "a", command: "volume", arguments: ["percent": "40"])
        #expect(try ControlRequest(line: ControlMessage.line(request.json).dropLast()) == request)
        #expect(try !parsed(#"{"command":"ask"}"#).get().isRemote)
        #expect(try parsed(#"{"command":"ask","remote":true}"#).get().isRemote)
    }

    @Test(arguments: [
        ("", "bad_request"), ("[]", "bad_request"), ("{\"command\":1}", "bad_request"), ("{}", "bad_request"),
        (#"{"command":"a","arguments":[]}"#, "bad_request"), (#"{"command":"a","id":[1]}"#, "bad_request"),
        (#"{"command":"a","id":1.5}"#, "bad_request"), (#"{"command":"a","protocol":3}"#, "unsupported_protocol"),
        ("{\"command\":\"\u{0}", "bad_request"),
    ])
    func malformedRequestIsRefused(line: String, code: String) {
        guard case .failure(let refusal) = parsed(line) else {
            Issue.record("accepted: \(line)")
            return
        }
        #expect(refusal.problem.code.rawValue == code)
    }

    @Test func aRefusalCarriesTheIDOfItsRequest() {
        guard case .failure(let refusal) = parsed(#"{"id":"x","protocol":9,"command":"a"}"#) else { return }
        #expect(refusal.id == "x")
    }

    @Test func repliesAreOneLine() {
        let line = ControlMessage.line(ControlMessage.reply(id: 3, .failure(ControlProblem(.failed, "a\nb"))))
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"error":{"code":"failed","message":"a\nb"},"id":3,"ok":false}"# + "\n"
        )
        #expect(
            String(decoding: ControlMessage.line(ControlMessage.reply(id: .null, .success(["a": "/"]))), as: UTF8.self)
                == #"{"ok":true,"result":{"a":"/"}}"# + "\n"
        )
    }

    @Test func argumentsAreChecked() throws {
        let wanted = [
            ControlArgument("channel", .choice(["voice", "media"]), isOptional: true, ""),
            ControlArgument("percent", .text(longest: 4), ""),
        ]
        #expect(try ControlArguments(["percent": 40], for: wanted)["percent"] == "40")
        for wrong: [String: JSONValue] in [
            [:], ["percent": "12345"], ["percent": ""], ["percent": true], ["percent": "1", "channel": "loud"],
            ["percent": "1", "colour": "red"],
        ] {
            #expect(throws: ControlProblem.self) { try ControlArguments(wrong, for: wanted) }
        }
    }

    @Test func helpNeedsNoDaemon() throws {
        let registry = ControlRegistry.standard
        let all = try #require(try registry.help(for: ["help"]))
        for command in registry.commands { #expect(all.contains(command.usage + "\n    ")) }
        let timer = try #require(try registry.help(for: ["timer", "--help"]))
        #expect(timer.hasPrefix("timer [list|set|"))
        #expect(try registry.help(for: ["help", "timer"]) == timer)
        // Words meant as text are said.
        for words in [["say", "help"], ["say", "press", "--help"], ["status"], []] {
            #expect(try registry.help(for: words) == nil)
        }
        #expect(throws: ControlProblem.self) { try registry.help(for: ["help", "timr"]) }
    }

    @Test func aCommandLineBecomesARequest() throws {
        let registry = ControlRegistry.standard
        #expect(try registry.request(words: ["volume", "40"]).arguments == ["percent": "40"])
        let quieter = try registry.request(words: ["volume", "media", "-10"])
        #expect(quieter.arguments == ["channel": "media", "percent": "-10"])
        #expect(try registry.request(words: ["volume"]).arguments == [:])
        #expect(try registry.request(words: ["say", "good", "morning"]).arguments == ["text": "good morning"])
        for wrong in [[], ["sing"], ["say"], ["mode", "loud"], ["status", "now"]] {
            #expect(throws: ControlProblem.self) { try registry.request(words: wrong) }
        }
        #expect(throws: ControlProblem(.unknownCommand, "there is no command \"stauts\"; did you mean status?")) {
            try registry.request(words: ["stauts"])
        }
    }

    @Test(arguments: [
        ["media", "nonsense"], ["media", "next"], ["media", "volume", "10"], ["media", "http://radio.example/stream"],
        ["media", "pause", "now"], ["media", "status", "x"], ["timer", "10m"], ["timer", "list", "tea"],
        ["timer", "stop", "all"], ["quiet", "please"],
    ])
    func wordsWithoutAnActionAreRefused(words: [String]) {
        #expect {
            _ = try ControlRegistry.standard.request(words: words)
        } throws: { error in
            (error as? ControlProblem)?.exitCode == .usage
        }
    }

    @Test func refusalOfAnActionListsTheActions() {
        let actions = "status, play, enqueue, interject, seek, remove, pause, resume, skip, previous, stop, clear"
        #expect(throws: ControlProblem(.badArgument, "there is no action \"next\": choose \(actions)")) {
            try ControlRegistry.standard.request(words: ["media", "next"])
        }
        let takers = "what goes with play, enqueue, interject, seek, remove"
        #expect(throws: ControlProblem(.badArgument, "\"pause\" takes no what: \(takers)")) {
            try ControlRegistry.standard.request(words: ["media", "pause", "it"])
        }
        let media = ControlCommand.media.arguments
        #expect(throws: ControlProblem(.badArgument, "action is missing: \(takers)")) {
            try ControlArguments(["what": "nonsense"], for: media)
        }
    }

    @Test func commandWorksWithoutTheWordCtl() throws {
        let programs = ["run", "ctl", "watch"]
        func completed(_ words: String...) throws -> [String] {
            try ControlRegistry.standard.completed(words, programs: programs)
        }
        #expect(try completed("status", "--json") == ["ctl", "status", "--json"])
        #expect(try completed("volume", "media", "10") == ["ctl", "volume", "media", "10"])
        for words in [["watch"], ["help", "ctl"], ["--version"], ["-c", "status"], []] {
            #expect(try ControlRegistry.standard.completed(words, programs: programs) == words)
        }
        #expect(throws: ControlProblem(.unknownCommand, "there is no command \"unmut\"; did you mean unmute?")) {
            try completed("unmut")
        }
        #expect(
            throws: ControlProblem(
                .unknownCommand, "there is no command \"sing\"; jarvis-voiced --help lists the commands"
            )
        ) { try completed("sing") }
    }

    @Test func optionsPrecedeTheText() throws {
        let registry = ControlRegistry.standard
        for words in [["--priority", "high", "--ask", "Is", "it?"], ["--ask", "--priority=high", "Is it?"]] {
            let request = try registry.request(words: ["announce"] + words)
            #expect(request.arguments == ["priority": "high", "ask": true, "text": "Is it?"])
        }
        // Anything that is not an option is text, wherever it stands.
        #expect(try registry.request(words: ["announce", "a", "--ask"]).arguments == ["text": "a --ask"])
        for text in ["--- all", "-5 degrees", "-- done"] {
            #expect(try registry.request(words: ["announce", text]).arguments == ["text": .string(text)])
        }
        #expect(try registry.request(words: ["say", "--ask", "a"]).arguments == ["text": "--ask a"])
        // Nor is it behind "--", which is not a word of the text.
        for words in [["--priority", "low", "--", "--ask", "a"], ["--priority=low", "--", "--ask a"]] {
            let request = try registry.request(words: ["announce"] + words)
            #expect(request.arguments == ["priority": "low", "text": "--ask a"])
        }
        #expect(try registry.request(words: ["say", "a", "--", "--", "b"]).arguments == ["text": "a -- b"])
        // A mistyped option is not announced.
        for words in [["--asked", "a"], ["--prio", "high", "Fire"], ["--ask", "--prio=high", "Fire"]] {
            #expect {
                _ = try registry.request(words: ["announce"] + words)
            } throws: { error in
                let problem = error as? ControlProblem
                return problem?.exitCode == .usage && problem?.message.hasPrefix("there is no option --") == true
            }
        }
        #expect(throws: ControlProblem(.badArgument, "text is empty")) {
            try registry.request(words: ["announce", ""])
        }
        for wrong in [["--priority"], ["--priority", "urgent", "a"], ["--ask=maybe", "a"], ["--ask"]] {
            #expect(throws: ControlProblem.self) { try registry.request(words: ["announce"] + wrong) }
        }
        let announce = try registry.command(named: "announce")
        #expect(announce.usage == "announce [--priority low|normal|high] [--ask] TEXT")
        for (given, isGood): (JSONValue, Bool) in [
            (true, true), (false, true), ("true", true), (1, false), ("yes", false),
        ] {
            let arguments = try? ControlArguments(["text": "a", "ask": given], for: announce.arguments)
            #expect((arguments != nil) == isGood, "\(given)")
        }
    }

    /// After "--" nothing is an option.
    @Test(arguments: [
        (["ask", "--", "--json"], ["ask", "--", "--json"], false), (["ask", "what", "--json"], ["ask", "what"], true),
        (["ask", "--", "a", "--", "b"], ["ask", "--", "a", "--", "b"], false), (["--", "status"], ["status"], false),
        (["status", "--json", "--"], ["status", "--"], true), ([], [], false), (["--json"], [], true),
    ])
    func optionsMayFollowTheCommand(captured: [String], words: [String], printsJSON: Bool) {
        let read = ControlWords(captured)
        #expect(read.words == words && read.printsJSON == printsJSON)
    }

    @Test func statusTextRepeatsNoProblem() {
        var snapshot = ServiceSnapshot(conversation: .listening, microphone: .waiting(reason: "in use"))
        snapshot.health = Health([
            .init(.agent, .limited, "Jarvis does not answer", fix: "see that its server runs", retryIn: 30),
            .init(.budget, .notWorking, "the budget is spent until 18:00"),
        ])
        let status: JSONValue = .object([
            "text": .string(snapshot.text), "state": "listening", "health": snapshot.health.json,
            "degraded": .array(snapshot.health.problems.map { .string($0.line) }),
        ])
        #expect(
            ControlText.lines(status) == """
                Not working: the budget is spent until 18:00; Jarvis does not answer: see that its server runs; next try in 30 s
                state: listening

                """
        )
        #expect(ControlText.exitStatus(status) == 2)
        #expect(
            ControlText.lines(["text": "Listening", "state": "listening", "degraded": []]).contains("degraded: none")
        )
    }

    /// Longer than any step of a connection takes, so that its failure is reported; shorter than the client waits.
    @Test func clientWaitsLongerThanAConnectionStep() {
        let limits = ConnectionLimits(whole: .seconds(10))
        let steps: [Duration] = [limits.step, limits.tcp]
        #expect((steps.max() ?? .zero) < VoiceDaemon.patience && VoiceDaemon.patience < .seconds(10))
        #expect(ControlProblem.stillConnecting("again").exitCode == .unavailable)
    }

    @Test func missingLoudspeakerIsReportedBeforeAnAnswer() {
        var snapshot = ServiceSnapshot(conversation: .listening, loudspeaker: .lost(reason: "unplugged"))
        #expect(snapshot.problem(of: .loudspeaker) == "loudspeaker lost: unplugged")
        #expect(snapshot.problem(of: .microphone) == nil)
        snapshot.microphone = .waiting(reason: "in use")
        snapshot.isMicrophoneMuted = true
        #expect(snapshot.problem(of: .microphone) == nil, "nobody wants it")
        snapshot.hasDevices = false
        #expect(snapshot.problem(of: .loudspeaker) == nil)
    }

    @Test func volumesMayBeAskedForInSteps() {
        #expect(VolumeChange("40")?.applied(to: 90) == 40)
        #expect(VolumeChange("+10")?.applied(to: 95) == 100)
        #expect(VolumeChange("-10")?.applied(to: 5) == 0)
        #expect(VolumeChange("-0")?.applied(to: 40) == 40, "a sign makes it a change")
        #expect(VolumeChange("101") == nil)
        #expect(VolumeChange("loud") == nil)
    }

    @Test func accessIsForRootTheUserAndTheGroup() {
        let access = ControlAccess(user: 500, group: 600)
        #expect(access.allows(.init(process: 1, user: 0, groups: [])))
        #expect(access.allows(.init(process: 1, user: 500, groups: [1])))
        #expect(access.allows(.init(process: 1, user: 1000, groups: [1000, 600])))
        #expect(!access.allows(.init(process: 1, user: 1000, groups: [1000])))
        #expect(!access.allows(.init(process: 0, user: .max, groups: [])))
    }

    @Test func linesAreCutFromAStream() {
        var buffer = LineBuffer(longest: 4)
        buffer.append(Array("a\r\n\nb".utf8))
        #expect(buffer.next() == Array("a".utf8))
        #expect(buffer.next() == [])
        #expect(buffer.next() == nil)
        #expect(buffer.room == 4)
        buffer.append(Array("cde\n".utf8))
        #expect(buffer.next() == Array("bcde".utf8))
        #expect(buffer.next() == nil)
        buffer.append(Array("f".utf8))
        #expect(buffer.rest() == Array("f".utf8))
        #expect(!buffer.hasOverflowed)
        buffer.append(Array("12345".utf8))
        #expect(buffer.next() == nil)
        #expect(buffer.hasOverflowed)
    }

    @Test func pathsFollowTheServiceManager() {
        #expect(ControlPath.daemon(environment: ["RUNTIME_DIRECTORY": "/run/a:/run/b"]) == "/run/a/control.sock")
        let users = ControlPath.daemon(environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
        #expect(users == "/run/user/1/jarvis-voiced/control.sock")
        #expect(ControlPath.daemon(environment: [:]) == nil)
        #expect(ControlPath.candidates(environment: ["JARVIS_CONTROL_SOCKET": "/x"]) == ["/x"])
        #expect(ControlPath.candidates(environment: [:]) == [ControlPath.system])
    }

    @Test func randomBytesDoNotBreakTheReader() {
        var generator = SeededGenerator(seed: 8)
        let seed = Array(
            #"{"id":1,"command":"volume","arguments":{"channel":"media","percent":"40"},"protocol":1}"#.utf8
        )
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...], at: place)
                }
            }
            var buffer = LineBuffer(longest: 4096)
            buffer.append(bytes)
            buffer.append([0x0A])
            while let line = buffer.next() {
                guard let request = try? ControlRequest(line: line) else { continue }
                guard let command = try? ControlRegistry.standard.command(named: request.command) else { continue }
                _ = try? ControlArguments(request.arguments, for: command.arguments)
            }
        }
    }
}
