internal import VoiceBase

/// Keeps the moment at which the next timer is due the same from one status to the next. A value.
struct TimerClock {
    /// A timer due within this many seconds of the published moment keeps that moment: the clocks differ by a moment.
    private static let sameTime = 2

    private var list: JSONValue?
    private var at = 0
    private var due: Int?

    /// - Parameter wall: Unix time.
    mutating func learn(_ values: [String: JSONValue], at wall: Int) {
        if values["timer_list"] != list { at = wall }
        list = values["timer_list"]
    }

    mutating func forget() { list = nil }

    /// The status, in which a timer keeps the published second if the clock shows about the same.
    mutating func status(_ values: [String: JSONValue], newest: String?, tellsWords: Bool) -> HouseStatus {
        var status = HouseStatus(values: values, timersAt: at, newest: newest, tellsWords: tellsWords)
        let next = status.nextTimer?.due
        if let next, let due, abs(next - due) <= Self.sameTime { status.timersAt += due - next } else { due = next }
        return status
    }
}
