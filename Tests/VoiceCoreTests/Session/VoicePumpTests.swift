import Testing

@testable import VoiceCore

struct VoicePumpTests {
    @Test(arguments: [0, 24_000, 24_000 * 86_400 * 9, 24_000 * 86_400 * 3650] as [UInt64])
    func theTimeOfASampleIsRightAfterYears(position: UInt64) {
        let seconds = Int64(position / 24_000)
        #expect(VoicePump.captureTime(of: position, origin: 5_000_000_000) == .seconds(seconds + 5))
    }
}
