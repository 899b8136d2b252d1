internal import VoiceActivation
internal import VoiceAgent
internal import VoiceBase
internal import VoiceConversation
internal import VoiceMedia
internal import VoiceSession

extension ControlCommand {
    static let listen = ControlCommand(
        "listen",
        """
        Opens a conversation. Waits up to nine seconds for the voice service, and says why if it cannot be reached.
        """
    ) { (_, daemon) throws(ControlProblem) in
        if await daemon.activationStatus.isMuted { throw .muted }
        try await daemon.checkBudget()
        switch await daemon.opening(after: { daemon.activate() }) {
        case .open:
            let problem = await daemon.serviceSnapshot.problem(of: .microphone)
            return .done(["text": .string("listening" + (problem.map { ", but nothing is heard: \($0)" } ?? ""))])
        case .underWay: throw .stillConnecting("retrying for a while")
        case .ended: throw ControlProblem(.notAvailable, "the conversation was ended meanwhile")
        case .failed(let trouble): throw ControlProblem(trouble, meanwhile: "retrying for a while")
        }
    }

    static let interrupt = ControlCommand(
        "interrupt",
        """
        Silences the voice and any ringing, discards what is being said to it, and cancels what the agent is working \
        on. The conversation and media continue. Answers once all is quiet.
        """
    ) { (_, daemon) throws(ControlProblem) in
        guard await daemon.silence() else { throw .stillSounds }
        return .done(["text": "quiet"])
    }

    static let stop = ControlCommand(
        "stop",
        """
        As `interrupt`, and ends media too. If no one is speaking, it also ends the conversation, except in always mode.
        """
    ) { (_, daemon) throws(ControlProblem) in
        async let isAtWork = daemon.agents.areAtWork
        guard await daemon.stopAll() else { throw .stillSounds }
        let cancelled = await isAtWork
        return .done([
            "text": cancelled ? "quiet; the agent's request was cancelled" : "quiet", "cancelled": .bool(cancelled),
        ])
    }

    static let reset = ControlCommand(
        "reset",
        "Starts over: a new conversation with the agent, and a new session of the voice service that remembers nothing."
    ) { (_, daemon) throws(ControlProblem) in
        daemon.mailbox.post(activation: .startFresh)
        return .done(["text": "a fresh conversation"])
    }

