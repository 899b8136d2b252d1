/// What a key of a headset, a speakerphone or a remote control means (codes of linux/input-event-codes.h).
package enum Button: Equatable, Sendable {
    case call
    case stop
    case mute
    case louder
    case quieter
    /// Acts on the media player; calls where nothing is played.
    case playPause
    case next
    case previous

    /// - Parameter value: 1 for a key that goes down, 2 for one that repeats, 0 for one that is let go.
    package init?(code: Int, value: Int) {
        switch code {
        case 582, 226: self = .call  // KEY_VOICECOMMAND, _MEDIA
        case 164, 200, 207, 119, 201: self = .playPause  // KEY_PLAYPAUSE, _PLAYCD, _PLAY, _PAUSE, _PAUSECD
        case 163, 407: self = .next  // KEY_NEXTSONG, _NEXT
        case 165, 412: self = .previous  // KEY_PREVIOUSSONG, _PREVIOUS
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
