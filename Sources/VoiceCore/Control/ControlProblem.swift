package import VoiceBase

/// Why a command was not carried out: a code for programs and a message for people.
package struct ControlProblem: Error, Sendable, Equatable {
    package enum Code: String, Sendable, CaseIterable {
        /// The line is not a request: not a JSON object, no command, too long.
        case badRequest = "bad_request"
        /// The request demands an unsupported version of the protocol.
        case unsupportedProtocol = "unsupported_protocol"
        case unknownCommand = "unknown_command"
        /// An argument is missing, unknown or of the wrong kind.
        case badArgument = "bad_argument"
        /// The command exists, but is not available now or in this build.
        case notAvailable = "not_available"
        /// The action was attempted and failed.
        case failed
        /// The client has no permission.
        case denied
        /// Too many clients are connected.
        case busy
    }

    /// The condition that must end before the command can work.
    package enum Cause: String, Sendable {
        case muted, quiet
        case service, budget, loudspeaker
    }

    package let code: Code
    /// A sentence without a full stop, with the way out.
    package let message: String
    package let cause: Cause?

    package init(_ code: Code, _ message: String, cause: Cause? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Exit code of `jarvis-voiced ctl`.
    package var exitCode: ExitCode {
        switch code {
        case .badRequest, .unsupportedProtocol, .unknownCommand, .badArgument: .usage
        case .notAvailable, .busy: .unavailable
        case .failed: .system
        case .denied: .noPermission
        }
    }
}

/// Formats results and events of the control socket for people. Text in them may come from anywhere, so hidden characters are
/// escaped.
package enum ControlText {
    /// An event becomes one line, "state from=listening to=processing". A result becomes its text, followed by the
    /// other members if it is a status.
    package static func lines(_ value: JSONValue) -> String {
        guard case .object(var members) = value else { return text(value) + "\n" }
        if let event = members.removeValue(forKey: "event")?.stringValue {
            return ([event] + members.sorted { $0.key < $1.key }.map { "\($0.key.escapingHidden())=\(text($0.value))" })
                .joined(separator: " ") + "\n"
        }
        // All that the health says is in the text, but for the time until the next try.
        let health = Health(members.removeValue(forKey: "health"))
        let retry = health?.problems.compactMap(\.retryIn).min().map { "; next try in \($0) s" } ?? ""
        // The text of a reply may have several lines.
        let first = members.removeValue(forKey: "text")?.stringValue.map { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapingHidden() }
                .joined(separator: "\n") + retry
        }
        // Except in a status, the members only repeat the text.
        if let first, members["state"] == nil { return first + "\n" }
        var lines = first.map { [$0] } ?? []
        // Omit what is for programs, such as the last turns, and lists whose entries are all contained in the text.
        members = members.filter { _, value in
            guard case .array(let values) = value, !values.isEmpty else { return true }
            return !values.contains(where: \.isObject) && !values.allSatisfy { first?.contains(text($0)) == true }
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { lines.append("\(name): \(text(value))") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The exit status of `ctl` for a result: that of the health in a status, else 0.
    package static func exitStatus(_ result: JSONValue) -> Int32 {
        Health(result["health"])?.level.exitStatus ?? 0
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "none"
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): String(number)
        case .number(let number): String((number * 1000).rounded() / 1000)
        case .string(let text): text.escapingHidden()
        case .array(let values): values.isEmpty ? "none" : values.map(text).joined(separator: "; ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
        }
    }
}
