/// Which of timers and alarms is meant.
package enum TimerKind: String, CaseIterable, Sendable {
    case timer, alarm, any

    /// Models write what they like: "timers" is understood, anything unknown means both.
    package init(clamping text: String) {
        let text = text.lowercased()
        self = text.hasPrefix("timer") ? .timer : text.hasPrefix("alarm") ? .alarm : .any
    }

    func covers(isAlarm: Bool) -> Bool { self == .any || isAlarm == (self == .alarm) }

    var name: String { self == .any ? "timer or alarm" : rawValue }
    var plural: String { self == .any ? "timers or alarms" : rawValue + "s" }
}

/// Selects timers and alarms.
package struct TimerChoice: Equatable, Sendable {
    package enum Which: Equatable, Sendable {
        /// What rings; if nothing does, the only one that is set.
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
        switch text.lowercased().split(separator: " ").joined(separator: " ") {
        case "": self.init(.obvious, of: kind)
        case "all": self.init(.all, of: kind)
        case "all timers": self.init(.all, of: .timer)
        case "all alarms": self.init(.all, of: .alarm)
        default: self.init(.named(text), of: kind)
        }
    }
}
