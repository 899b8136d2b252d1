internal import VoiceNetwork
internal import VoiceSimulator

/// One session of the simulated Hero365. Pure; times are ms since the connection was opened.
struct SimulatedHero365Session: SimulatedConversation {
    private struct Due {
        var at: Int
        var event: SimulatedJSON
    }

    /// Audio in a message with one packet, and in one with many, in ms.
    private static let packet = 60
    private static let many = 320
    private static let rate = 16_000
    /// Number of messages sent ahead of time.
    private static let ahead = 3
    /// Documented limit of messages per minute.
    private static let most = 1000

    private let script: Hero365Script
    private let voice: SpokenVoice
    private var random: SplitMix
    private(set) var turnsUsed: Int
    private(set) var violations: [String] = []
    private var struck: [FaultKind] = []
    /// Audio louder than silence in each turn, in ms.
    private(set) var heard: [Int] = []
    private var session: String?
    private var isNested = false
    private var sequenceUp = 0
    private var sequenceDown = 0
    private var inputs: [Int] = []
    private var packets: [[UInt8]] = []
    private var isPCM = false
    private var due: [Due] = []
    private var dropsAt: Int?
    private var endsAt: Int?
    /// End of the answer being sent.
    private var speaksUntil = 0

    /// - Parameter turn: number of turns taken on earlier connections.
    init(_ script: Hero365Script, voice: SpokenVoice, turn: Int, seed: UInt64) {
        self.script = script
        self.voice = voice
        turnsUsed = turn
        random = SplitMix(seed: seed)
        if script.faults.tellsNoStatus { struck.append(.missingStatus) }
    }

    mutating func takeStruck() -> [FaultKind] {
        defer { struck = [] }
        return struck
    }

    /// The event without its audio data.
    static func recorded(_ event: SimulatedJSON) -> SimulatedJSON {
        guard case .object(var members) = event else { return event }
        if case .object? = members["data"] { members["data"] = members["data"].map(recorded) }
        if let text = members["audio_data"]?.string { members["audio_data"] = .string("\(text.count) characters") }
        return .object(members)
    }

    // MARK: Messages from the client

    mutating func receive(_ text: String, at now: Int) -> [SocketOutput] {
        guard let event = SimulatedJSON(text: text), let type = event["type"]?.string else {
            violations.append("no message: \(text.prefix(40))")
            return []
        }
        let inner = event["data"]
        if script.faults.wantsNested, inner == nil { return [send("error", ["error_code": "INVALID_MESSAGE"])] }
        isNested = inner != nil
        func field(_ name: String) -> SimulatedJSON? { inner?[name] ?? event[name] }
        if type != "start_session", session == nil || field("session_id")?.string != session {
            violations.append("\(type) of no session")
            return []
        }
        switch type {
        case "start_session": return start(field, now)
        case "audio_input": return hear(field, now)
        case "end_session": return [.close]
        default:
            violations.append("unknown type \(type)")
            return []
        }
    }

    private mutating func start(_ field: (String) -> SimulatedJSON?, _ now: Int) -> [SocketOutput] {
        let format = field("audio_format")?.string
        guard session == nil, let id = field("session_id")?.string, id.count == 36, field("channels")?.int == 1,
            field("sample_rate")?.int != nil, ["opus", "pcm16"].contains(format)
        else {
            violations.append("a start that is none")
            return [send("error", ["error_code": "INVALID_SESSION", "message": "no session"])]
        }
        session = id
        isPCM = format == "pcm16"
        endsAt = now + script.lasts
        var outputs = script.faults.nonsense.map { SocketOutput.sendText($0) }
        guard !script.faults.ignoresStart else { return outputs }
        let config: SimulatedJSON = [
            "silence_threshold": 600, "max_duration": .int(script.lasts), "streaming_enabled": true,
        ]
        outputs.append(send("session_started", ["agent_type": "triage", "session_config": config]))
        return outputs
    }

    private mutating func hear(_ field: (String) -> SimulatedJSON?, _ now: Int) -> [SocketOutput] {
        inputs.append(now)
        inputs.removeAll { $0 < now - 60_000 }
        if inputs.count > Self.most { violations.append("more than \(Self.most) messages a minute") }
        sequenceUp += 1
        if field("sequence")?.int != sequenceUp { violations.append("sequence \(field("sequence")?.int ?? -1)") }
        let bytes = PCM16.bytes(base64: field("audio_data")?.string ?? "")
        if bytes == nil { violations.append("no base64") }
        if let bytes, !bytes.isEmpty {
            if !isPCM, OpusPayload.samples(in: bytes, rate: Self.rate) == nil { violations.append("no packet of Opus") }
            packets.append(bytes)
        }
        return field("is_final")?.bool == true ? turnEnded(now) : []
    }

