/// Decides when ringing becomes soft because somebody in the room speaks, whether a conversation is open or not. Pure; one
/// step a period.
///
/// Over the ringing at full volume the canceller takes so much of a word that no engine recognises it. Whoever says "stop" in
/// vain says it again, and is heard over the soft ringing. It does not stay soft for long in one piece: a television or
/// what is left of the ringing itself must not let somebody oversleep.
struct AlarmYield: Equatable, Sendable {
    /// All in periods of 10 ms. A voice is so many signs in a window; the ringing is soft for `hold` after the last of it,
    /// `longest` at a time, and then at full volume for `rest`.
    static let window = 30
    static let needed = 10
    static let hold = 400
    static let longest = 1_200
    static let rest = 800
    /// A sign has at least this level, in dBFS, and the canceller took less than this of the microphone, in dB: it took more of
    /// an echo.
    static let loud: Float = -50
    static let taken: Float = 15

    private var signs: UInt64 = 0
    /// Periods for which it stays soft, and for which it has been.
    private var left = 0
    private var soft = 0
    private var resting = 0

    /// - Parameter rings: whether it rings and the microphone is open.
    /// - Returns: whether the ringing is to be soft.
    mutating func step(_ reading: EchoReading, rings: Bool) -> Bool {
        guard rings else {
            self = Self()
            return false
        }
        let isSign =
            reading.hasVoice && reading.output > Self.loud && reading.microphone - reading.output < Self.taken
        signs = signs << 1 | (isSign ? 1 : 0)
        if resting > 0 {
            resting -= 1
            return false
        }
        if (signs & (1 << UInt64(Self.window) - 1)).nonzeroBitCount >= Self.needed { left = Self.hold }
        guard left > 0 else {
            soft = 0
            return false
        }
        left -= 1
        soft += 1
        if soft >= Self.longest { (left, soft, resting, signs) = (0, 0, Self.rest, 0) }
        return true
    }
}
