internal import Logging
internal import VoiceActivation
internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

extension ControlCommand {
    static let assist = ControlCommand(
        "assist",
        arguments: [
            ControlArgument("run", .text(longest: 19), isOption: true, "the number of the run that the news is of"),
            ControlArgument(
                "action", .choice(["follow", "ask"] + AssistNews.names),
                "follow: sends a line for everything that a conversation wants of Home Assistant, until the client disconnects; ask: Home "
                    + "Assistant has asked something, so a conversation opens that hears the answer; any other: Home Assistant's news of a run"
            ),
            ControlArgument(
                "text", .text(longest: 8000), isOptional: true, completes: ("action", AssistNews.namesWithText),
                "what was heard, the words of the answer, the address of its sound, or why there is none"
            ),
        ],
        isQuestion: true,
        isOfMachine: true,
        """
        For jarvis-bridge, where Home Assistant's pipeline is a voice service (service.use has "home-assistant"): carries a conversation's sound \
        there, and its answers back. One client follows at a time. Refused to what comes over the network.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let exchange = daemon.settings.assist
        switch arguments["action"] {
        case "follow":
            guard daemon.settings.usesHomeAssistant else {
                throw ControlProblem(
                    .notAvailable, "service.use does not name home-assistant: Home Assistant does not hear this box"
                )
            }
            let follower = exchange.follow()
            daemon.logger.info("Home Assistant is there as a voice service")
            Task { await daemon.session.serviceIsThere() }
            return .assist(follower)
        case "ask":
            try await daemon.hearAnswer()
            return .done(["text": "Home Assistant hears the answer"])
        case let action:
            guard let news = action.flatMap({ AssistNews($0, text: arguments["text"]) }),
                let run = arguments["run"].flatMap({ Int($0) })
            else {
                throw ControlProblem(.badArgument, "news needs the number of its run")
            }
            guard exchange.tell(run: run, news) else {
                throw ControlProblem(.notAvailable, "that run is over")
            }
            return .done([:])
        }
    }

    static let words = ControlCommand(
        "words",
        arguments: [
            ControlArgument(
                "action", .choice(["list", "on", "off", "only", "none"]), isOptional: true,
                "switch one on or off; only: no others than these; none of them; default: list"
            ),
            ControlArgument(
                "what", .text(longest: 1000), isOptional: true, completes: ("action", ["on", "off", "only"]),
                "the word; for only: words with commas between them"
            ),
        ],
        """
        Shows which wake words call the box, or switches some off: these no longer call it. Remembered across \
        restarts; `saved` says whether it is on disk.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let choice = daemon.words
        let named = (arguments["what"] ?? "").split(separator: ",").map(Configuration.Word.plain).filter { !$0.isEmpty }
        if let unknown = named.first(where: { !choice.all.contains($0) }) {
            let known = choice.all.isEmpty ? "this box has none" : choice.all.joined(separator: ", ")
            throw ControlProblem(.badArgument, "\"\(unknown.prefix(64))\" is not a wake word of this box: \(known)")
        }
        let action = arguments["action"] ?? "list"
        if named.isEmpty, ["on", "off", "only"].contains(action) {
            throw ControlProblem(.badArgument, "say which word")
        }
        switch action {
        case "on": choice.set(off: choice.off.subtracting(named))
        case "off": choice.set(off: choice.off.union(named))
        case "only": choice.set(off: Set(choice.all).subtracting(named))
        case "none": choice.set(off: Set(choice.all))
        default: break
        }
        let isSaved = action == "list" ? true : await choice.isSaved(within: .seconds(2))
        let (on, off) = (choice.all.filter { !choice.off.contains($0) }, choice.all.filter(choice.off.contains))
        let text =
            (on.isEmpty ? "no wake word calls" : "wake words: " + on.joined(separator: ", "))
            + (off.isEmpty ? "" : "; off: " + off.joined(separator: ", "))
        return .done(
            remembered(
                text, ["on": .array(on.map { .string($0) }), "off": .array(off.map { .string($0) })],
                isSaved ? .saved : .unsaved
            )
        )
    }
}

extension VoiceDaemon {
    /// Opens a conversation whose first turn answers a question of Home Assistant.
    fileprivate func hearAnswer() async throws(ControlProblem) {
        let exchange = settings.assist
        guard settings.houseHears, exchange.isFollowed else {
            throw ControlProblem(
                .notAvailable, "Home Assistant is away, or not the first of service.use", cause: .service
            )
        }
        if await activationStatus.isMuted {
            throw ControlProblem(.notAvailable, "the microphone is off: ctl unmute turns it on", cause: .muted)
        }
        let wasOpen = await session.state != .idle
        exchange.ask()
        let opening = await opening(after: { activate(.reset) })
        var isTaken = !exchange.isAsked
        // The session is open; it takes the question with the microphone.
        for _ in 0..<100 where opening == .open && !isTaken {
            try? await Task.sleep(for: .milliseconds(20))
            isTaken = !exchange.isAsked
        }
        guard exchange.takeQuestion() || opening != .open else { return }
        switch opening {
        case .failed(let trouble): throw ControlProblem(trouble, meanwhile: "the question is not answered")
        case .ended: throw ControlProblem(.notAvailable, "the conversation was ended meanwhile")
        case .underWay: throw .stillConnecting("the question is not answered")
        case .open:
            // The conversation was opened for the question alone.
            if !wasOpen { mailbox.post(activation: .stop(isSpoken: false)) }
            throw ControlProblem(
                .notAvailable, "another voice service than Home Assistant is in use", cause: .service
            )
        }
    }
}

extension AssistNews {
    /// The names of the news that have a text, and of all news.
    fileprivate static let namesWithText = ["began", "heard", "says", "sound", "failed"]
    fileprivate static let names = namesWithText + ["speech_ended", "works", "ended"]

    /// nil for an unknown name. An absent text is an empty one.
    fileprivate init?(_ name: String, text: String?) {
        switch name {
        case "began": self = .began(speaks: text == "speaks")
        case "speech_ended": self = .speechEnded
        case "heard": self = .heard(text ?? "")
        case "works": self = .works
        case "says": self = .says(text ?? "")
        case "sound": self = .sound(text ?? "")
        case "failed": self = .failed(text ?? "")
        case "ended": self = .ended
        default: return nil
        }
    }
}

extension ControlMessage {
    /// The last line for a follower of Home Assistant's runs: another follower has taken its place.
    static let assistEnded: JSONValue = ["event": "assist", "do": "leave"]

    /// A session's request to Home Assistant, as a line.
    static func line(_ line: AssistExchange.Line) -> [UInt8] {
        func made(_ what: String, _ run: Int, _ more: [String: JSONValue] = [:]) -> [UInt8] {
            let members: [String: JSONValue] = ["event": "assist", "do": .string(what), "run": .integer(run)]
            return Self.line(.object(members.merging(more) { own, _ in own }))
        }
        switch line {
        case .start(let run, let word): return made("start", run, ["word": .string(word)])
        case .sound(let run, let bytes): return made("sound", run, ["data": .string(Base64.text(bytes))])
        case .soundEnds(let run): return made("sound_ends", run)
        case .stop(let run): return made("stop", run)
        case .played(let run): return made("played", run)
        }
    }
}
