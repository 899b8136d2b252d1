/// The version of the program and its accompanying tools.
package enum ProgramVersion {
    package static let current = "0.1.0"
    /// How the program names itself to servers that others run (RFC 9110 section 10.1.5).
    package static let userAgent = "jarvis-voiced/\(current) (+https://github.com/jarvis-voiced)"
}
