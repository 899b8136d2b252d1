@testable import VoiceAudio

extension EchoReading {
    /// No talker, no playback.
    static let silence = made(microphone: -62, output: -75)

    /// A talker at the level of the evaluation, without playback.
    static let talker = made(microphone: -28, output: -30, voice: true)

    /// Echo that the linear stage reduces by `erle` dB and later stages by another 15.
    static func echo(_ level: Float = -30, erle: Float, voice: Bool = false) -> EchoReading {
        var reading = made(microphone: level, output: level - erle - 15, voice: voice)
        reading.reference = -20
        reading.residual = level - erle
        return reading
    }

    /// A talker over echo.
    static func doubleTalk(_ level: Float = -28) -> EchoReading {
        var reading = made(microphone: level + 3, output: level - 3, voice: true)
        reading.reference = -20
        reading.residual = level
        return reading
    }

    static func made(microphone: Float, output: Float, voice: Bool = false) -> EchoReading {
        var reading = EchoReading()
        reading.microphone = microphone
        reading.residual = microphone
        reading.output = output
        reading.hasVoice = voice
        return reading
    }
}
