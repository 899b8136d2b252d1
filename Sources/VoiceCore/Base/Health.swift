/// The state of the box, in a household's words. Page, `watch`, `ctl status`, the service manager, metrics and doctor all
/// show this one value.
package struct Health: Equatable, Sendable {
    package enum Level: String, Sendable, CaseIterable {
        case well
        /// Something is missing; the rest works.
        case limited
        /// No conversation is possible.
        case notWorking = "not_working"

        /// Exit status of `ctl status`: 0, 1, 2.
        package var exitStatus: Int32 {
            switch self {
            case .well: 0
            case .limited: 1
            case .notWorking: 2
            }
        }

        package var title: String {
            switch self {
            case .well: "All is well"
            case .limited: "Limited"
            case .notWorking: "Not working"
            }
        }
    }

    package enum Part: String, Sendable, CaseIterable {
        case service, agent, microphone, loudspeaker, words, budget, clock, disk, timers
    }

    package struct Problem: Equatable, Sendable {
        package var part: Part
        package var level: Level
        /// The fault and its cause, without a full stop.
        package var text: String
        /// The fix; empty if `text` contains it, or there is none.
        package var fix = ""
        /// The parts that still work; empty if they are obvious.
        package var works = ""
        /// Seconds until the box tries again; nil if it does not, or nothing is to be tried.
        package var retryIn: Int?

        package init(
            _ part: Part,
            _ level: Level,
            _ text: String,
            fix: String = "",
            works: String = "",
            retryIn: Int? = nil
        ) {
            (self.part, self.level, self.text, self.fix) = (part, level, text, fix)
            (self.works, self.retryIn) = (works, retryIn)
        }

        /// The fix where only the doctor can tell more.
        package static let askDoctor = "run sudo jarvis-voiced doctor"

        /// Text and fix. The countdown is left out: lines of a log would differ every second.
        package var line: String { fix.isEmpty ? text : "\(text): \(fix)" }

        /// The line with the time of the next attempt.
        package var lineNow: String { retryIn.map { line + "; next try in \($0) s" } ?? line }
    }

    /// The worst first.
    package private(set) var problems: [Problem]

    package init(_ problems: [Problem] = []) {
        // Stable: of two that are equally bad, the order of the parts decides.
        self.problems = Level.allCases.reversed().flatMap { level in problems.filter { $0.level == level } }
    }

    package var level: Level { problems.first?.level ?? .well }

    /// The parts that still work; empty if all do, or none.
    package var works: String {
        let isMute = problems.contains { $0.part == .loudspeaker }
        return isMute ? "" : problems.first?.works ?? ""
    }

    /// Everything in one line: "Limited: Jarvis does not answer: see that its server runs; timers still work".
    package var text: String {
        guard !problems.isEmpty else { return level.title }
        let parts = problems.map(\.line) + (works.isEmpty ? [] : [works])
        return "\(level.title): \(parts.joined(separator: "; "))"
    }
}

// MARK: In the status

extension Health {
    /// As the member `health` of the status.
    package var json: JSONValue {
        var values: [String: JSONValue] = [
            "level": .string(level.rawValue), "problems": .array(problems.map(\.json)),
        ]
        if !works.isEmpty { values["works"] = .string(works) }
        return .object(values)
    }

    /// Reads the member `health`; nil if it is not there, or not as agreed.
    package init?(_ value: JSONValue?) {
        guard let level = value?["level"]?.stringValue.flatMap(Level.init) else { return nil }
        self.init(value?["problems"].items.compactMap(Problem.init) ?? [])
        if problems.isEmpty, level != .well { return nil }
    }
}

extension Health.Problem {
    fileprivate var json: JSONValue {
        var values: [String: JSONValue] = [
            "part": .string(part.rawValue), "level": .string(level.rawValue), "text": .string(text),
        ]
        if !fix.isEmpty { values["fix"] = .string(fix) }
        if !works.isEmpty { values["works"] = .string(works) }
        if let retryIn { values["retry_s"] = .integer(retryIn) }
        return .object(values)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let part = value["part"]?.stringValue.flatMap(Health.Part.init),
            let level = value["level"]?.stringValue.flatMap(Health.Level.init), level != .well,
            let text = value["text"]?.stringValue
        else { return nil }
        self.init(
            part, level, text, fix: value["fix"]?.stringValue ?? "", works: value["works"]?.stringValue ?? "",
            retryIn: value["retry_s"]?.bounded
        )
    }
}
