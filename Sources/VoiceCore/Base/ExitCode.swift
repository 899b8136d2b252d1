internal import Glibc

/// Exit statuses of the program, from sysexits.h, so that the service manager can react to them.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// Wrong command line.
    case usage = 64
    /// Something required is missing: a library without TLS, a daemon that answers.
    case unavailable = 69
    /// The operating system refused.
    case system = 71
    /// Input or output failed: no sound came, or it was lost.
    case inputOutput = 74
    /// Permission denied: a device, a file or the control socket may not be opened.
    case noPermission = 77
    /// The configuration is wrong.
    case configuration = 78
}

/// An error of the system: an errno.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package var code: Int32

    package init(code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }
}
