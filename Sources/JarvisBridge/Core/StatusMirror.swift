package import VoiceBase

/// The daemon's status as its lines tell it.
package struct StatusMirror: Sendable, Equatable {
    /// The daemon has some fifty members.
    private static let mostMembers = 256

    package enum Outcome: Sendable, Equatable {
        case snapshot
        case changed
        /// A line about something else.
        case other
        /// A change is missing, or a line is not as agreed: only a new subscription helps.
        case broken
    }

    /// The members of the status; nil before the first snapshot.
    package private(set) var values: [String: JSONValue]?
    /// Of the last line.
    private var number = 0

    package init() {}

    package mutating func apply(_ line: JSONValue) -> Outcome {
        guard let event = line["event"]?.stringValue, ["snapshot", "changed"].contains(event) else { return .other }
        guard let number = line["number"]?.intValue, case .object(let members) = line["values"] else { return .broken }
        if event == "snapshot" {
            values = members.filter { $0.value != .null }
        } else {
            guard values != nil, number == self.number &+ 1 else { return .broken }
            values?.merge(members) { _, new in new }
            values = values?.filter { $0.value != .null }
        }
        self.number = number
        guard values?.count ?? 0 <= Self.mostMembers else { return .broken }
        return event == "snapshot" ? .snapshot : .changed
    }

    /// The line for a reader who knows nothing yet, or has missed changes; nil before the first snapshot.
    package func snapshot(missed: Int = 0) -> JSONValue? {
        guard let values else { return nil }
        return [
            "event": "snapshot", "number": .integer(number), "missed": .integer(missed), "values": .object(values),
        ]
    }
}
