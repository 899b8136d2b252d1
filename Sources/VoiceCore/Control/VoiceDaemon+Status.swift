internal import VoiceActivation
internal import VoiceAgent
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceMedia
internal import VoiceNetwork
internal import VoiceSession

extension VoiceDaemon {
    /// In dBFS.
    nonisolated var levels: [String: JSONValue] {
        let gauges = ports.gauges.snapshot
        return ["levels": ["in": .integer(gauges.levels.level / 10), "out": .integer(gauges.outputLevel / 10)]]
    }

    /// The source that the microphone picks up.
    private func heard(_ state: ConversationState) -> String {
        if state == .userSpeaking { return "user" }
        let echo = ports.gauges.echo
        return !echo.isPlaying ? "nothing" : echo.talker == .unknown ? "unknown" : "box"
    }

    /// The result of `status`.
    var controlStatus: [String: JSONValue] {
        get async {
            let status = await status
            let snapshot = await serviceSnapshot
            let activation = await activationStatus
            var result: [String: JSONValue] = [
                "text": .string(snapshot.text),
                "state": .string(status.conversation.name),
                "health": snapshot.health.json,
                "degraded": .array(snapshot.health.problems.map { .string($0.line) }),
                "microphone": .string(hasDevices ? status.microphone.name : "file"),
                "loudspeaker": .string(hasDevices ? status.loudspeaker.name : "file"),
                "microphone_muted": .bool(snapshot.isMicrophoneMuted),
                "volumes": .object(ControlCommand.json(await volumeController.volumes)),
                "capture_xruns": .integer(Int(clamping: status.engine.counters.captureXruns)),
                "playback_xruns": .integer(Int(clamping: status.engine.counters.playbackXruns)),
                "device_losses": .integer(Int(clamping: status.losses)),
                "level_dbfs": .integer(status.level),
            ]
            // Devices that were never there have no figures.
            if status.hasHeardEcho || !hasDevices {
                result["duplex"] = status.echo.isFull ? "full" : "half"
                result["duplex_reason"] = .string(status.echo.reason)
                result["echo"] = .object(status.echo.values)
            }
            result["mode"] = .string(activation.mode.rawValue)
            result["phase"] = .string(activation.phase.rawValue)
            if let name = activation.assistant { result["assistant"] = .string(name) }
            result["quiet"] = .bool(activation.isQuiet)
            result["wake_engine"] = .string(settings.activation.engine?.name ?? "off")
            let words = settings.activation.rule?.words.words.filter { !$0.isStop } ?? []
            result["wake_words"] = .array(words.map { .string($0.text) })
            let off = self.words.all.filter(self.words.off.contains)
            if !off.isEmpty { result["wake_words_off"] = .array(off.map { .string($0) }) }
            let gaps = listener?.lack.gaps.map(\.description) ?? []
            if !gaps.isEmpty { result["word_problems"] = .array(gaps.map { .string($0) }) }
            if settings.usesHomeAssistant { result["house_hears"] = .bool(settings.houseHears) }
            result["service"] = .string(settings.serviceName)
            result["dialect"] = .string(settings.service.name)
            if let substitute = await session.substitute { result["substitute"] = .string(substitute) }
            if let age = await session.sessionAge { result["session_age_s"] = .integer(Int(age.components.seconds)) }
            if let spending = status.spending {
                result["spent_hour_usd"] = .number(spending.hour.dollars)
                result["spent_today_usd"] = .number(spending.day.dollars)
                let sent = spending.day.sent
                result["sent_today"] = .string(sent.text)
                result["sent_today_s"] = .integer(sent.milliseconds / 1000)
                result["sent_today_bytes"] = .integer(sent.bytes)
                result["talk_today_min"] = .integer(Int(spending.day.minutes.rounded()))
                if let limit = spending.hourLimit { result["budget_hour_usd"] = .number(limit) }
                if let limit = spending.dayLimit { result["budget_day_usd"] = .number(limit) }
                if let until = spending.spentUntil { result["budget_spent_until"] = .string(until) }
            }
            result["timers"] = .integer(await timers.count)
            result["announcements"] = .integer(await house.count)
            result["name"] = .string(settings.name)
            result["version"] = .string(ProgramVersion.current)
            result["uptime_s"] = .integer(Int((Monotonic.now() - started).components.seconds))
            result["heard"] = .string(heard(status.conversation))
            result["breaker"] = .string(await agents.present.breaker.name)
            if let player {
                result["media"] = .object(await player.snapshot().watched)
                result["stations"] = .array(await player.stationNames().map { .string($0) })
            }
            result["timer_list"] = .array(await timers.entries.map(\.json))
            result.merge(OwnProcess.values) { own, _ in own }
            result.merge(events.history.values) { own, _ in own }
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
        let quality: String? = figures.linearERLE.map { erle in
            erle >= EchoQuality.goodERLE ? "good" : erle < EchoQuality.poorERLE ? "poor" : "fair"
        }
        var values: [String: JSONValue] = [
            "mode": .string(worker.rawValue), "quality": .string(quality ?? "unknown"), "aligned": .bool(isAligned),
            "moves": .integer(Int(clamping: moves)),
        ]
        for figure in measured { values[figure.status] = .integer(figure.value) }
        if let note { values["note"] = .string(note) }
        return values
    }
}

extension MediaSnapshot {
    /// Artist and title, for people; nil if neither is known.
    var what: String? {
        let known = [artist, title ?? nowPlaying].compactMap { $0 }
        return known.isEmpty ? nil : known.joined(separator: ": ")
    }

    /// The song of a station, unless the station has no other title.
    var song: String? { title == nil ? nil : nowPlaying }

    /// For `status`.
    fileprivate var watched: [String: JSONValue] {
        let isRunning = status != .stopped && status != .paused
        var values: [String: JSONValue] = [
            "state": .string(isRunning ? "playing" : status.rawValue), "queue": .array(queue.map { .string($0) }),
            "queue_length": .integer(queueLength),
        ]
        if let what { values["title"] = .string(what) }
        if let song { values["song"] = .string(song) }
        if let position { values["position_s"] = .integer(Int(position)) }
        if let duration { values["length_s"] = .integer(Int(duration)) }
        if let interjects { values["interjects"] = .bool(interjects) }
        if interjectionWasCut { values["interjection_cut"] = true }
        return values
    }
}

extension ListedTimer {
    fileprivate var json: JSONValue {
        var values: [String: JSONValue] = [
            "number": .integer(number), "kind": .string(kind.rawValue), "name": .string(name), "when": .string(when),
            "rings": .bool(rings), "paused": .bool(isPaused),
        ]
        if let clock { values["at"] = .string(clock) }
        if let left { values["left_s"] = .integer(Int(left.components.seconds)) }
        return .object(values)
    }
}

/// Memory and threads of this process.
private enum OwnProcess {
    static var values: [String: JSONValue] {
        let text = (try? FileReader.system.read("/proc/self/status", 8192).bytes).map {
            String(decoding: $0, as: UTF8.self)
        }
        var values: [String: JSONValue] = [:]
        for line in text?.split(separator: "\n") ?? [] {
            let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
            guard words.count > 1, let number = Int(words[1]) else { continue }
            if words[0] == "VmRSS:" { values["rss_bytes"] = .integer(number * 1024) }
            if words[0] == "Threads:" { values["threads"] = .integer(number) }
        }
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
