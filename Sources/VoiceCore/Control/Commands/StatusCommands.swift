internal import VoiceBase

extension ControlCommand {
    static let status = ControlCommand(
        "status",
        isQuestion: true,
        "State of the daemon: see Status below."
    ) { (_, daemon) throws(ControlProblem) in
        .done(await daemon.controlStatus)
    }

    static let events = ControlCommand(
        "events",
        isQuestion: true,
        "Sends a line for every event until the client disconnects."
    ) { (_, daemon) throws(ControlProblem) in
        .events(daemon.events.subscribe(capacity: 64))
    }

    static let subscribe = ControlCommand(
        "subscribe",
        arguments: [
            ControlArgument(
                "levels", .flag, isOption: true, "also the levels of microphone and loudspeaker, ten times a second"
            )
        ],
        isQuestion: true,
        "Sends the status, then a line for every change of it, until the client disconnects."
    ) { (arguments, daemon) throws(ControlProblem) in
        let hasLevels = arguments["levels"] == "true"
        return .status(
            StatusSubscription(hasLevels: hasLevels, events: daemon.events.subscribe(capacity: 8)) { isWhole in
                let levels = hasLevels ? daemon.levels : [:]
                let values = isWhole ? await daemon.controlStatus.merging(levels) { own, _ in own } : levels
                return StatusSample(values, isWhole: isWhole, at: Monotonic.now())
            }
        )
    }
}
