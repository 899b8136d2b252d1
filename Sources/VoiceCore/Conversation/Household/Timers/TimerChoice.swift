/// Which of timers, alarms and reminders is meant.
package enum TimerKind: String, CaseIterable, Sendable {
    case timer, alarm, reminder, any

    /// Models write what they like: "timers" is understood, anything unknown means all.
    package init(clamping text: String) {
        let text = text.lowercased()
        self = Self.allCases.first { text.hasPrefix($0.rawValue) } ?? .any
    }

    func covers(_ kind: TimerKind) -> Bool { self == .any || self == kind }

    var name: String { self == .any ? "timer or alarm" : rawValue }
    var plural: String { self == .any ? "timers or alarms" : rawValue + "s" }
}

/// Selects timers, alarms and reminders.
package struct TimerChoice: Equatable, Sendable {
    package enum Which: Equatable, Sendable {
        /// The ringing timers; if none rings, the only one that is set.
        case obvious
        case all
        /// A number from the list, a name, the length or the time of day it was set for.
        case named(String)
    }

    package var which: Which
    package var kind: TimerKind

    package init(_ which: Which, of kind: TimerKind = .any) {
        self.which = which
        self.kind = kind
    }

    package static let obvious = TimerChoice(.obvious)
    package static let all = TimerChoice(.all)
    package static func named(_ name: String) -> TimerChoice { TimerChoice(.named(name)) }

    /// Parses "all", "all timers", "all alarms", a name, a number, a length or a time of day; an empty text is `obvious`.
    package init(_ text: String, of kind: TimerKind = .any) {
        let words = text.lowercased().split(separator: " ")
        if words.isEmpty {
            self.init(.obvious, of: kind)
        } else if words[0] == "all",
            let some = TimerKind.allCases.first(where: { words.dropFirst().elementsEqual([$0.rawValue + "s"]) })
        {
            self.init(.all, of: some)
        } else {
            self.init(words == ["all"] ? .all : .named(text), of: kind)
        }
    }
}

/// A change of what is set.
package enum TimerChange: Equatable, Sendable {
    /// This many seconds more.
    case add(Int)
    case pause
    case resume
    /// The ringing timer is silenced, and rings again after this many seconds.
    case snooze(Int)

    /// The length of a snooze if none is said, in seconds.
    package static let usualSnooze = 600
}
