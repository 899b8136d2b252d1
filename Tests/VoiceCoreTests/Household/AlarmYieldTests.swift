import Testing

@testable import VoiceAudio

/// When ringing becomes soft for somebody who speaks, without a conversation.
struct AlarmYieldTests {
    private func reading(voice: Bool, microphone: Float = -26, output: Float = -28) -> EchoReading {
        var reading = EchoReading()
        (reading.hasVoice, reading.microphone, reading.output) = (voice, microphone, output)
        return reading
    }

    /// How many periods it was soft.
    private func soft(_ yield: inout AlarmYield, _ reading: EchoReading, _ periods: Int, rings: Bool = true) -> Int {
        (0..<periods).count { _ in yield.step(reading, rings: rings) }
    }

    @Test func aWordMakesItSoftForTheNextOne() {
        var yield = AlarmYield()
        let before = soft(&yield, reading(voice: false), 100)
        _ = soft(&yield, reading(voice: true), 30)
        let after = soft(&yield, reading(voice: false), 380)
        let later = soft(&yield, reading(voice: false), 100)
        #expect(before == 0)
        #expect(after == 380, "long enough to say it again")
        #expect(later < 50, "then it rings on")
    }

    @Test func aClickOrItsOwnEchoDoesNot() {
        var yield = AlarmYield()
        let click = soft(&yield, reading(voice: true), 8) + soft(&yield, reading(voice: false), 100)
        let echo = soft(&yield, reading(voice: true, microphone: -20, output: -40), 500)
        let faint = soft(&yield, reading(voice: true, microphone: -52, output: -55), 500)
        #expect(click == 0 && echo == 0 && faint == 0)
    }

    @Test func talkWithoutEndLetsNobodyOversleep() {
        var yield = AlarmYield()
        let periods = (0..<12_000).map { _ in yield.step(reading(voice: true), rings: true) }
        let longest = periods.split(separator: false).map(\.count).max() ?? 0
        #expect(longest == AlarmYield.longest)
        #expect(periods.count { !$0 } > 4_000, "a third of the time at least it is loud")
    }

    @Test func theNextRingingBeginsAnew() {
        var yield = AlarmYield()
        _ = soft(&yield, reading(voice: true), 100)
        let silent = soft(&yield, reading(voice: true), 10, rings: false)
        let next = soft(&yield, reading(voice: false), 100)
        #expect(silent == 0 && next == 0)
    }
}
