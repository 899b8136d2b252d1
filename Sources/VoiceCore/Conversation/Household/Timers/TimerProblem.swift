internal import VoiceBase

/// Why a timer was not set, changed or cancelled; the text follows "jarvis-voiced ctl: " and can be spoken.
package enum TimerProblem: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable
    case length
    /// These words behind the time may belong to it.
    case leftOver(String)
    /// A length and a time of day.
    case both
    /// "8h"
    case hours(Int)
    /// At this minute, of the morning or the evening.
    case half(Int)
    case past
    case tooFar
    case clock
    case full
    case none(TimerKind)
    case unknown(String, TimerKind)
    case ambiguous(TimerKind)
    case repeats
    /// No alarm is set for this day.
    case noneOn(String)
    /// The alarms of this day.
    case severalOn(String, [String])
    /// The only alarm of the day rings on other days as well.
    case repeatsOn(String)
    /// Nothing is set that could be changed in this way.
    case noneTo(TimerChange)
    case stopping

    /// Whether the text holds words that were not written by the program.
    package var quotes: Bool {
        switch self {
        case .leftOver, .unknown, .severalOn, .repeatsOn: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .unreadable:
            "the time cannot be read: give a length such as 10m or 1h30m, or a time of day such as 07:00 or 7:30 pm, with a day "
                + "such as tomorrow, friday or 2026-12-24 if you like, then a name"
        case .length: "a timer lasts from 1 second to 30 days"
        case .leftOver(let rest):
            "\"\(rest)\" may belong to the time: give one length or one time of day, and put a name in quotes or after \"called\""
        case .both: "give a length or a time of day, not both"
        case .hours(let hour):
            "\(hour)h may be a length or a time of day: say \(hour) hours or \(LocalTime.clock(minute: 60 * hour))"
        case .half(let minute):
            "\(LocalTime.clock(minute: minute % 720 < 60 ? minute % 720 + 720 : minute % 720)) may be in the morning or in the "
                + "evening: say am or pm"
        case .past: "that time has passed"
        case .tooFar: "an alarm can be set for the next 366 days"
        case .clock: "the clock of this machine is not set yet; a timer, such as 10m, does not need it"
        case .full: "there are already \(TimerBook.most) timers and alarms: cancel one first"
        case .none(let kind): "no \(kind.plural) are set"
        case .unknown(let name, let kind): "there is no \(kind.name) \"\(name)\""
        case .ambiguous(.any): "there are several: name one, or \"all\""
        case .ambiguous(let kind): "there are several \(kind.plural): name one, or \"all \(kind.plural)\""
        case .repeats:
            "nothing rings, and the only alarm repeats: give its name, its number or its time, or \"all alarms\""
        case .noneOn(let day): "no alarm is set for \(day)"
        case .severalOn(let day, let all):
            "there are \(all.count) alarms for \(day): " + all.prefix(4).joined(separator: "; ")
                + "; name one by its time, or \"all alarms\""
        case .repeatsOn(let alarm):
            "the alarm for \(alarm), repeats: give its name, its number or its time to end it for good"
        case .noneTo(.add): "no such timer is set; an alarm cannot be made longer: cancel it and set another"
        case .noneTo(.pause): "no such timer is running; an alarm cannot be paused: cancel it"
        case .noneTo(.resume): "no such timer is paused"
        case .noneTo(.snooze): "nothing is ringing"
        case .stopping: "the daemon is stopping"
        }
    }
}
