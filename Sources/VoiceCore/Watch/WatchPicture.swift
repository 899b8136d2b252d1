package import VoiceBase
internal import VoiceConversation

/// The daemon in one picture for a terminal: the orb, what matters beside it, then the last turns and the end of the log.
package struct WatchPicture {
    /// Columns and rows of the screen.
    package struct Size: Equatable, Sendable {
        package var columns: Int
        package var rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    private static let orbRows = 9
    private static let labelColumns = 9

    let mirror: StatusMirror
    let size: Size
    let isColoured: Bool
    let now: Duration
    /// Seconds by which local time is ahead of UTC.
    let offset: Int
    let problem: String?

    /// - Parameters:
    ///   - now: on the clock of the mirror.
    ///   - offset: seconds by which local time is ahead of UTC.
    ///   - problem: why there is no connection to the daemon.
    package init(
        _ mirror: StatusMirror,
        size: Size,
        isColoured: Bool,
        at now: Duration,
        offset: Int = 0,
        problem: String? = nil
    ) {
        self.mirror = mirror
        self.size = size
        self.isColoured = isColoured
        self.now = now
        self.offset = offset
        self.problem = problem
    }

    /// As many lines as the screen has rows, each as wide as the screen.
    package var lines: [String] {
        let orb = size.columns >= 60 && size.rows >= 16 ? orb : []
        let margin = orb.isEmpty ? 0 : 2 * Self.orbRows + 3
        var facts = facts(columns: size.columns - margin)
        while facts.count < orb.count { facts.append("") }
        var rows = [title]
        for (index, fact) in facts.enumerated() {
            rows.append((index < orb.count ? orb[index] : WatchRow(String(repeating: " ", count: margin))) + fact)
        }
        let free = size.rows - rows.count
        let turns = turns(atMost: free / 2)
        let history = turns + log(atMost: free - turns.count)
        rows += isStale ? history.map(\.greyed) : history
        while rows.count < size.rows { rows.append("") }
        return rows.prefix(size.rows).map { $0.text(columns: size.columns, isColoured: isColoured) }
    }

    // MARK: The orb

    private var isStale: Bool { problem != nil || mirror.lastHeard == nil || mirror.staleness(at: now) != nil }

    /// The state and its colour; grey also if nothing is known of the present.
    private var state: (name: String, colour: WatchColour) {
        guard mirror.lastHeard != nil else { return ("waiting for the daemon", .grey) }
        let (name, colour): (String, WatchColour) =
            switch mirror["state"]?.stringValue {
            case "idle": ("idle", .grey)
            case "connecting": ("connecting", .orange)
            case "listening": ("listening", .blue)
            case "userSpeaking": ("you speak", .green)
            case "processing": ("working", .orange)
            case "waitingForJarvis": ("waiting for \(mirror["assistant"]?.stringValue ?? "Jarvis")", .orange)
            case "fillerSpeaking", "aiSpeaking": ("speaking", .purple)
            case "error": ("error", .red)
            case let other: (other ?? "unknown", .grey)
            }
        if isStale { return (name, .grey) }
        // The current activity precedes the faults, as long as the user talks to the box.
        let isAtRest = ["idle", "connecting", "listening", "error"].contains(mirror["state"]?.stringValue)
        switch health.level {
        case .well: return (name, colour)
        case .limited: return ("limited, " + name, isAtRest ? .orange : colour)
        case .notWorking: return ("not working, " + name, isAtRest ? .red : colour)
        }
    }

    private var health: Health { mirror.health ?? Health() }

    private var isSpeaking: Bool { state.colour == .purple }

    /// A disc in a margin of two columns, with a core that grows with the level of who speaks.
    private var orb: [WatchRow] {
        let radius = Double(Self.orbRows) / 2
        let level = isStale ? 0 : Self.part(isSpeaking ? levelOut : levelIn)
        return (0..<Self.orbRows).map { row in
            let disc = (0..<2 * Self.orbRows).map { column -> Character in
                let (x, y) = ((Double(column) + 0.5) / 2 - radius, Double(row) + 0.5 - radius)
                let distance = (x * x + y * y).squareRoot() / radius
                if distance > 1 { return " " }
                let core = 0.25 + 0.75 * level
                return distance <= core ? "█" : distance <= core + 0.2 ? "▒" : "░"
            }
            return WatchRow(" \(String(disc))  ", state.colour)
        }
    }

    private var levelIn: Int? { mirror["levels"]?["in"]?.bounded ?? mirror["level_dbfs"]?.bounded }
    private var levelOut: Int? { mirror["levels"]?["out"]?.bounded }

    /// A level in dBFS as a part of the range from -60 to 0.
    private static func part(_ level: Int?) -> Double { level.map { min(max(Double($0 + 60) / 60, 0), 1) } ?? 0 }

    // MARK: Facts

    /// Seconds since the daemon said what is shown, if that is no longer known to be true.
    private var age: Int? {
        guard problem != nil, let heard = mirror.lastHeard else { return mirror.staleness(at: now) }
        return max(0, Int((now - heard).components.seconds))
    }

    private var title: WatchRow {
        var row = WatchRow("jarvis-voiced ")
        if let name = mirror["name"]?.stringValue { row += (name + " ", nil) }
        if let age { row += ("stale \(Self.length(age)) ", .red) }
        var parts = [mirror["version"]?.stringValue].compactMap { $0 }
        if let up = seconds("uptime_s") { parts.append("up \(Self.length(up))") }
        if let bytes = mirror["rss_bytes"]?.bounded { parts.append("\(bytes >> 20) MB") }
        if let threads = mirror["threads"]?.bounded { parts.append("\(threads) threads") }
        if mirror.missed > 0 { parts.append("\(mirror.missed) changes missed") }
        row += (parts.joined(separator: ", "), .grey)
        return row
    }

    private func facts(columns: Int) -> [WatchRow] {
        var rows = [WatchRow(state.name.uppercased() + "  ", state.colour) + WatchRow(activation, .grey)]
        if health.level == .well, let text = mirror["text"]?.stringValue {
            rows += text.wrapped(toColumns: columns).prefix(2).map { WatchRow($0, isStale ? .grey : nil) }
        }
        // The faults at the last message of the daemon may be outdated.
        let known = mirror.troubles(problem: nil, countsDown: !isStale) + [health.works].filter { !$0.isEmpty }
        for (text, colour) in [problem].compactMap({ $0 }).map({ ($0, WatchColour.red) })
            + known.map({ ($0, isStale ? .grey : .red) })
        {
            rows += text.wrapped(toColumns: columns).map { WatchRow($0, colour) }
        }
        guard mirror.lastHeard != nil else { return rows }
        let values = values(columns: columns)
        return rows + (isStale ? values.map(\.greyed) : values)
    }

    private func values(columns: Int) -> [WatchRow] {
        var rows = [meter("in", levelIn, hearing, columns), meter("out", levelOut, playing, columns)]
        // The note on the echo may be long.
        for (index, line) in echo.wrapped(toColumns: columns - Self.labelColumns).prefix(2).enumerated() {
            rows.append(labelled(index == 0 ? "echo" : "", line))
        }
        for (label, text) in [("service", service), ("spent", spending), ("playing", media), ("timers", timers)]
        where !text.isEmpty { rows.append(labelled(label, text)) }
        return rows
    }

    private var activation: String {
        var words = [mirror["mode"]?.stringValue, mirror["phase"]?.stringValue, mirror["assistant"]?.stringValue]
            .compactMap { $0 }
        if mirror["quiet"] == true { words.append("quiet") }
        return words.joined(separator: ", ")
    }

    private func labelled(_ label: String, _ text: String) -> WatchRow {
        WatchRow(label + String(repeating: " ", count: Self.labelColumns - label.count), .grey) + WatchRow(text)
    }

    private func meter(_ label: String, _ level: Int?, _ note: String, _ columns: Int) -> WatchRow {
        guard let level else { return labelled(label, note) }
        let width = max(3, min(20, columns - 30))
        let filled = Int(Self.part(level) * Double(width))
        var row = labelled(label, "")
        row += (String(repeating: "█", count: filled), state.colour)
        row += (String(repeating: "░", count: width - filled), .grey)
        let figure = String(level)
        row += (String(repeating: " ", count: max(1, 4 - figure.count)) + figure + " dBFS  " + note, nil)
        return row
    }

    private var hearing: String {
        if mirror["microphone_muted"] == true { return "muted" }
        if let state = mirror["microphone"]?.stringValue, state != "running" { return "microphone \(state)" }
        return switch mirror["heard"]?.stringValue {
        case "user": "hears you"
        case "box": "hears itself"
        default: ""
        }
    }

    private var playing: String {
        if let state = mirror["loudspeaker"]?.stringValue, state != "running" { return "loudspeaker \(state)" }
        if mirror["volumes"]?["muted"] == true { return "muted" }
        return mirror["volumes"]?["master"]?.bounded.map { "volume \($0)" } ?? ""
    }

    private var echo: String {
        let echo = mirror["echo"]
        var parts: [String] = []
        if let quality = echo?["quality"]?.stringValue {
            parts.append(quality == "unknown" ? "not measured yet" : quality)
        }
        if let removed = echo?["erle_db"]?.bounded { parts.append("\(removed) dB removed") }
        switch (mirror["duplex"], mirror["duplex_reason"]?.stringValue) {
        case ("full", _): parts.append("you can interrupt")
        case ("half", "learning"), ("half", "moved"): parts.append("still learning")
        case ("half", "poor"): parts.append("too weak for interruptions")
        case ("half", "clipping"): parts.append("the microphone clips")
        case ("half", "canceller_off"): parts.append("canceller off")
        case ("half", _): parts.append("deaf while it speaks")
        default: break
        }
        return parts.joined(separator: ", ") + (echo?["note"]?.stringValue.map { ": " + $0 } ?? "")
    }

    private var service: String {
        var text = mirror["service"]?.stringValue ?? ""
        if let substitute = mirror["substitute"]?.stringValue { text += ", replaced by \(substitute)" }
        if let age = seconds("session_age_s") { text += " (for \(Self.length(age)))" }
        return text
    }

    private var spending: String {
        var parts: [String] = []
        for (period, spent, budget) in [
            ("this hour", "spent_hour_usd", "budget_hour_usd"), ("today", "spent_today_usd", "budget_day_usd"),
        ] {
            guard let dollars = mirror[spent]?.doubleValue else { continue }
            let limit = mirror[budget]?.doubleValue.map { " of \(BudgetReport.text($0))" } ?? ""
            parts.append("$\(BudgetReport.text(dollars))\(limit) \(period)")
        }
        return parts.joined(separator: ", ")
    }

    private var media: String {
        guard let media = mirror["media"], let state = media["state"]?.stringValue, state != "stopped" else {
            return ""
        }
        var text = ""
        if let position = mirror.seconds(media["position_s"], of: "media", runs: state == "playing" ? 1 : 0, at: now) {
            let length = media["length_s"]?.bounded
            text = Self.clock(min(position, length ?? position)) + (length.map { " of \(Self.clock($0))" } ?? "") + " "
        }
        if state != "playing" { text += "\(state) " }
        let queued = media["queue_length"]?.bounded ?? media["queue"].items.count
        if queued > 0 { text += "(+\(queued)) " }
        return text + [media["title"], media["song"]].compactMap { $0?.stringValue }.joined(separator: ": ")
    }

    private var timers: String {
        mirror["timer_list"].items.map { timer in
            let name = timer["name"]?.stringValue ?? timer["kind"]?.stringValue ?? "timer"
            if timer["rings"] == true { return "\(name) rings" }
            let step = timer["paused"] == true ? 0 : -1
            // A time of day is never written like a length.
            if let clock = timer["at"]?.stringValue { return "\(name) at \(clock)" }
            guard let left = mirror.seconds(timer["left_s"], of: "timer_list", runs: step, at: now) else { return name }
            return step == 0 ? "\(name) paused, \(Self.span(left)) left" : "\(name) in \(Self.span(left))"
        }.joined(separator: ", ")
    }

    private func seconds(_ name: String) -> Int? { mirror.seconds(mirror[name], of: name, runs: 1, at: now) }

    /// "12 s", "3 min", "2 h 5 min", "4 d 3 h"
    private static func length(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }

    /// "45 s", "3 min 20 s", "2 h 5 min"
    private static func span(_ seconds: Int) -> String {
        seconds < 60 || seconds >= 3600 || seconds % 60 == 0
            ? length(seconds) : "\(seconds / 60) min \(seconds % 60) s"
    }

    /// "2:05", or as a length from one hour on
    private static func clock(_ seconds: Int) -> String {
        seconds < 3600 ? LocalTime.clock(minute: max(0, seconds)) : length(seconds)
    }
}
