import Testing

@testable import VoiceBase

struct AudioFormatTests {
    @Test func aPeriodIsTenMilliseconds() {
        #expect(AudioFormat.periodFrames == 480)
        #expect(AudioFormat.wirePeriodSamples == 240)
    }
}
