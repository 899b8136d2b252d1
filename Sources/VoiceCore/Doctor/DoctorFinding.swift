internal import VoiceConfiguration

/// One line of the doctor's report: the check, its result, and the remedy.
package struct DoctorFinding: Sendable, Equatable, Encodable {
    /// In order of severity.
    package enum Verdict: String, Sendable, Comparable, CaseIterable, Encodable {
        case ok
        /// Not checked; the message gives the reason.
        case skipped
        /// The daemon runs, but not as well as it could.
        case warn
        /// The daemon will not work.
        case fail

        package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A short name that is stable across versions, such as "api-key".
    package var check: String
    package var verdict: Verdict
    package var message: String
    /// The remedy; nil if none is needed.
    package var advice: String?

    package init(_ check: String, _ verdict: Verdict, _ message: String, advice: String? = nil) {
        self.check = check
        self.verdict = verdict
        self.message = message
        self.advice = advice
    }

    /// The finding without any secret.
    func cleaned(_ redactor: Redactor) -> DoctorFinding {
        var copy = self
        copy.message = redactor.clean(message)
        copy.advice = advice.map(redactor.clean)
        return copy
    }
}
