package import VoiceConfiguration
internal import VoiceNetwork

/// The address of a Wyoming server.
package struct WyomingAddress: Equatable, Sendable {
    /// The key that sets it: "local.recogniser".
    package let key: String
    package let host: String
    package let port: Int

    /// - Parameter text: "host:port", "[::1]:10300".
    package init(_ text: String, key: String) throws(ConfigurationError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var host = parts.dropLast().joined(separator: ":")
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard parts.count > 1, let last = parts.last, let port = UInt16(last), port > 0, !host.isEmpty,
            !host.contains(where: { $0.isWhitespace || $0 == "/" })
        else {
            let problem = ConfigurationProblem(place: key, message: "wants host:port, for instance 127.0.0.1:10300")
            throw ConfigurationError(problems: [problem])
        }
        self.key = key
        self.host = host
        self.port = Int(port)
    }

    /// The address for display: "127.0.0.1:10300".
    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
