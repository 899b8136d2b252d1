package import VoiceBase

/// The status of the daemon as a subscriber knows it: follows the lines that `subscribe` sends.
package struct StatusMirror: Equatable, Sendable {
    /// The members of the status that are known.
    package private(set) var values: [String: JSONValue] = [:]
    /// Number of changes that the daemon left out because this client was too slow.
    package private(set) var missed = 0
    /// When the daemon last sent something; nil before the first snapshot.
    package private(set) var lastHeard: Duration?
    /// When each member was last sent.
    private var sent: [String: Duration] = [:]

    package init() {}

    /// Takes a line of the daemon; ignores what is neither a snapshot nor a change, and changes before the first snapshot.
    package mutating func take(_ line: JSONValue, at now: Duration) {
        guard case .object(let members)? = line["values"] else { return }
        switch line["event"] {
        case "snapshot":
            (values, sent) = ([:], [:])
            missed += line["missed"]?.bounded ?? 0
        case "changed" where lastHeard != nil: break
        default: return
        }
        lastHeard = now
        for (name, value) in members {
            // Not nil, which is JSON's null here.
            values[name] = value == .null ? .none : .some(value)
            sent[name] = now
        }
    }

    package subscript(name: String) -> JSONValue? { values[name] }

    /// A member that counts seconds, at this moment: the daemon need not repeat it while it runs.
    ///
    /// - Parameter source: the member that holds `value`.
    func seconds(_ value: JSONValue?, of source: String, runs step: Int, at now: Duration) -> Int? {
        value?.bounded.map { max(0, $0 + step * Int((now - (sent[source] ?? now)).components.seconds)) }
    }

    /// What is wrong, in sentences.
    ///
    /// - Parameter problem: why there is no connection to the daemon.
    func troubles(problem: String?) -> [String] {
        var troubles = [problem].compactMap { $0 } + self["degraded"].items.compactMap(\.stringValue)
        if let until = self["budget_spent_until"]?.stringValue { troubles.append("the budget is spent until \(until)") }
        return troubles
    }

    /// Seconds of silence, if they are more than the pause of 5 s that the daemon allows itself; nil if it is alive.
    func staleness(at now: Duration) -> Int? {
        lastHeard.map { Int((now - $0).components.seconds) }.flatMap { $0 >= 7 ? $0 : nil }
    }
}

extension JSONValue {
    /// The number rounded, and limited so that nothing computed from it overflows.
    var bounded: Int? {
        doubleValue.flatMap { $0.isFinite ? Int(min(max($0, -1e12), 1e12).rounded()) : nil }
    }
}

extension JSONValue? {
    var items: [JSONValue] {
        if case .array(let items)? = self { items } else { [] }
    }
}
