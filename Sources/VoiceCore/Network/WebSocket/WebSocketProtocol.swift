/// The type of a frame (RFC 6455 section 5.2).
enum WebSocketOpcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xa

    /// Whether it is a control frame. These are never fragmented and may come between the fragments of a message (section
    /// 5.5).
    var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Close codes (RFC 6455 section 7.4).
enum WebSocketCloseCode {
    static let normal: UInt16 = 1000
    /// Represents a close frame without a code; never sent on the wire.
    static let none: UInt16 = 1005

    /// Whether a peer may put this code into a close frame.
    ///
    /// 1004, 1005, 1006 and 1015 are reserved; 1012, 1013 and 1014 were registered later with IANA; 3000-3999 are for
    /// libraries, 4000-4999 for applications.
    static func mayBeReceived(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Why a connection must be failed, with the close code to send (RFC 6455 section 7.4.1).
package struct WebSocketViolation: Error, Equatable, Sendable, CustomStringConvertible {
    /// 1002 protocol error, 1007 invalid data or 1009 too big.
    package let code: UInt16
    package let description: String

    static func protocolError(_ text: String) -> Self { Self(code: 1002, description: text) }
    static func invalidText(_ text: String) -> Self { Self(code: 1007, description: text) }
    static func tooBig(_ text: String) -> Self { Self(code: 1009, description: text) }
}
