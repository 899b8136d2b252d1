internal import VoiceSimulator

/// One session of the simulated Datagrid Voice: hears 16 kHz, answers with 24 kHz in a burst. Pure; times are in ms.
struct SimulatedDatagridSession: SimulatedConversation {
    private enum Phase { case opening, live, closed }

    /// An output and when it is due.
    private struct Due {
        var at: Int
        var what: What

        enum What {
            case transcript(role: String, text: String)
            case tool(String, status: String)
            case answer(String)
            case interrupted
            case ended
        }
    }

    private let script: DatagridScript
    private let shared: DatagridSimulator.Shared
    private let voice: SpokenVoice
    private let tag: String
    private var phase = Phase.opening
    private var detector: EnergyVoiceDetector
    private(set) var turnsUsed: Int
    private(set) var violations: [String] = []
    private var struck: [FaultKind] = []
    private var now = 0
    private var readyAt = 0
    private var answerAt: Int?
    private var due: [Due] = []
    /// Samples of the answer not sent yet.
    private var sound: [Int16] = []
    private var transcript: [(role: String, text: String)] = []
    private var hasErred = false
    private var hasPhantom = false
    private var lastAudio: Int?

    /// Delay of an answer after the user's last word, and of the reaction to `interrupt` and `stop`.
    private static let pause = 500
    private static let reaction = 120
    /// Samples of one message, 100 ms; one message is sent every 20 ms.
    private static let piece = 2400

    /// - Parameter turn: number of the script turn with which to begin.
    init(
        script: DatagridScript,
        shared: DatagridSimulator.Shared,
        voice: SpokenVoice,
        threshold: Double,
        tag: String,
        turn: Int
    ) {
        self.script = script
        self.shared = shared
        self.voice = voice
        self.tag = tag
        turnsUsed = turn
        detector = EnergyVoiceDetector(thresholdDecibels: threshold, releaseMilliseconds: 250)
    }

    mutating func takeStruck() -> [FaultKind] {
        defer { struck = [] }
        return struck
    }

    // MARK: Messages

    mutating func receive(_ text: String, at now: Int) -> [SocketOutput] {
        self.now = now
        guard phase != .closed else { return [] }
        guard let message = SimulatedJSON(text: text), let type = message["type"]?.string else {
            violations.append("what is no message")
            return []
        }
        let payload = message["payload"]
        if phase == .opening, type != "start" {
            violations.append("\(type) before start")
            return error("invalid_message", "The first message must be start.")
        }
        switch type {
        case "start": return start(payload ?? .null)
        case "audio": return hear(payload)
        case "text":
            guard let text = payload?["text"]?.string, !text.isEmpty else {
                violations.append("text without text")
                return []
            }
            transcript.append(("user", text))
            act()
        case "interrupt":
            if payload != nil { violations.append("interrupt with a payload") }
            if script.faults.ignoresInterrupt {
                struck.append(.ignoredInterrupt)
            } else {
                due.append(Due(at: now + Self.reaction, what: .interrupted))
            }
        case "stop":
            if !script.faults.ignoresStop { due.append(Due(at: now + Self.reaction, what: .ended)) }
        default: violations.append("\(type) is unknown")
        }
        return []
    }

    private static let known: Set<String> = [
        "agent_id", "conversation_id", "voice_mode", "config", "file_ids", "secret_ids", "knowledge_ids", "page_ids",
        "user",
        "initial_context", "initial_message", "ephemeral", "voice_config",
    ]

    private mutating func start(_ payload: SimulatedJSON) -> [SocketOutput] {
        guard phase == .opening else {
            violations.append("start twice")
            return []
        }
        for field in (payload.object ?? [:]).keys where !Self.known.contains(field) {
            violations.append("start.\(field)")
        }
        if payload["voice_config"]?["silent_start"] != true { violations.append("the agent would greet by itself") }
        if let text = script.faults.refusesStart { return error(nil, text) + [.close] }
        var conversation = payload["conversation_id"]?.string
        if let known = conversation {
            guard shared.knows(known), !script.faults.forgetsConversations else {
                struck.append(.forgottenConversation)
                return error("not_found", "There is no conversation \(known).") + [.close]
            }
            if payload["initial_message"] != nil { violations.append("a greeting in a conversation that goes on") }
        } else {
            conversation = shared.begin()
        }
        phase = .live
        readyAt = now
        if let greeting = payload["initial_message"]?.string { due.append(Due(at: now + 300, what: .answer(greeting))) }
        let started: SimulatedJSON = [
            "session_id": .string("dg_\(tag)"), "conversation_id": .string(conversation ?? ""), "message_id": "msg_1",
        ]
        return [send("started", started), send("ready")] + script.faults.nonsense.map { .sendText($0) }
    }

