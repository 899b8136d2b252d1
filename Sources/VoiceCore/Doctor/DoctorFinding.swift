internal import VoiceAgent
internal import VoiceBase

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
    /// Whether the remedy is a group that may open the sound card.
    var asksForGroup = false
    /// Message and remedy without what is about the user.
    private var sharedMessage: String
    private var sharedAdvice: String?

    private enum CodingKeys: CodingKey { case check, verdict, message, advice }

    package init(_ check: String, _ verdict: Verdict, _ message: MarkedText, advice: MarkedText? = nil) {
        self.check = check
        self.verdict = verdict
        self.message = message.shown
        self.advice = advice?.shown
        sharedMessage = message.shared
        sharedAdvice = advice?.shared
    }

    /// Adds to the message.
    mutating func append(_ text: MarkedText) {
        message += text.shown
        sharedMessage += text.shared
    }

    /// The finding with another remedy.
    func advised(_ advice: MarkedText) -> DoctorFinding {
        var copy = self
        copy.advice = advice.shown
        copy.sharedAdvice = advice.shared
        return copy
    }

    /// The finding about the agent of a wake word with a table.
    func of(_ agent: AgentName) -> DoctorFinding {
        guard agent.table != nil else { return self }
        var copy = self
        copy.message = "agent of \(agent.name): " + agent.told(message)
        copy.advice = advice.map(agent.told)
        copy.sharedMessage = "agent of a wake word: " + sharedMessage
        return copy
    }

    /// The finding without any secret.
    func cleaned(_ redactor: Redactor) -> DoctorFinding {
        var copy = self
        copy.message = redactor.clean(message)
        copy.advice = advice.map(redactor.clean)
        copy.sharedMessage = redactor.clean(sharedMessage)
        copy.sharedAdvice = sharedAdvice.map(redactor.clean)
        return copy
    }

    /// The finding as it may be shared.
    var shared: DoctorFinding {
        var copy = self
        copy.message = sharedMessage
        copy.advice = sharedAdvice
        return copy
    }
}
