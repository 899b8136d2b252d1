/// The daemon's status as a subscriber of the control socket knows it: follows the lines that `subscribe` sends.
package struct StatusMirror: Equatable, Sendable {
    package enum Outcome: Sendable, Equatable {
        case snapshot
        case changed
        /// A line about something else.
        case other
        /// A change is missing, or a line is not as agreed: only a new subscription helps.
        case broken
    }

    /// The daemon has some seventy members.
    private static let mostMembers = 256

    /// The members that are known; none before the first snapshot.
    package private(set) var values: [String: JSONValue] = [:]
    /// Number of changes that the daemon left out because this client was too slow.
    package private(set) var missed = 0
    /// When the daemon last sent something; nil before the first snapshot.
    package private(set) var lastHeard: Duration?
    /// Number of the last line.
    private var number = 0
    /// When each member was last sent.
    private var sent: [String: Duration] = [:]

    package init() {}

    package subscript(name: String) -> JSONValue? { values[name] }

    package mutating func apply(_ line: JSONValue, at now: Duration) -> Outcome {
        guard let event = line["event"]?.stringValue, ["snapshot", "changed"].contains(event) else { return .other }
        guard let number = line["number"]?.intValue, case .object(let members) = line["values"] else { return .broken }
        if event == "snapshot" {
            (values, sent) = ([:], [:])
            missed += line["missed"]?.bounded ?? 0
        } else if lastHeard == nil || number != self.number &+ 1 {
            return .broken
        }
        values.merge(members) { _, new in new }
        values = values.filter { $0.value != .null }
        sent.merge(members.mapValues { _ in now }) { _, new in new }
        (self.number, lastHeard) = (number, now)
        guard sent.count <= Self.mostMembers else { return .broken }
        return event == "snapshot" ? .snapshot : .changed
    }

    /// The line for a reader who knows nothing yet, or has missed changes; nil before the first snapshot.
    package func snapshot(missed: Int = 0) -> JSONValue? {
        guard lastHeard != nil else { return nil }
        return [
            "event": "snapshot", "number": .integer(number), "missed": .integer(missed), "values": .object(values),
        ]
    }

    /// The present value of a member that counts seconds: the daemon need not repeat it while it runs.
    ///
    /// - Parameter source: the member that holds `value`.
    package func seconds(_ value: JSONValue?, of source: String, runs step: Int, at now: Duration) -> Int? {
        value?.bounded.map { max(0, $0 + step * Int((now - (sent[source] ?? now)).components.seconds)) }
    }

    /// The health that the daemon reported last.
    package var health: Health? { Health(self["health"]) }

    /// The faults, in sentences.
    ///
    /// - Parameters:
    ///   - problem: why there is no connection to the daemon.
    ///   - countsDown: whether they say when the box tries again.
    package func troubles(problem: String?, countsDown: Bool = false) -> [String] {
        let known =
            health?.problems.map { countsDown ? $0.lineNow : $0.line }
            ?? self["degraded"].items.compactMap(\.stringValue)
        return [problem].compactMap { $0 } + known
    }

    /// Seconds of silence, if they are more than the pause of 5 s that the daemon allows itself; nil if it is alive.
    package func staleness(at now: Duration) -> Int? {
        lastHeard.map { Int((now - $0).components.seconds) }.flatMap { $0 >= 7 ? $0 : nil }
    }
}

extension JSONValue {
    /// The number rounded, and limited so that nothing computed from it overflows.
    package var bounded: Int? {
        doubleValue.flatMap { $0.isFinite ? Int(min(max($0, -1e12), 1e12).rounded()) : nil }
    }
}

extension JSONValue? {
    /// The elements of a list; empty for any other value.
    package var items: [JSONValue] {
        if case .array(let items)? = self { items } else { [] }
    }
}
