internal import VoiceSimulator

/// One session of the simulated Gemini Live: hears 16 kHz, and answers with 24 kHz faster than it is played. Pure; times are in ms.
struct SimulatedGeminiSession: SimulatedConversation {
    private enum Phase { case opening, settingUp, history, live, closed }

    /// An output and when it is due.
    private struct Due {
        var at: Int
        var what: What
        /// It belongs to the turn, and is lost with it.
        var isOfTurn = true

        enum What {
            case ready
            case message([String: SimulatedJSON])
            case turnOver
            case close(code: Int, reason: String)
            case drop
        }
    }

    private let script: GeminiScript
    private let shared: GeminiSimulator.Shared
    private let voice: SpokenVoice
    private let tag: String
    private var phase = Phase.opening
    private var detector: EnergyVoiceDetector
    private(set) var violations: [String] = []
    private var struck: [FaultKind] = []
    private var now = 0
    private var due: [Due] = []
    private var lastAudio: Int?
    private var handles = 0
    /// The newest handle, and calls without an answer.
    private var handle: String?
    private var openCalls: [String: String] = [:]
    private var withdrawn: Set<String> = []
    /// Calls of the session before, which wait for an answer first.
    private var staleCalls: [String: String] = [:]
    /// Answers that are said in silence.
    private var answers: [String] = []
    private var spokenTokens = 0
    private var context = 420
    private var emptyTurns = 0

    /// Delays of the real service: set-up, words behind the end of speech, reply behind the words, call, answer, reaction to
    /// an interruption.
    private static let (setUp, words, reply, call, answer, reaction) = (200, 60, 300, 200, 300, 120)
    /// 200 ms of sound every 40 ms.
    private static let (piece, pace) = (4800, 40)

    init(_ script: GeminiScript, shared: GeminiSimulator.Shared, voice: SpokenVoice, tag: String) {
        self.script = script
        self.shared = shared
        self.voice = voice
        self.tag = tag
        detector = EnergyVoiceDetector(thresholdDecibels: -45, releaseMilliseconds: 400)
    }

    mutating func takeStruck() -> [FaultKind] {
        defer { struck = [] }
        return struck
    }

    // MARK: Messages

    mutating func receive(_ text: String, at now: Int) -> [SocketOutput] {
        self.now = now
        guard phase != .closed else { return [] }
        guard let message = SimulatedJSON(text: text)?.object, message.count == 1, let (name, value) = message.first
        else {
            violations.append("not a message: \(text.prefix(60))")
            return [close(1007, "Invalid JSON payload received.")]
        }
        switch (name, phase) {
        case ("setup", .opening): return setUp(value)
        case (_, .opening), (_, .settingUp), ("setup", _):
            violations.append("\(name) in the wrong place")
            return [close(1007, "Request contains an invalid argument.")]
        case ("clientContent", _): return content(value)
        case ("toolResponse", _): return answered(value)
        case ("realtimeInput", .history): violations.append("sound before the history is complete")
        case ("realtimeInput", _): return hear(value["audio"])
        default:
            violations.append("\(name) is unknown")
            return [close(1007, "Invalid JSON payload received. Unknown name \"\(name)\".")]
        }
        return []
    }

    private static let known: Set<String> = [
        "model", "generationConfig", "systemInstruction", "tools", "realtimeInputConfig", "inputAudioTranscription",
        "outputAudioTranscription", "contextWindowCompression", "sessionResumption", "historyConfig",
    ]

    private mutating func setUp(_ setup: SimulatedJSON) -> [SocketOutput] {
        for field in (setup.object ?? [:]).keys where !Self.known.contains(field) {
            violations.append("setup.\(field)")
        }
        if let refusal = script.faults.refusesSetup { return [close(refusal.code, refusal.reason)] }
        let hasHistory = setup["historyConfig"]?["initialHistoryInClientContent"]?.bool == true
        if let handle = setup["sessionResumption"]?["handle"]?.string {
            let known = shared.with { $0.handles[handle] }
            guard let known, !script.faults.refusesResumption else {
                struck.append(.resumptionRefused)
                return [close(1007, "Request contains an invalid argument.")]
            }
            if hasHistory { violations.append("history for a resumed session") }
            staleCalls = known
        }
        phase = .settingUp
        due.append(Due(at: now + Self.setUp, what: .ready, isOfTurn: false))
        isHistoryAwaited = hasHistory
        return []
    }

