import Testing

@testable import VoiceCore

struct AudioFormatTests {
    @Test func aPeriodIsTenMilliseconds() {
        #expect(AudioFormat.periodFrames == 480)
        #expect(AudioFormat.wirePeriodSamples == 240)
    }
}
