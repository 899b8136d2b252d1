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
