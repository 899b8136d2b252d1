import Testing

@testable import VoiceBase
@testable import VoiceSession

/// A service states the rate of its sound with each message.
struct AnyRateConverterTests {
    @Test(arguments: [
        (8000, true), (16_000, true), (22_050, true), (24_000, true), (44_100, true), (48_000, true), (0, false),
        (7999, false),
        (16_020, false), (47_999, false), (96_000, false),
    ])
    func onlyAKnownRateIsConverted(rate: Int, isKnown: Bool) {
        let sound = [Int16](repeating: 1000, count: 4800)
        let count = sound.withUnsafeBufferPointer { AnyRateConverter().convert($0, from: rate) { $0.count } }
        #expect((count != nil) == isKnown)
    }

    @Test func theSoundOfAMessageHasALimit() {
        let sound = [Int16](repeating: 0, count: 16_000 * 12)
        let count = sound.withUnsafeBufferPointer { AnyRateConverter().convert($0, from: 16_000) { $0.count } }
        #expect(count ?? 0 <= AudioFormat.longestMessage * AudioFormat.wireRate)
    }
}
