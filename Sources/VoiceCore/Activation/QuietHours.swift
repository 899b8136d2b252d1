/// The hours of the day in which the box stays quiet, in local time. They may span midnight.
package struct QuietHours: Equatable, Sendable {
    /// Minutes since midnight; `end` is the first minute after the quiet hours.
    let start: Int
    let end: Int

    /// - Parameter text: of the form "22:00-07:00"; nil for anything else.
    package init?(_ text: String) {
        let times = text.split(separator: "-").map { Self.minute($0) }
        guard times.count == 2, let start = times[0], let end = times[1], start != end else { return nil }
        (self.start, self.end) = (start, end)
    }

    package func contains(minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " } }
        guard parts.count == 2, parts[1].count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        return 60 * hour + minute
    }
}
