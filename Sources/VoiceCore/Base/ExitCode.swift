internal import Glibc

/// How the program ended, in the numbers of sysexits.h, so that the service manager can tell what helps.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// Wrong command line.
    case usage = 64
    /// Something that is needed is not there: a library without TLS, a service that refuses for good.
    case unavailable = 69
    /// The operating system refused.
    case system = 71
    /// Input or output failed: the sound card stayed away for too long.
    case inputOutput = 74
    /// No permission: the API key is refused, the device may not be opened.
    case noPermission = 77
    /// The configuration is wrong.
    case configuration = 78
}

/// What the system said: an errno.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package var code: Int32

    package init(code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }
}
