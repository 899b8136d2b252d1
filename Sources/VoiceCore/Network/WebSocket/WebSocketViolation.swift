/// Why a connection has to be failed, with the close code to say so (RFC 6455 section 7.4.1).
package struct WebSocketViolation: Error, Equatable, Sendable, CustomStringConvertible {
    /// 1002 protocol error, 1007 invalid data or 1009 too big.
    package let code: UInt16
    package let description: String

    static func protocolError(_ text: String) -> Self { Self(code: 1002, description: text) }
    static func invalidText(_ text: String) -> Self { Self(code: 1007, description: text) }
    static func tooBig(_ text: String) -> Self { Self(code: 1009, description: text) }
}