    private mutating func hear(_ payload: SimulatedJSON?) -> [SocketOutput] {
        guard let data = payload?["data"]?.string, let samples = PCM16.samples(base64: data) else {
            violations.append("broken audio")
            return []
        }
        // The uplink never stops: a real service would take a gap for a pause of the speaker.
        if let last = lastAudio, now - last > 2000 { violations.append("\(now - last) ms without sound") }
        lastAudio = now
        for change in detector.process(SpokenVoice.resample(samples, from: 16_000, to: 24_000)) {
            guard case .stopped = change else { continue }
            if turnsUsed < script.turns.count { transcribe(script.turns[turnsUsed].words) }
            act()
        }
        return []
    }

    private mutating func transcribe(_ words: String) {
        transcript.append(("user", words))
        for (index, word) in words.split(separator: " ").enumerated() {
            due.append(Due(at: now + 100, what: .transcript(role: "user", text: (index == 0 ? "" : " ") + word)))
        }
    }

    /// Performs the script's action for this turn.
    private mutating func act() {
        defer { turnsUsed += 1 }
        guard turnsUsed < script.turns.count else { return }
        switch script.turns[turnsUsed].action {
        case .say(let text): due.append(Due(at: now + Self.pause, what: .answer(text)))
        case .work(let tool, let milliseconds, let text):
            due.append(Due(at: now + 200, what: .tool(tool, status: "started")))
            if script.faults.unfinishedTools {
                struck.append(.unfinishedTool)
            } else {
                due.append(Due(at: now + 200 + milliseconds, what: .tool(tool, status: "completed")))
            }
            due.append(Due(at: now + 200 + milliseconds + Self.pause, what: .answer(text)))
        case .nothing: break
        }
    }

    // MARK: Time

    mutating func tick(at now: Int) -> [SocketOutput] {
        self.now = now
        guard phase == .live else { return [] }
        if let pause = script.faults.dropsAfterAnswer, let begun = answerAt, now - begun >= pause {
            phase = .closed
            return [.drop]
        }
        if let pause = script.faults.endsInAnswer, let begun = answerAt, now - begun >= pause {
            struck.append(.endedInAnswer)
            return end()
        }
        if let limit = script.faults.endsAfter, now - readyAt >= limit { return end() }
        var outputs: [SocketOutput] = []
        if let fault = script.faults.error, !hasErred, now - readyAt >= fault.after {
            hasErred = true
            outputs += error(fault.code, fault.text)
        }
        if let phantom = script.faults.phantom, !hasPhantom, now - readyAt >= phantom.after {
            hasPhantom = true
            struck.append(.phantomWords)
            outputs.append(send("transcript", ["role": "user", "text": .string(phantom.words)]))
        }
        if let pause = script.faults.interruptsItselfAfter, let begun = answerAt, now - begun >= pause {
            answerAt = nil
            struck.append(.cutByItself)
            due.append(Due(at: now, what: .interrupted))
        }
        let ready = due.filter { $0.at <= now }
        due.removeAll { $0.at <= now }
        for one in ready { outputs += perform(one.what) }
        return outputs + speak()
    }

    private mutating func perform(_ what: Due.What) -> [SocketOutput] {
        switch what {
        case .transcript(let role, let text):
            return [send("transcript", ["role": .string(role), "text": .string(text)])]
        case .tool(let tool, let status):
            return [send("tool_call", ["tool_name": .string(tool), "status": .string(status)])]
        case .answer(let text):
            answerAt = now
            transcript.append(("agent", text))
            var outputs: [SocketOutput] = []
            for (index, word) in text.split(whereSeparator: \.isWhitespace).enumerated() {
                sound += voice.samples(String(word))
                let piece = (index == 0 ? "" : " ") + word
                outputs.append(send("transcript", ["role": "agent", "text": .string(piece)]))
            }
            outputs.append(send("citation", ["citations": [], "timestamp_ms": .int(now - readyAt)]))
            return outputs
        case .interrupted:
            sound = []
            due.removeAll { if case .answer = $0.what { true } else { false } }
            return [send("interrupted")]
        case .ended: return end()
        }
    }

    private mutating func speak() -> [SocketOutput] {
        guard !sound.isEmpty else { return [] }
        let piece = Array(sound.prefix(Self.piece))
        sound.removeFirst(piece.count)
        return [send("audio", ["data": .string(PCM16.base64(piece)), "mime_type": "audio/pcm;rate=24000"])]
    }

    private mutating func end() -> [SocketOutput] {
        phase = .closed
        let lines = transcript.map { SimulatedJSON.object(["role": .string($0.role), "text": .string($0.text)]) }
        return [send("ended", ["credits_consumed": 2, "transcript": .array(lines)]), .close]
    }

    private func error(_ code: String?, _ text: String) -> [SocketOutput] {
        var payload: [String: SimulatedJSON] = ["message": .string(text)]
        if let code { payload["code"] = .string(code) }
        return [send("error", .object(payload))]
    }

    private func send(_ type: String, _ payload: SimulatedJSON? = nil) -> SocketOutput {
        var message: [String: SimulatedJSON] = ["type": .string(type)]
        if let payload { message["payload"] = payload }
        return script.faults.sendsBinary ? .sendBinary(.object(message)) : .send(.object(message))
    }
}
