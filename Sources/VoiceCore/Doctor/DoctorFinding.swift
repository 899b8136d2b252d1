internal import VoiceConfiguration

/// One line of the doctor: what was looked at, how it is, and the way out.
package struct DoctorFinding: Sendable, Equatable, Encodable {
    /// From harmless to grave.
    package enum Verdict: String, Sendable, Comparable, CaseIterable, Encodable {
        case ok
        /// Not looked at, for the reason that the message gives.
        case skipped
        /// The daemon runs, but not as well as it could.
        case warn
        /// The daemon will not do its work.
        case fail

        package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A short name that stays the same from version to version, such as "api-key".
    package var check: String
    package var verdict: Verdict
    package var message: String
    /// What to do about it; nil where there is nothing to do.
    package var advice: String?

    package init(_ check: String, _ verdict: Verdict, _ message: String, advice: String? = nil) {
        self.check = check
        self.verdict = verdict
        self.message = message
        self.advice = advice
    }

    /// The same without any secret.
    func cleaned(_ redactor: Redactor) -> DoctorFinding {
        var copy = self
        copy.message = redactor.clean(message)
        copy.advice = advice.map(redactor.clean)
        return copy
    }
}
