import Testing

@testable import VoiceCore

struct ALSADeviceTests {
    /// A sound server of 130 ms behind a buffer of 40 ms: playback that waited for 130 ms would never start again.
    @Test(arguments: [(480, 1440, 480), (1440, 1440, 1440), (6240, 1440, 1440)])
    func afterAFlushPlaybackStartsWithWhatTheBufferHolds(delay: Int, prefill: Int, expected: Int) {
        #expect(ALSADevice.startAfterFlush(delay: delay, prefill: prefill) == expected)
    }
}
