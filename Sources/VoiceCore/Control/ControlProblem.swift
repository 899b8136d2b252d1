package import VoiceBase

/// Why a command was not carried out: a word for programs and a line for people.
package struct ControlProblem: Error, Sendable, Equatable {
    package enum Code: String, Sendable, CaseIterable {
        /// The line is no request: no JSON object, no command, too long.
        case badRequest = "bad_request"
        /// The request asks for a version of the protocol that is not spoken here.
        case unsupportedProtocol = "unsupported_protocol"
        case unknownCommand = "unknown_command"
        /// An argument is missing, unknown or not of its kind.
        case badArgument = "bad_argument"
        /// The command exists, but cannot be done now or in this build.
        case notAvailable = "not_available"
        /// It was tried and failed.
        case failed
        /// The other end may not give orders.
        case denied
        /// Too many clients at once.
        case busy
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What `jarvis-voiced ctl` ends with.
    package var exitCode: ExitCode {
        switch code {
        case .badRequest, .unsupportedProtocol, .unknownCommand, .badArgument: .usage
        case .notAvailable, .busy: .unavailable
        case .failed: .system
        case .denied: .noPermission
        }
    }
}

/// Results and events of the control socket, for people.
package enum ControlText {
    /// An event is one line, "state from=listening to=processing"; a result is its text, then the other members.
    package static func lines(_ value: JSONValue) -> String {
        guard case .object(var members) = value else { return text(value) + "\n" }
        if let event = members.removeValue(forKey: "event")?.stringValue {
            return ([event] + members.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" })
                .joined(separator: " ") + "\n"
        }
        let first = members.removeValue(forKey: "text")?.stringValue
        // Where a sentence says it all, the members only repeat it.
        if let first, members["state"] == nil { return first + "\n" }
        var lines = first.map { [$0] } ?? []
        // Nor is a list whose every entry the sentence has.
        members = members.filter { _, value in
            guard let first, case .array(let values) = value, !values.isEmpty else { return true }
            return !values.allSatisfy { first.contains(text($0)) }
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { lines.append("\(name): \(text(value))") }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): String(number)
        case .number(let number): String((number * 1000).rounded() / 1000)
        case .string(let text): text
        case .array(let values): values.isEmpty ? "none" : values.map(text).joined(separator: "; ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
        }
    }
}
