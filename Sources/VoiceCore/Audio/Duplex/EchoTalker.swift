/// Whether a talker is heard beside the daemon's own sound.
package enum EchoTalker: Int, BitwiseCopyable, Sendable, Equatable {
    /// Only the daemon itself is heard.
    case absent
    /// A talker may be heard, or the daemon is silent.
    case heard
    /// A talker cannot be told from the daemon's sound.
    case unknown
}
