/// Close codes (RFC 6455 section 7.4).
enum WebSocketCloseCode {
    static let normal: UInt16 = 1000
    /// Stands for a close frame without a code; never on the wire.
    static let none: UInt16 = 1005

    /// Whether a peer may put this code into a close frame.
    ///
    /// 1004, 1005, 1006 and 1015 are reserved; 1012, 1013 and 1014 were registered later with IANA; 3000-3999 belong
    /// to libraries, 4000-4999 to applications.
    static func mayBeReceived(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
