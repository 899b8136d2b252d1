internal import VoiceBase

/// The status as the rows of `HouseEntity` read it. A value.
struct HouseStatus {
    /// The members of the daemon's status.
    var values: [String: JSONValue]
    /// The Unix time at which the daemon reported the remaining times of its timers.
    var timersAt: Int
    /// The newest version that the machine's package lists have; nil if they have none.
    var newest: String?
    /// Whether spoken words may leave the box.
    var tellsWords: Bool

    func text(_ path: String) -> String? { values.member(path)?.stringValue }

    /// The value of a row of `BridgeMetrics.choices`; nil if it is not a choice, because Home Assistant takes no other.
    func choice(_ path: String) -> String? {
        text(path).flatMap { BridgeMetrics.choices(of: path).contains($0) ? $0 : nil }
    }

    func flag(_ path: String) -> String? {
        guard case .bool(let isOn)? = values.member(path) else { return nil }
        return isOn ? "on" : "off"
    }

    func percent(_ path: String) -> String? {
        values.member(path)?.bounded.flatMap { 0...100 ~= $0 ? String($0) : nil }
    }

    /// An amount to a hundredth.
    func money(_ path: String) -> String? {
        values.member(path)?.doubleValue.flatMap { value in
            guard value.isFinite, 0...1e9 ~= value else { return nil }
            let cents = Int((value * 100).rounded())
            return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
        }
    }

    /// The present title; "nothing" while the player is stopped.
    var playing: String? {
        guard let state = text("media.state") else { return nil }
        return state == "stopped" ? "nothing" : text("media.title") ?? "untitled"
    }

    /// The problem that the daemon reported last; "none" if there was none.
    var trouble: String {
        guard let trouble = values["last_trouble"], let event = trouble["event"]?.stringValue else { return "none" }
        let name = event.replacing("_", with: " ")
        let reason = ["reason", "message", "error"].lazy.compactMap { trouble[$0]?.stringValue }.first
        return reason.map { "\(name): \($0)" } ?? name
    }

    /// The timer that is due first, and the Unix time at which it is due.
    var nextTimer: (timer: JSONValue, due: Int)? {
        values["timer_list"].items.compactMap { timer in
            guard timer["paused"] != true, timer["rings"] != true, let left = timer["left_s"]?.bounded else {
                return nil
            }
            return (timer, timersAt + max(0, left))
        }.min { $0.due < $1.due }
    }

    /// The last line of the transcript by this speaker; nil while transcripts are off.
    func lastWords(of speaker: String) -> String? {
        guard tellsWords, values["transcript"] != nil else { return nil }
        return values["transcript"].items.last { $0["who"]?.stringValue == speaker }?["text"]?.stringValue ?? "none"
    }

    /// Versions as Home Assistant compares them: without the revision of the package.
    var update: String? {
        guard let installed = text("version") else { return nil }
        let latest = newest.flatMap { PackageVersion($0) }.flatMap { newest in
            PackageVersion(installed).flatMap { $0 < newest ? newest.text : nil }
        }
        let value: JSONValue = [
            "installed_version": .string(installed), "latest_version": .string(latest ?? installed),
        ]
        return value.encoded
    }
}