    private mutating func turnEnded(_ now: Int) -> [SocketOutput] {
        heard.append(loudMilliseconds())
        packets = []
        let number = turnsUsed
        turnsUsed += 1
        if let error = script.faults.error, Int.random(in: 0..<100, using: &random) < script.faults.errorShare {
            if error.retryAfter != nil { struck.append(.retryAfter) }
            var members: [String: SimulatedJSON] = ["error_code": .string(error.code), "message": "not now"]
            if let pause = error.retryAfter { members["retry_after"] = .int(pause) }
            return [send("error", members)]
        }
        var outputs: [SocketOutput] = []
        var start = now
        if now < speaksUntil {
            if script.faults.finishesAnswers {
                start = speaksUntil
            } else {
                // Sequence numbers are assigned when an answer is planned: continue with the first one that was not
                // sent.
                let next = due.compactMap { $0.event["sequence"]?.int ?? $0.event["data"]?["sequence"]?.int }.min()
                if let next { sequenceDown = next - 1 }
                due = []
                outputs.append(sound([], isFinal: true))
            }
        }
        if script.faults.transfers { struck.append(.agentTransfer) }
        if let agent = script.faults.transfers ? "billing" : number == 0 ? script.transfersTo : nil {
            outputs.append(send("agent_transfer", ["from_agent": "triage", "to_agent": .string(agent)]))
        }
        outputs += status("processing")
        dropsAt = script.faults.dropsAfterTurn.map { now + $0 }
        answer(script.answers.isEmpty ? "" : script.answers[min(number, script.answers.count - 1)], at: start)
        return outputs
    }

    /// Audio louder than silence in the turn that ended.
    private func loudMilliseconds() -> Int {
        var samples: [Int16] = []
        if isPCM {
            for packet in packets { samples += PCM16.samples(bytes: packet) }
        } else if let decoder = try? OpusSpeechDecoder(rate: Self.rate) {
            for packet in packets { samples += (try? decoder.decode(packet)) ?? [] }
        }
        let step = Self.rate / 100
        return stride(from: 0, to: samples.count, by: step).count { start in
            samples[start..<min(start + step, samples.count)].contains { abs(Int($0)) > 600 }
        } * 10
    }

    // MARK: Messages to the client

    private func send(_ type: String, _ members: [String: SimulatedJSON]) -> SocketOutput {
        let event = message(type, members)
        return script.isBinary ? .sendBinary(event) : .send(event)
    }

    private func message(_ type: String, _ members: [String: SimulatedJSON]) -> SimulatedJSON {
        var all: [String: SimulatedJSON] = isNested ? ["data": .object(members)] : members
        all["type"] = .string(type)
        if let session { all["session_id"] = .string(session) }
        return .object(all)
    }

    private func status(_ status: String) -> [SocketOutput] {
        script.faults.tellsNoStatus
            ? [] : [send("session_status", ["status": .string(status), "agent_type": "triage"])]
    }

    private mutating func sound(_ bytes: [UInt8], isFinal: Bool) -> SocketOutput {
        let event = soundMessage(bytes, isFinal: isFinal)
        return script.isBinary ? .sendBinary(event) : .send(event)
    }

    private mutating func soundMessage(_ bytes: [UInt8], isFinal: Bool) -> SimulatedJSON {
        sequenceDown += 1
        return message(
            "audio_output",
            [
                "audio_data": .string(PCM16.base64(bytes: bytes)), "sequence": .int(sequenceDown),
                "is_final": .bool(isFinal), "content_type": script.form == .pcm ? "audio/pcm" : "audio/opus",
            ]
        )
    }

    /// Schedules the messages of an answer.
    private mutating func answer(_ text: String, at start: Int) {
        let first = start + script.delay
        let messages = text.isEmpty ? [] : SimulatedHero365Sound.messages(of: text, voice: voice, form: script.form)
        let length = script.form == .packet || script.form == .pcm ? Self.packet : Self.many
        // Each answer is numbered from 1.
        sequenceDown = 0
        var planned: [Due] = []
        if !script.faults.tellsNoStatus, !messages.isEmpty {
            planned.append(Due(at: first, event: message("session_status", ["status": "speaking"])))
        }
        for (index, bytes) in messages.enumerated() {
            if happens(script.faults.jumps) {
                struck.append(.sequenceJump)
                sequenceDown += Int.random(in: 1...20, using: &random)
            }
            let at = first + max(0, index - Self.ahead) * length
            let event = soundMessage(bytes, isFinal: index == messages.count - 1)
            planned += troubled(Due(at: at, event: event), length)
        }
        planned.sort { $0.at < $1.at }
        let end = max(first, planned.last?.at ?? first) + 20
        speaksUntil = end
        if !script.faults.tellsNoStatus {
            for status in ["complete", "listening"] {
                planned.append(Due(at: end, event: message("session_status", ["status": .string(status)])))
            }
        }
        due += planned
    }

    /// A message of audio after the network's faults: lost, late, duplicated or unchanged.
    private mutating func troubled(_ message: Due, _ length: Int) -> [Due] {
        if happens(script.faults.loss) {
            struck.append(.lostPackets)
            return []
        }
        var sent = message
        if happens(script.faults.reordering) {
            struck.append(.latePackets)
            sent.at += length + 10
        }
        guard happens(script.faults.duplicates) else { return [sent] }
        struck.append(.duplicatePackets)
        return [sent, Due(at: sent.at + 30, event: sent.event)]
    }

    private mutating func happens(_ percent: Int) -> Bool {
        percent > 0 && Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func tick(at now: Int) -> [SocketOutput] {
        if let dropsAt, now >= dropsAt { return [.drop] }
        if let endsAt, now >= endsAt {
            self.endsAt = nil
            return [send("error", ["error_code": "SESSION_TIMEOUT", "message": "the session is over"]), .close]
        }
        let ready = due.prefix { $0.at <= now }
        due.removeFirst(ready.count)
        return ready.map { script.isBinary ? .sendBinary($0.event) : .send($0.event) }
    }
}
