internal import VoiceBase
internal import VoiceSimulator

/// One session of the simulated GPT-Live service: its timeline is the audio it receives, its output an endless track.
/// Pure; times are in ms.
///
/// The delays are those measured with the service: 700 ms from a position of the timeline to its audio, 750 to the
/// placement of a text, 600 to the first word it causes, 450 from a word to its transcript.
struct SimulatedLiveSession: SimulatedConversation {
    typealias Output = SocketOutput

    private enum Phase { case opening, live, closing, closed }

    /// An output and its position on the timeline.
    private struct Due {
        var at: Int
        var what: What

        enum What {
            case heard(text: String, start: Int, end: Int)
            case delegate(id: String, offset: Int)
            case placed(type: String, request: String?)
            case say(String)
            case stop
        }
    }

    private let script: LiveScript
    private let voice: SpokenVoice
    private let tag: String
    private var phase = Phase.opening
    private var detector: EnergyVoiceDetector
    private var turns = 0
    private var started = 0
    private var closesAt: Int?
    private var dropsAt: Int?
    private var samples = 0
    private var due: [Due] = []
    private var delegations: [String] = []
    private var userStart = 0
    private var events = 0
    private var nextUsage: Int
    /// The session's settings as reported to the client.
    private var inForce: [String: SimulatedJSON] = [:]
    private var outputPosition = 0
    /// Speech to play from `outputPosition` on.
    private var speech: [Int16] = []
    private var words: [(at: Int, text: String)] = []
    private var hasPhantom = false
    /// What the client did that the service does not allow.
    private(set) var violations: [String] = []
    private var struck: [FaultKind] = []
    private var isFrozen = false
    /// The end of the user's last turn on the timeline, in ms.
    private var userEnd = 0

    /// - Parameter turn: number of the script turn with which to begin.
    init(script: LiveScript, voice: SpokenVoice, threshold: Double, tag: String, turn: Int) {
        self.script = script
        self.voice = voice
        self.tag = tag
        turns = turn
        nextUsage = script.usageEvery
        detector = EnergyVoiceDetector(thresholdDecibels: threshold, releaseMilliseconds: 250)
        let faults = script.faults
        if faults.defersAppends > 0 { struck.append(.deferredAppends) }
        if faults.delaysWords > 0 { struck.append(.lateWords) }
        if faults.losesAcknowledgements { struck.append(.lostAcknowledgements) }
    }

    mutating func takeStruck() -> [FaultKind] {
        defer { struck = [] }
        return struck
    }

    private var position: Int { samples / 24 }
    /// Number of script turns used.
    var turnsUsed: Int { turns }

    // MARK: Messages

    mutating func receive(_ text: String, at now: Int) -> [Output] {
        guard phase != .closed else { return [] }
        guard let event = SimulatedJSON(text: text), let type = event["type"]?.string else {
            return error("invalid_json", "This is no event.", nil)
        }
        let id = event["event_id"]?.string
        if phase == .opening, type != "session.start" {
            violations.append("\(type) before the start")
            return error("invalid_request", "The first event must be session.start.", id)
        }
        if phase == .closing {
            violations.append("\(type) after session.close")
            return []
        }
        switch type {
        case "session.start": return start(event, id, now)
        case "session.input_audio.append":
            guard let audio = event["audio"]?.string, let samples = PCM16.samples(base64: audio) else {
                violations.append("broken audio")
                return error("invalid_audio", "The audio cannot be read.", id)
            }
            return hear(samples, now)
        case "session.commentary.append", "session.thinking.append", "session.instructions.append":
            return append(type, event, id)
        case "session.close":
            phase = .closing
            closesAt = now + 200
            return []
        default:
            violations.append("\(type) is unknown")
            return error("invalid_value", "There is no event of this type: \(type).", id)
        }
    }

    private mutating func start(_ event: SimulatedJSON, _ id: String?, _ now: Int) -> [Output] {
        guard phase == .opening else { return error("invalid_value", "The session has started.", id) }
        let session = event["session"] ?? .null
        let known: Set<String> = [
            "model", "instructions", "audio", "delegation", "input", "store", "safety_identifier",
        ]
        for field in (session.object ?? [:]).keys where !known.contains(field) {
            violations.append("session.\(field)")
            return error("unknown_parameter", "Unknown parameter.", id, param: "session.\(field)")
        }
        if session["store"] != false { violations.append("the session would be stored") }
        if let messages = session["input"]?.array {
            let isSound = messages.allSatisfy {
                ["developer", "user", "assistant"].contains($0["role"]?.string ?? "")
                    && $0["content"]?.array?.count == 1
            }
            if !isSound || messages.count > 128 { violations.append("the history") }
        }
        if script.faults.refusesDelay, session["delegation"]?["acknowledgement_delay_ms"] != nil {
            struck.append(.unknownDelay)
            return error(
                "unknown_parameter", "Unknown parameter.", id, param: "session.delegation.acknowledgement_delay_ms"
            )
        }
        if let code = script.faults.refusesStart {
            dropsAt = now + 300
            return error(code, "No session for you.", nil)
        }
        phase = .live
        started = now
        inForce = [
            "id": .string("live_\(tag)"), "expires_at": 1_900_000_000, "status": "active",
            "model": session["model"] ?? "", "delegation": ["type": "client"],
        ]
        var started: [String: SimulatedJSON] = ["type": "session.started", "session": .object(inForce)]
        if let id { started["client_event_id"] = .string(id) }
        return [send(started)] + script.faults.nonsense.map { .sendText($0) }
    }