    static let say = ControlCommand(
        "say",
        arguments: [ControlArgument("text", .text(longest: 1000), "what to say")],
        """
        Speaks a text as soon as no one is speaking; a model may change a word. Without a conversation the local voice \
        ([local]) says it, else a session that is opened for it, within the budget, and hears nothing.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let text = arguments["text"] ?? ""
        guard text.isSayable else { throw ControlProblem(.badArgument, "\(InboxProblem.empty)") }
        if await daemon.activationStatus.isQuiet { throw .quietHours }
        try await daemon.checkLoudspeaker()
        let said = ControlOutcome.done(["text": "it will be said"])
        switch await daemon.state {
        case .idle, .connecting, .error:
            if let announcer = daemon.announcer {
                guard !announcer.isFull else {
                    throw ControlProblem(.notAvailable, "\(LocalAnnouncer.most) texts wait for the local voice already")
                }
                daemon.mailbox.post(activation: .say(text))
                return said
            }
        default:
            guard await daemon.saysGivenWords else { throw .noGivenWords }
            daemon.mailbox.post(activation: .say(text))
            return said
        }
        guard await daemon.saysGivenWords else { throw .noGivenWords }
        try await daemon.checkBudget()
        switch await daemon.opening(after: { daemon.mailbox.post(activation: .say(text)) }) {
        case .open: return said
        case .underWay: throw .stillConnecting("it will be said once the service answers, otherwise say it again")
        case .ended: throw ControlProblem(.notAvailable, "the conversation was ended meanwhile; it was not said")
        case .failed(let trouble):
            throw ControlProblem(
                trouble, meanwhile: "it will be said if the service recovers soon, otherwise say it again"
            )
        }
    }

    static let ask = ControlCommand(
        "ask",
        arguments: [
            ControlArgument(
                "reads", .flag, isOption: true,
                "also sends the answer in words, to this client alone, whatever log.transcripts says"
            ),
            ControlArgument("text", .text(longest: 2000), "the question"),
        ],
        """
        Asks a typed question as if it had been spoken, in a conversation that it opens if necessary, even while muted; \
        waits as `listen` does. Gives no permission that the agent asks for, except by root or with jarvis.typed_approval.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let text = arguments["text"] ?? ""
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ControlProblem(.badRequest, "the question is empty")
        }
        try await daemon.checkBudget()
        let reading = arguments["reads"] == "true" ? daemon.readers.open() : nil
        let question = TypedQuestion(
            text, mayApprove: arguments.isOfRoot || daemon.settings.jarvis.typedApproval, reader: reading?.number
        )
        let opening = await daemon.opening(after: { daemon.mailbox.post(activation: .ask(question)) })
        if opening != .open { reading?.cancel() }
        switch opening {
        case .open:
            let problem = await daemon.serviceSnapshot.problem(of: .loudspeaker)
            let result: [String: JSONValue] = [
                "text": .string(
                    "asked; " + (problem.map { "nobody will hear the answer: \($0)" } ?? "the answer is spoken")
                )
            ]
            return reading.map { .answer(result, $0) } ?? .done(result)
        case .underWay: throw .stillConnecting("it will be asked once the service answers, otherwise ask again")
        case .ended:
            throw ControlProblem(.notAvailable, "the conversation was ended meanwhile; the question was not asked")
        case .failed(let trouble):
            throw ControlProblem(
                trouble, meanwhile: "it will be asked if the service recovers soon, otherwise ask again"
            )
        }
    }

    static let mode = ControlCommand(
        "mode",
        arguments: [
            ControlArgument(
                "mode", .choice(ActivationMode.allCases.map(\.rawValue)), isOptional: true, "the mode to change to"
            )
        ],
        """
        Shows or changes what opens a conversation: it is always open, a wake word, or a command or button. Remembered \
        until activation.mode is edited; `saved` says whether it is on disk.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let wanted = arguments["mode"].flatMap(ActivationMode.init)
        if wanted == .wake, daemon.listener == nil || !daemon.settings.activation.hearsCalls {
            throw ControlProblem(.notAvailable, ActivationSettings.withoutWords(way: "ctl mode push"))
        }
        let limitsDay = await daemon.status.spending?.limitsDay ?? false
        if wanted == .always, let refusal = daemon.settings.refusalOfAlways(limitsDay: limitsDay) {
            throw ControlProblem(.notAvailable, refusal)
        }
        guard let wanted else {
            let mode = await daemon.activationStatus.mode.rawValue
            return .done(["text": .string("mode \(mode)"), "mode": .string(mode)])
        }
        let outcome = await daemon.set(.setMode(wanted))
        if outcome == .stuck {
            throw ControlProblem(
                .failed, "the mode is not changed: the daemon is stuck; \"systemctl restart jarvis-voiced\" may help"
            )
        }
        let deaf = wanted == .wake ? daemon.listener?.lack.calls : nil
        let text = "mode \(wanted.rawValue)" + (deaf.map { ", but no wake word is recognised: \($0)" } ?? "")
        return .done(remembered(text, ["mode": .string(wanted.rawValue)], outcome))
    }

    static let quiet = ControlCommand(
        "quiet",
        arguments: [ControlArgument("switch", .choice(["on", "off"]), isOptional: true, "begin or end them")],
        """
        Shows, begins or ends quiet hours: lower volume, no sounds and no announcements. activation.quiet_hours begins \
        and ends them too.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let wanted = arguments["switch"].map { $0 == "on" }
        if let wanted, await !daemon.mailbox.handle(.quiet(wanted), within: .seconds(2)) {
            throw ControlProblem(
                .failed,
                "quiet hours are not changed: the daemon is stuck; \"systemctl restart jarvis-voiced\" may help"
            )
        }
        let isQuiet = if let wanted { wanted } else { await daemon.activationStatus.isQuiet }
        return .done(["text": isQuiet ? "quiet hours" : "no quiet hours", "quiet": .bool(isQuiet)])
    }
}

extension ControlProblem {
    fileprivate static let muted = ControlProblem(
        .notAvailable, "the microphone is off: ctl unmute turns it on", cause: .muted
    )
    static let quietHours = ControlProblem(
        .notAvailable, "quiet hours: nothing is said aloud; ctl quiet off ends them", cause: .quiet
    )
    static let noGivenWords = ControlProblem(
        .notAvailable,
        "the voice service cannot read a text aloud, and there is no local voice: set one up as local.speaker"
    )
    fileprivate static let stillSounds = ControlProblem(
        .failed, "the sound has not ended: the audio thread hangs; \"systemctl restart jarvis-voiced\" may help"
    )
}
