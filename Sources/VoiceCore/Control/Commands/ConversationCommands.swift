extension ControlCommand {
    static let listen = ControlCommand("listen", "Opens a conversation, as a wake word or a button would.") {
        (_, daemon) throws(ControlProblem) in
        daemon.post(.activate)
        return .done(["text": "listening"])
    }

    static let interrupt = ControlCommand(
        "interrupt",
        "Cuts off the answer that is being spoken, or the one that is awaited. The conversation goes on."
    ) { (_, daemon) throws(ControlProblem) in
        daemon.post(.interrupt)
        return .done(["text": "quiet"])
    }

    static let stop = ControlCommand(
        "stop",
        "Silences the box, and takes back what the agent is working on."
    ) { (_, daemon) throws(ControlProblem) in
        daemon.post(.interrupt)
        let cancelled = await daemon.cancelAgentRequest()
        return .done([
            "text": cancelled ? "quiet; the agent's request was taken back" : "quiet", "cancelled": .bool(cancelled),
        ])
    }

    static let reset = ControlCommand(
        "reset",
        "Begins afresh: a new conversation with the agent, and a new session of the voice service that remembers nothing."
    ) { (_, daemon) throws(ControlProblem) in
        await daemon.startFresh()
        if await daemon.state != .idle {
            daemon.post(.deactivate)
            daemon.post(.activate)
        }
        return .done(["text": "a fresh conversation"])
    }

    static let say = ControlCommand(
        "say",
        arguments: [ControlArgument("text", .text(longest: 1000), "what to say")],
        """
        Has the voice say a text, as soon as nobody speaks; of a service that speaks by a model, so it may change a word. \
        Needs an open conversation.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        switch await daemon.state {
        case .idle: throw ControlProblem(.notAvailable, "no conversation is open; \"listen\" opens one")
        case .connecting: throw ControlProblem(.notAvailable, "the voice service is not connected yet")
        case .error(let reason): throw ControlProblem(.notAvailable, "the voice service refuses us: \(reason)")
        default: break
        }
        daemon.post(.say(arguments["text"] ?? ""))
        return .done(["text": "it will be said"])
    }

    static let mode = ControlCommand(
        "mode",
        arguments: [
            ControlArgument("mode", .choice(["always", "wake", "push"]), isOptional: true, "the mode to change to")
        ],
        "What begins a conversation: it is always open, a wake word, or a command or button. Without an argument: tells."
    ) { (arguments, _) throws(ControlProblem) in
        switch arguments["mode"] {
        case nil, "always": return .done(["text": "mode always", "mode": "always"])
        case let mode?: throw ControlProblem(.notAvailable, "this build has no mode \"\(mode)\": it always listens")
        }
    }

    static let quiet = ControlCommand(
        "quiet",
        arguments: [ControlArgument("switch", .choice(["on", "off"]), isOptional: true, "begin or end them")],
        "Quiet hours: lower volume, no chimes, no announcements."
    ) { (_, _) throws(ControlProblem) in
        throw ControlProblem(.notAvailable, "this build has no quiet hours; use mute and volume")
    }
}