    private mutating func append(_ type: String, _ event: SimulatedJSON, _ id: String?) -> [Output] {
        guard let text = event["content"]?.string, !text.isEmpty, event.object?["delegation_id"] != nil else {
            violations.append("\(type) without its fields")
            return error("missing_required_parameter", "A parameter is missing.", id, param: "delegation_id")
        }
        if let delegation = event["delegation_id"]?.string, !delegations.contains(delegation) {
            violations.append("delegation \(delegation) is unknown")
            return error("invalid_value", "There is no such delegation.", id, param: "delegation_id")
        }
        guard text.utf8.count <= 1900 else {
            violations.append("a text of \(text.utf8.count) bytes")
            return error("invalid_value", "The text has more than 500 tokens.", id, param: "content")
        }
        let later = script.faults.defersAppends
        due.append(Due(at: position + 750 + later, what: .placed(type: type + "ed", request: id)))
        if type == "session.commentary.append" {
            let exact = "Say exactly this: "
            let words = text.hasPrefix(exact) ? String(text.dropFirst(exact.count)) : text
            due.append(Due(at: position + 600 + later, what: .say(words)))
        } else if type == "session.instructions.append", text.contains("stop speaking") {
            due.append(Due(at: position + 800 + later, what: .stop))
        }
        return []
    }

    // MARK: The timeline

    private mutating func hear(_ input: [Int16], _ now: Int) -> [Output] {
        if let place = script.faults.freezesAt, position >= place {
            if !isFrozen { struck.append(.frozenClock) }
            isFrozen = true
            return []
        }
        samples += input.count
        for change in detector.process(input) {
            switch change {
            case .started(let place): userStart = place
            case .stopped(let place):
                userEnd = place
                userStopped(at: place)
            }
        }
        // There may be no voice near a phantom.
        if let phantom = script.faults.phantom, position >= phantom.at, !hasPhantom, !detector.isSpeaking,
            userEnd == 0 || position - userEnd > 2000
        {
            hasPhantom = true
            struck.append(.phantomWords)
            handOver(phantom.words, from: position - 800, to: position, isPhantom: true)
        }
        return advance(now)
    }

    private mutating func userStopped(at end: Int) {
        defer { turns += 1 }
        guard turns < script.turns.count else { return }
        var turn = script.turns[turns]
        if script.namesConnections { turn.words += " " + tag }
        switch turn.action {
        case .delegate(let bridge):
            let last = handOver(turn.words, from: userStart, to: end)
            if let bridge { due.append(Due(at: last + 400, what: .say(bridge))) }
        case .say(let text):
            let last = transcribe(turn.words, from: userStart, to: end)
            due.append(Due(at: last + script.repliesAfter, what: .say(text)))
        case .nothing: _ = transcribe(turn.words, from: userStart, to: end)
        }
    }

    /// - Returns: when the last word is reported.
    private mutating func transcribe(_ text: String, from start: Int, to end: Int) -> Int {
        let words = text.split(separator: " ")
        let length = max(1, end - start) / max(1, words.count)
        var last = position
        for (index, word) in words.enumerated() {
            // Times lie on a grid of 200 ms.
            let begin = (start + index * length) / 200 * 200
            last = max(position, begin + 200 + 450) + script.faults.delaysWords
            let text = (index == 0 && turns == 0 ? "" : " ") + word
            due.append(Due(at: last, what: .heard(text: text, start: begin, end: begin + 200)))
        }
        return last
    }

    @discardableResult
    private mutating func handOver(_ text: String, from start: Int, to end: Int, isPhantom: Bool = false) -> Int {
        let last = transcribe(text, from: start, to: end)
        let id = "item_\(tag)_\(delegations.count + 1)"
        delegations.append(id)
        let words = text.split(separator: " ").count
        let offset = (start + (words - 1) * (max(1, end - start) / max(1, words))) / 200 * 200
        let spokenAt = last + 8 - script.faults.delaysWords
        due.append(Due(at: spokenAt, what: .delegate(id: id, offset: offset)))
        if script.faults.repeatsDelegations, !isPhantom {
            struck.append(.replayedDelegation)
            delegations.append(id + "b")
            due.append(Due(at: spokenAt + 20, what: .delegate(id: id, offset: offset)))
            due.append(Due(at: spokenAt + 700, what: .delegate(id: id + "b", offset: offset + 600)))
        }
        return spokenAt
    }

