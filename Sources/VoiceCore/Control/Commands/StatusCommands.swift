extension ControlCommand {
    static let status = ControlCommand(
        "status",
        isQuestion: true,
        """
        How the daemon fares: `text` is one line for people; `state`, the devices, duplex mode, volumes, what was spent, \
        and the last trouble.
        """
    ) { (_, daemon) throws(ControlProblem) in
        .done(await daemon.controlStatus)
    }

    static let events = ControlCommand(
        "events",
        isQuestion: true,
        "Sends a line for everything that happens, until the client leaves."
    ) { (_, daemon) throws(ControlProblem) in
        .events(daemon.events.subscribe(capacity: 64))
    }
}

extension VoiceDaemon {
    /// The result of `status`.
    fileprivate var controlStatus: [String: JSONValue] {
        get async {
            let status = await status
            let snapshot = await serviceSnapshot
            var result: [String: JSONValue] = [
                "text": .string(snapshot.text),
                "state": .string(status.conversation.name),
                "degraded": .array(snapshot.lacks.map { .string($0) }),
                "microphone": .string(hasDevices ? status.microphone.name : "file"),
                "loudspeaker": .string(hasDevices ? status.loudspeaker.name : "file"),
                "duplex": status.echo.state.isFull ? "full" : "half",
                "microphone_muted": .bool(snapshot.isMicrophoneMuted),
                "volumes": .object(ControlCommand.json(await volumes)),
                "capture_xruns": .integer(Int(clamping: status.captureXruns)),
                "playback_xruns": .integer(Int(clamping: status.playbackXruns)),
                "device_losses": .integer(Int(clamping: status.losses)),
                "level_dbfs": .integer(Int(status.level.rounded())),
            ]
            if let spending = status.spending {
                result["spent_hour_usd"] = .number(spending.hour.dollars)
                result["spent_today_usd"] = .number(spending.day.dollars)
            }
            if let trouble = events.lastTrouble {
                result["last_trouble"] = ControlMessage.event(trouble)
            }
            return result
        }
    }
}
