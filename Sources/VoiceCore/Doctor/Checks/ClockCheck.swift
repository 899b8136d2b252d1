internal import VoiceBase

/// Whether the machine's clock agrees with the service's, as TLS and daily budgets require.
enum ClockCheck {
    /// Clock differences in seconds: one that is reported, and one that will break TLS sooner or later.
    static let notable = 30
    static let grave = 600

    /// The finding that the clock is not set; nil if it is.
    static func unset(_ now: ClockInstant) -> DoctorFinding? {
        now.unset.map { DoctorFinding("clock", .fail, "\(public: $0)", advice: advice) }
    }

    private static let advice: MarkedText = "run timedatectl set-ntp true, or install systemd-timesyncd"

    /// - Parameters:
    ///   - serverDate: the Date header (RFC 9110 section 5.6.7).
    ///   - now: Unix seconds.
    static func judge(serverDate: String?, now: Int) -> DoctorFinding {
        guard let serverDate, let there = seconds(ofHTTPDate: serverDate) else {
            return DoctorFinding("clock", .skipped, "the service sends no time to compare with")
        }
        let off = now - there
        guard abs(off) > notable else {
            return DoctorFinding("clock", .ok, "agrees with the service within \(max(1, abs(off))) s")
        }
        return DoctorFinding(
            "clock",
            abs(off) > grave ? .fail : .warn,
            "\(abs(off)) s \(public: off > 0 ? "ahead of" : "behind") the service",
            advice: advice
        )
    }

    /// Unix seconds of "Sun, 06 Nov 1994 08:49:37 GMT", the only form still generated.
    static func seconds(ofHTTPDate text: String) -> Int? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        return days(year: year, month: month + 1, day: day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// Days since 1970-01-01 in the Gregorian calendar, computed with years that begin in March.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let years = month <= 2 ? year - 1 : year
        let months = (month + 9) % 12
        return 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 - 719_468
    }
}