    private var isHistoryAwaited = false

    private mutating func ready() -> [SocketOutput] {
        phase = isHistoryAwaited ? .history : .live
        let faults = script.faults
        func at(_ pause: Int, _ what: Due.What) { due.append(Due(at: now + pause, what: what, isOfTurn: false)) }
        if let end = faults.closes { at(end.after, .close(code: end.code, reason: end.reason)) }
        if let pause = faults.goesAwayAfter { at(pause, .message(["goAway": ["timeLeft": "50s"]])) }
        if let pause = faults.phantomInterruption {
            at(pause, .message(["serverContent": ["interrupted": true]]))
            at(pause + 20, .message(["serverContent": ["turnComplete": true]]))
        }
        if let phantom = faults.phantom { at(phantom.at, .message(Self.heard(phantom.words))) }
        return [send(["setupComplete": [:]])] + issue() + faults.nonsense.map { .sendText($0) }
    }

    /// A handle, behind each turn.
    private mutating func issue() -> [SocketOutput] {
        handles += 1
        let name = "handle-\(tag)-\(handles)"
        handle = name
        remember()
        return [send(["sessionResumptionUpdate": ["newHandle": .string(name), "resumable": true]])]
    }

    private func remember() {
        guard let handle else { return }
        let calls = openCalls.merging(staleCalls) { $1 }
        shared.with { $0.handles[handle] = calls }
    }

    private mutating func content(_ content: SimulatedJSON) -> [SocketOutput] {
        let text = (content["turns"]?.array ?? []).compactMap { $0["parts"]?.array?.first?["text"]?.string }.joined(
            separator: "\n"
        )
        guard content["turnComplete"]?.bool == true, !text.isEmpty else {
            violations.append("content that is not complete")
            return []
        }
        if phase == .history {
            phase = .live
            return []
        }
        if !staleCalls.isEmpty { violations.append("a text before the answers to the calls of the last session") }
        let isOrder = text.contains("Stop speaking")
        if isSpeaking, !isOrder { violations.append("a text that cuts the voice off: \(text.prefix(60))") }
        let cut = isSpeaking ? interrupt() : []
        guard !isOrder else { return cut }
        let exact = "[Say exactly this, and nothing else: "
        if let range = text.firstRange(of: exact) {
            say(String(text[range.upperBound...].prefix { $0 != "]" }), after: Self.answer)
        } else if let start = text.firstRange(of: "\": "), text.hasPrefix("[Jarvis has answered") {
            say(String(text[start.upperBound...].dropLast(" Tell the user.]".count)), after: Self.answer)
        } else if text.hasPrefix("[") {
            say("Well.", after: Self.answer)
        } else {
            act()
        }
        return cut
    }

    private mutating func answered(_ value: SimulatedJSON) -> [SocketOutput] {
        var outputs: [SocketOutput] = []
        for answer in value["functionResponses"]?.array ?? [] {
            let id = answer["id"]?.string ?? ""
            let scheduling = answer["scheduling"]?.string
            if script.faults.refusesScheduling, scheduling != nil {
                struck.append(.schedulingRefused)
                return [close(1007, "Function response scheduling is not supported for this model.")]
            }
            if staleCalls.removeValue(forKey: id) != nil {
                if answer["response"]?["error"] == nil { violations.append("a lost call is not closed with an error") }
                // The stale exchange ends with an empty turn.
                if staleCalls.isEmpty { due.append(Due(at: now + Self.reaction, what: .turnOver, isOfTurn: false)) }
                continue
            }
            guard openCalls.removeValue(forKey: id) != nil else {
                violations.append(
                    withdrawn.contains(id) ? "an answer to a withdrawn call" : "an answer to no call: \(id)"
                )
                continue
            }
            let text = answer["response"]?["output"]?.string ?? answer["response"]?["error"]?.string ?? ""
            if scheduling != "SILENT", !text.hasPrefix("[Do not mention") {
                answers.append(String(text.drop { $0 == "[" }.split(separator: "] ").last ?? ""))
            }
        }
        remember()
        outputs += settleAnswers()
        return outputs
    }

