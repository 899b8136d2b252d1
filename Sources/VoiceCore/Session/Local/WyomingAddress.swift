internal import VoiceBase
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
        guard let server = HostAndPort(text) else {
            throw ConfigurationError(problems: [ConfigurationProblem(place: key, message: HostAndPort.wanted)])
        }
        (self.key, host, port, self.text) = (key, server.host, server.port, server.text)
    }

    /// The address for display: "127.0.0.1:10300".
    package let text: String
}
