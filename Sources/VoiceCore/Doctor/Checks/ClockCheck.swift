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
    ///   - serverDate: the Date header.
    ///   - now: Unix seconds.
    static func judge(serverDate: String?, now: Int) -> DoctorFinding {
        guard let serverDate, let there = HTTPDate.seconds(serverDate) else {
            return DoctorFinding("clock", .skipped, "the service sends no time to compare with")
        }
        let off = now - there
        guard abs(off) > notable else {
            return DoctorFinding("clock", .ok, "agrees with the service within \(max(1, abs(off))) s")
        }
        return DoctorFinding(
            "clock", abs(off) > grave ? .fail : .warn,
            "\(abs(off)) s \(public: off > 0 ? "ahead of" : "behind") the service", advice: advice
        )
    }
}
