internal import Glibc

/// What the system said: an errno.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package var code: Int32

    package init(code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }
}
