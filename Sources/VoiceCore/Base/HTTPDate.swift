/// The date of an HTTP header (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// Unix seconds of "Sun, 06 Nov 1994 08:49:37 GMT", the only form still generated; nil for any other.
    package static func seconds(_ text: String) -> Int? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let dayOfMonth = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2])),
            let day = LocalTime.day(year: year, month: month + 1, dayOfMonth: dayOfMonth)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        return day * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }
}
