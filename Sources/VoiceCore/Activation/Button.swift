/// What a key of a headset, a speakerphone or a remote control means (codes of linux/input-event-codes.h).
package enum Button: Equatable, Sendable {
    case call
    case stop
    case mute
    case louder
    case quieter

    /// - Parameter value: 1 for a key that goes down, 2 for one that repeats, 0 for one that is let go.
    package init?(code: Int, value: Int) {
        switch code {
        case 164, 200, 207, 582, 226: self = .call  // KEY_PLAYPAUSE, _PLAYCD, _PLAY, _VOICECOMMAND, _MEDIA
        case 128, 166, 169: self = .stop  // KEY_STOP, _STOPCD, _PHONE: the hook switch
        case 113, 248: self = .mute  // KEY_MUTE, _MICMUTE
        case 115: self = .louder
        case 114: self = .quieter
        default: return nil
        }
        let repeats = self == .louder || self == .quieter
        guard value == 1 || value == 2 && repeats else { return nil }
    }
}
