internal import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceBudget
internal import VoiceConfiguration
internal import VoiceConversation
internal import VoiceHousehold
internal import VoiceNetwork

extension ControlCommand {
    static let status = ControlCommand(
        "status",
        isQuestion: true,
        """
        State of the daemon: `text` is one line for people; the conversation's `state`, activation (`mode`, `phase`, \
        `wake_engine`, and `word_problems`: words that are not recognised, or not as configured), mute, the devices, `duplex` with its reason, `echo` (quality of the canceller, delay, drift, \
        how often the box was moved, and a `note` of what is wrong with the echo and what helps), the voice service and the age of \
        its session, volumes, spending, the microphone audio that has left this machine since midnight, the number of timers set and announcements waiting, and the last trouble. \
        Unknown members are left out.
        """
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
}

extension VoiceDaemon {
    /// The result of `status`.
    fileprivate var controlStatus: [String: JSONValue] {
        get async {
            let status = await status
            let snapshot = await serviceSnapshot
            let activation = await activationStatus
            var result: [String: JSONValue] = [
                "text": .string(snapshot.text),
                "state": .string(status.conversation.name),
                "degraded": .array(snapshot.lacks.map { .string($0) }),
                "microphone": .string(hasDevices ? status.microphone.name : "file"),
                "loudspeaker": .string(hasDevices ? status.loudspeaker.name : "file"),
                "microphone_muted": .bool(snapshot.isMicrophoneMuted),
                "volumes": .object(ControlCommand.json(await volumes)),
                "capture_xruns": .integer(Int(clamping: status.captureXruns)),
                "playback_xruns": .integer(Int(clamping: status.playbackXruns)),
                "device_losses": .integer(Int(clamping: status.losses)),
                "level_dbfs": .integer(Int(status.level.rounded())),
            ]
            // Of devices that were never there, every figure would be an invention.
            if status.hasHeardEcho || !hasDevices {
                result["duplex"] = status.echo.isFull ? "full" : "half"
                result["duplex_reason"] = .string(status.echo.reason)
                result["echo"] = .object(status.echo.values)
            }
            result["mode"] = .string(activation.mode.rawValue)
            result["phase"] = .string(activation.phase.rawValue)
            result["quiet"] = .bool(activation.isQuiet)
            result["wake_engine"] = .string(settings.activation.engine?.name ?? "off")
            let gaps = listener?.lack.gaps.map(\.description) ?? []
            if !gaps.isEmpty { result["word_problems"] = .array(gaps.map { .string($0) }) }
            result["service"] = .string(settings.serviceName)
            result["dialect"] = .string(settings.service.name)
            if let substitute = await session.substitute { result["substitute"] = .string(substitute) }
            if let age = await session.sessionAge { result["session_age_s"] = .integer(Int(age.components.seconds)) }
            if let spending = status.spending {
                result["spent_hour_usd"] = .number(spending.hour.dollars)
                result["spent_today_usd"] = .number(spending.day.dollars)
                let sent = spending.day.sent
                result["text"] = .string("\(snapshot.text); sent today: \(sent.text)")
                result["sent_today_s"] = .integer(sent.milliseconds / 1000)
                result["sent_today_bytes"] = .integer(sent.bytes)
                result["talk_today_min"] = .integer(Int(spending.day.minutes.rounded()))
                if let until = spending.spentUntil { result["budget_spent_until"] = .string(until) }
            }
            for (name, count) in [("timers", await timers.count), ("announcements", await house.count)] where count > 0
            {
                result[name] = .integer(count)
            }
            if let trouble = events.lastTrouble {
                result["last_trouble"] = ControlMessage.event(trouble)
            }
            return result
        }
    }
}

extension EchoStatus {
    /// Measurements of the echo, for `status`; unknown ones are left out.
    fileprivate var values: [String: JSONValue] {
        let rule = EchoQuality.Rule()
        let quality: String? = linearERLE.map { erle in
            erle >= Double(rule.good) ? "good" : erle < Double(rule.poor) ? "poor" : "fair"
        }
        var values: [String: JSONValue] = [
            "mode": .string(worker.rawValue), "quality": .string(quality ?? "unknown"), "aligned": .bool(isAligned),
        ]
        for (name, value) in [
            ("erle_db", linearERLE), ("level_dbfs", echoLevel), ("noise_dbfs", noiseFloor), ("delay_ms", delay),
            ("drift_ppm", drift),
        ] {
            if let value { values[name] = .integer(Int(value.rounded())) }
        }
        if moves > 0 { values["moves"] = .integer(Int(clamping: moves)) }
        if let note { values["note"] = .string(note) }
        return values
    }
}

extension DaemonSettings {
    /// Host and model for people, as in "api.openai.com, gpt-realtime".
    fileprivate var serviceName: String {
        let host = service.request.flatMap { ServerURL($0.url)?.host } ?? service.name
        return model.isEmpty ? host : "\(host), \(model)"
    }
}
