package import VoiceBase

/// The lines that `watch` prints without a terminal picture: one for each change of the state, its text or the trouble, and for
/// each turn. Never levels.
package struct WatchLines: Sendable {
    private var state = ""
    private var trouble: [String] = []
    /// The turn and the trouble printed last; nil before the first snapshot, whose history is not printed.
    private var turn: Int?
    private var lastTrouble: JSONValue?

    package init() {}

    /// The lines that are new.
    ///
    /// - Parameters:
    ///   - now: on the clock of the mirror.
    ///   - problem: why there is no connection to the daemon.
    package mutating func lines(_ mirror: StatusMirror, at now: Duration, problem: String?) -> [String] {
        var lines: [String] = []
        let isStale = problem == nil && mirror.staleness(at: now) != nil
        let trouble = mirror.troubles(problem: problem) + (isStale ? ["stale: the daemon sends nothing"] : [])
        if trouble != self.trouble {
            lines.append("trouble: " + (trouble.isEmpty ? "none" : trouble.joined(separator: "; ")))
            self.trouble = trouble
        }
        guard mirror.lastHeard != nil else { return lines.map { $0.escapingHidden() } }
        let state = [mirror["state"], mirror["text"]].compactMap { $0?.stringValue }.joined(separator: ": ")
        if state != self.state { lines.append("state " + state) }
        self.state = state
        let turns = mirror["turn_list"].items
        let newest = turns.last?["turn"]?.bounded ?? 0
        // The turns of a daemon that was restarted begin with 1.
        let known = turn.map { min($0, newest) }
        if let known { lines += turns.filter { ($0["turn"]?.bounded ?? 0) > known }.map(Self.line) }
        let last = mirror["last_trouble"]
        if let last, turn != nil, last != lastTrouble { lines.append("trouble " + ControlText.lines(last).dropLast()) }
        lastTrouble = last
        turn = newest
        return lines.map { $0.escapingHidden() }
    }

    private static func line(_ turn: JSONValue) -> String {
        var line = "turn \(turn["turn"]?.bounded ?? 0)"
        if turn["failed"] != nil { return line + " had no answer" }
        if let time = turn["first_sample_ms"]?.bounded { line += " heard after \(time) ms" }
        if let time = turn["answered_ms"]?.bounded { line += ", answered after \(time) ms" }
        return turn["interrupted"] == true ? line + ", cut off" : line
    }
}
