internal import VoiceActivation
package import VoiceBase
internal import VoiceConversation

/// The latest events, for clients that connect later, in the form of the control socket. A pure value.
package struct DaemonHistory: Sendable {
    /// Entries of each list.
    static let most = 50
    /// Bytes of a text: the whole status must fit into `ControlServer.Options.longestOutput`.
    private static func cut(_ text: String) -> String { text.shortened(toBytes: 1000) }

    private var lists: [String: [JSONValue]] = [:]
    /// From zero, because a series that begins with its first event counts none.
    private var counts = ["reconnects": ["lost": 0, "refused": 0, "replaced": 0, "rotated": 0]]
    private var turns = 0
    private var interrupted = 0
    private var failed = 0

    /// Names and values as in `status`.
    var values: [String: JSONValue] {
        var values = lists.mapValues { JSONValue.array($0) }
        values.merge(counts.mapValues { .object($0.mapValues { .integer($0) }) }) { own, _ in own }
        values["turns_total"] = .integer(turns)
        values["turns_interrupted"] = .integer(interrupted)
        values["turns_failed"] = .integer(failed)
        return values
    }

    mutating func note(_ event: DaemonEvent, at now: ClockInstant) {
        switch event.name {
        case .turn:
            turns += 1
            if event.values["interrupted"] != nil { interrupted += 1 }
            if event.values["failed"] != nil { failed += 1 }
            add(event.values, to: "turn_list", at: now)
        case .connectionLost: reconnected("lost", event, at: now)
        case .serviceRefused: reconnected("refused", event, at: now)
        case .serviceReplaced: reconnected("replaced", event, at: now)
        case .sessionRotated: reconnected("rotated", event, at: now)
        default: break
        }
    }

    private mutating func reconnected(_ kind: String, _ event: DaemonEvent, at now: ClockInstant) {
        counts["reconnects", default: [:]][kind, default: 0] += 1
        add(["reason": event.values["reason"] ?? .string(kind)], to: "connection_list", at: now)
    }

    /// - Parameter isCall: whether the word opened a conversation; otherwise it was a near miss.
    mutating func heard(_ word: String, _ report: WakeReport, isCall: Bool, at now: ClockInstant) {
        var entry: [String: JSONValue] = ["word": .string(word), "heard": .bool(isCall)]
        for (name, value) in [("score", report.score), ("threshold", report.threshold)] {
            if let value { entry[name] = .number((value * 1000).rounded() / 1000) }
        }
        if !isCall, let sensitivity = report.sensitivity { entry["sensitivity"] = .string(sensitivity.rawValue) }
        add(entry, to: "wake_list", at: now)
    }

    mutating func said(_ line: TranscriptLine, at now: ClockInstant) {
        let who = line.speaker == .user ? "user" : "jarvis"
        var entry: [String: JSONValue] = ["who": .string(who), "text": .string(Self.cut(line.text))]
        if let name = line.name { entry["name"] = .string(name) }
        add(entry, to: "transcript", at: now)
    }

    /// Lines of the log may hold it too.
    mutating func forgetTranscript() { (lists["transcript"], lists["log"]) = (nil, nil) }

    package mutating func logged(_ text: String, level: String, at now: ClockInstant) {
        add(["level": .string(level), "text": .string(Self.cut(text))], to: "log", at: now)
    }

    mutating func used(_ usage: Usage) {
        for (name, tokens) in [
            ("audio_in", usage.audioIn), ("audio_out", usage.audioOut), ("text_in", usage.textIn),
            ("text_out", usage.textOut), ("cached_in", usage.cachedAudioIn + usage.cachedTextIn),
        ] { counts["tokens", default: [:]][name, default: 0] += tokens }
    }

    private mutating func add(_ entry: [String: JSONValue], to list: String, at now: ClockInstant) {
        var entry = entry
        // In UTC.
        entry["at"] = .string(LocalTime(seconds: now.wall).stamp + "Z")
        var entries = lists[list] ?? []
        if entries.count == Self.most { entries.removeFirst() }
        entries.append(.object(entry))
        lists[list] = entries
    }
}