    private mutating func hear(_ audio: SimulatedJSON?) -> [SocketOutput] {
        guard audio?["mimeType"] == "audio/pcm;rate=16000", let data = audio?["data"]?.string,
            let samples = PCM16.samples(base64: data)
        else {
            violations.append("broken audio")
            return []
        }
        if !staleCalls.isEmpty { violations.append("sound before the answers to the calls of the last session") }
        // A turn of the user ends in sound alone.
        if let last = lastAudio, now - last > 2000 { violations.append("\(now - last) ms without sound") }
        lastAudio = now
        var outputs: [SocketOutput] = []
        for change in detector.process(SpokenVoice.resample(samples, from: 16_000, to: 24_000)) {
            switch change {
            case .started(let place):
                outputs.append(
                    send(["voiceActivity": ["type": "ACTIVITY_START", "audioOffset": .string("\(place / 1000)s")]])
                )
                if isSpeaking { outputs += interrupt() }
            case .stopped(let place):
                guard let words = next?.words else { continue }
                if !words.isEmpty {
                    let pause = script.faults.delaysWords ? Self.reply + 400 : Self.words
                    if script.faults.delaysWords { struck.append(.wordsBehindReply) }
                    due.append(Due(at: now + pause, what: .message(Self.heard(words)), isOfTurn: false))
                }
                let end: SimulatedJSON = ["type": "ACTIVITY_END", "audioOffset": .string("\(place / 1000)s")]
                due.append(Due(at: now + Self.words + 1, what: .message(["voiceActivity": end]), isOfTurn: false))
                context += 50
                act()
            }
        }
        return outputs
    }

    private static func heard(_ words: String) -> [String: SimulatedJSON] {
        ["serverContent": ["inputTranscription": ["text": .string(words)]]]
    }

    // MARK: The model

    /// The turn of the script that comes next, in whichever session.
    private var next: GeminiScript.Turn? {
        let used = shared.with { $0.turns }
        return script.turns.indices.contains(used) ? script.turns[used] : nil
    }

    private var isSpeaking: Bool { due.contains { $0.isOfTurn } }

    /// Performs the script's action for this turn.
    private mutating func act() {
        guard let turn = next else { return }
        if emptyTurns < script.faults.leavesTurnsEmpty {
            emptyTurns += 1
            struck.append(.emptyTurn)
            due.append(Due(at: now + Self.reply, what: .turnOver))
            return
        }
        shared.with { $0.turns += 1 }
        switch turn.action {
        case .say(let text): say(text, after: Self.words + Self.reply)
        case .ask(let queries, let bridge):
            call(queries.map { ("ask_jarvis", ["query": .string($0)]) })
            if let bridge { say(bridge, after: Self.words + Self.call + 60) }
        case .call(let name, let arguments): call([(name, arguments)])
        case .end(let reason):
            var content: [String: SimulatedJSON] = ["turnComplete": true]
            if let reason { content["turnCompleteReason"] = .string(reason) }
            due.append(Due(at: now + Self.reply, what: .message(["serverContent": .object(content)])))
        }
    }

    private mutating func call(_ calls: [(name: String, arguments: SimulatedJSON)]) {
        func make(_ call: (name: String, arguments: SimulatedJSON)) -> SimulatedJSON {
            let number = shared.with { record in
                record.calls += 1
                return record.calls
            }
            let id = "fc_\(8_479_000 + number)"
            openCalls[id] = call.name
            return ["id": .string(id), "name": .string(call.name), "args": call.arguments]
        }
        let at = now + Self.words + Self.call
        let made = calls.map(make)
        due.append(Due(at: at, what: .message(["toolCall": ["functionCalls": .array(made)]]), isOfTurn: false))
        if script.faults.repeatsCalls, let first = calls.first {
            struck.append(.repeatedCall)
            let again = make(first)
            due.append(Due(at: at + 300, what: .message(["toolCall": ["functionCalls": [again]]]), isOfTurn: false))
        }
        if let pause = script.faults.dropsAfterCall {
            struck.append(.lostInCall)
            due.append(Due(at: at + pause, what: .drop, isOfTurn: false))
        }
        if let pause = script.faults.withdrawsAfter {
            struck.append(.withdrawnCall)
            for id in made.compactMap({ $0["id"]?.string }) {
                withdrawn.insert(id)
                openCalls[id] = nil
                due.append(
                    Due(
                        at: at + pause, what: .message(["toolCallCancellation": ["ids": [.string(id)]]]),
                        isOfTurn: false
                    )
                )
            }
        }
        remember()
    }