    private mutating func advance(_ now: Int) -> [Output] {
        var outputs: [Output] = []
        let place = position
        let ready = due.filter { $0.at <= place }.sorted { $0.at < $1.at }
        due.removeAll { $0.at <= place }
        for one in ready { outputs += perform(one.what, now) }
        while position - 700 >= outputPosition { outputs += block() }
        return outputs
    }

    private mutating func perform(_ what: Due.What, _ now: Int) -> [Output] {
        switch what {
        case .heard(let text, let start, let end):
            return [fragment("session.input_transcript.delta", text, start, end)]
        case .delegate(let id, let offset):
            if let pause = script.faults.dropsAfterDelegation { dropsAt = now + pause }
            return [
                send([
                    "type": "session.delegation.created", "offset_ms": .int(offset),
                    "delegation": ["id": .string(id), "type": "delegation", "target": "client"],
                ])
            ]
        case .placed(let type, let request):
            guard !script.faults.losesAcknowledgements else { return [] }
            var event: [String: SimulatedJSON] = [
                "type": .string(type), "start_ms": .int(position / 200 * 200),
                "end_ms": .int(position / 200 * 200 + 200),
            ]
            if let request { event["client_event_id"] = .string(request) }
            return [send(event)]
        case .say(let text):
            say(text)
            return []
        case .stop:
            speech = []
            words = []
            return []
        }
    }

    private mutating func say(_ text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            words.append((outputPosition + speech.count / 24, " " + word))
            speech += voice.samples(String(word))
        }
    }

    /// The next 100 ms of the track.
    private mutating func block() -> [Output] {
        let length = 2400
        var sound = Array(speech.prefix(length))
        speech.removeFirst(sound.count)
        sound += [Int16](repeating: 0, count: length - sound.count)
        var outputs: [Output] = []
        let end = outputPosition + 100
        for word in words where word.at < end {
            let start = word.at / 200 * 200
            outputs.append(fragment("session.output_transcript.delta", word.text, start, start + 200))
        }
        words.removeAll { $0.at < end }
        outputs.append(send(["type": "session.output_audio.delta", "delta": .string(PCM16.base64(sound))]))
        outputPosition = end
        return outputs
    }

    // MARK: The wall clock

    mutating func tick(at now: Int) -> [Output] {
        if let dropsAt, now >= dropsAt {
            if phase == .live { struck.append(.lostInDelegation) }
            phase = .closed
            return [.drop]
        }
        if let closesAt, now >= closesAt { return close("close_requested") }
        guard phase == .live else { return [] }
        let age = now - started
        if let limit = script.faults.expiresAfter, age >= limit { return close("expired") }
        if samples == 0, age >= 30_975 { return close("expired") }
        guard age >= nextUsage else { return [] }
        nextUsage += script.usageEvery
        return [
            send([
                "type": "session.usage.updated", "usage": ["seconds": .number(Double(position) / 1000)],
                "context_window": ["usage_ratio": 0.01],
            ])
        ]
    }

    private mutating func close(_ reason: String) -> [Output] {
        phase = .closed
        var outputs: [Output] = []
        for one in due {
            guard case .placed(_, let request) = one.what else { continue }
            outputs += error("context_injection_incomplete", "The append was still waiting.", request)
        }
        outputs.append(
            send([
                "type": "session.closed", "reason": .string(reason), "session": .object(inForce),
                "usage": ["seconds": .number(Double(position) / 1000)],
            ])
        )
        return outputs + [.close]
    }

    // MARK: Events

    private mutating func send(_ members: [String: SimulatedJSON]) -> Output {
        events += 1
        var members = members
        // Audio deltas have no event id.
        if members["delta"] == nil || members["start_ms"] != nil {
            members["event_id"] = .string("event_\(tag)_\(events)")
        }
        return script.faults.sendsBinary ? .sendBinary(.object(members)) : .send(.object(members))
    }

    private mutating func fragment(_ type: String, _ text: String, _ start: Int, _ end: Int) -> Output {
        send(["type": .string(type), "delta": .string(text), "start_ms": .int(start), "end_ms": .int(end)])
    }

    private mutating func error(_ code: String, _ text: String, _ request: String?, param: String? = nil) -> [Output] {
        var error: [String: SimulatedJSON] = [
            "type": "invalid_request_error", "code": .string(code), "message": .string(text),
        ]
        if let param { error["param"] = .string(param) }
        if let request { error["client_event_id"] = .string(request) }
        return [send(["type": "error", "error": .object(error)])]
    }
}
