package import VoiceBase
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

    /// Throws if the address is a number outside this network. What a name resolves to is judged when it is connected to.
    func checkIsNear() throws(ConfigurationError) {
        guard TransportVerdict.isExposed(host: host) else { return }
        let message =
            "\(host) is outside this network, and speech is sent unencrypted; local.allow_public = true allows that"
        throw ConfigurationError(problems: [ConfigurationProblem(place: key, message: message)])
    }

    /// Whether the server runs on this machine: data sent to it has not left.
    var isThisMachine: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The address for display: "127.0.0.1:10300".
    package let text: String
}