    /// The sound of a text, its words, and the ends of its generation and, when it would have been played, of its turn.
    private mutating func say(_ text: String, after pause: Int) {
        var at = now + pause
        var length = 0
        func part(_ samples: [Int16]) -> SimulatedJSON {
            [
                "role": "model",
                "parts": [
                    ["inlineData": ["mimeType": "audio/pcm;rate=24000", "data": .string(PCM16.base64(samples))]]
                ],
            ]
        }
        due.append(Due(at: at, what: .message(["serverContent": [:]])))
        for (index, word) in text.split(whereSeparator: \.isWhitespace).enumerated() {
            var sound = voice.samples(String(word))[...]
            var content: [String: SimulatedJSON] = [
                "outputTranscription": ["text": .string((index == 0 ? "" : " ") + word)]
            ]
            length += sound.count
            repeat {
                let piece = sound.prefix(Self.piece)
                sound = sound.dropFirst(piece.count)
                content["modelTurn"] = part(Array(piece))
                due.append(Due(at: at, what: .message(["serverContent": .object(content)])))
                content = [:]
                at += Self.pace
            } while !sound.isEmpty
        }
        due.append(Due(at: at, what: .message(["serverContent": ["generationComplete": true]])))
        spokenTokens = length * 25 / 24_000
        if !script.faults.ignoresEnds { due.append(Due(at: max(at, now + pause + length / 24 - 200), what: .turnOver)) }
    }

    private mutating func interrupt() -> [SocketOutput] {
        due.removeAll { $0.isOfTurn }
        due.append(
            Due(at: now + Self.reaction, what: .message(["serverContent": ["interrupted": true]]), isOfTurn: false)
        )
        due.append(Due(at: now + 2 * Self.reaction, what: .turnOver, isOfTurn: false))
        return []
    }

    /// Says one answer once neither model nor user speaks.
    private mutating func settleAnswers() -> [SocketOutput] {
        guard !answers.isEmpty, !isSpeaking, !detector.isSpeaking else { return [] }
        say(answers.removeFirst(), after: Self.answer)
        return []
    }

    // MARK: Time

    mutating func tick(at now: Int) -> [SocketOutput] {
        self.now = now
        var outputs: [SocketOutput] = []
        while phase != .closed,
            let index = due.indices.filter({ due[$0].at <= now }).min(by: { due[$0].at < due[$1].at })
        {
            outputs += perform(due.remove(at: index).what)
        }
        guard phase == .live else { return outputs }
        return outputs + settleAnswers()
    }

    private mutating func perform(_ what: Due.What) -> [SocketOutput] {
        switch what {
        case .ready: return ready()
        case .message(let message): return [send(message)]
        case .turnOver: return turnOver()
        case .close(let code, let reason):
            struck.append(.closedWithReason)
            return [close(code, reason)]
        case .drop:
            phase = .closed
            return [.drop]
        }
    }

    private mutating func turnOver() -> [SocketOutput] {
        let usage: SimulatedJSON = [
            "promptTokenCount": .int(context), "responseTokenCount": .int(spokenTokens),
            "totalTokenCount": .int(context + spokenTokens), "thoughtsTokenCount": 40,
            "promptTokensDetails": [
                ["modality": "TEXT", "tokenCount": 420], ["modality": "AUDIO", "tokenCount": .int(context - 420)],
            ],
            "responseTokensDetails": [["modality": "AUDIO", "tokenCount": .int(spokenTokens)]],
        ]
        context += spokenTokens
        spokenTokens = 0
        return [send(["serverContent": ["turnComplete": true], "usageMetadata": usage])] + issue()
    }

    private mutating func close(_ code: Int, _ reason: String) -> SocketOutput {
        phase = .closed
        return .end(code: code, reason: reason)
    }

    private func send(_ message: [String: SimulatedJSON]) -> SocketOutput {
        script.faults.sendsBinary ? .sendBinary(.object(message)) : .send(.object(message))
    }
}
