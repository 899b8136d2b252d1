import Testing

@testable import VoiceAudio

struct PlaybackActivityTests {
    /// A driver may report anything after a fault, and the microphone of a half-duplex box is shut that long.
    @Test func absurdDelayLastsTwoSecondsAtMost() {
        var activity = PlaybackActivity()
        activity.wrote(peak: 0.5, delay: 1 << 40)
        for _ in 0..<201 { activity.step() }
        #expect(!activity.isPlaying(tail: 1))
    }

    @Test func soundIsPlayingUntilItsDelayHasPassed() {
        var activity = PlaybackActivity()
        activity.wrote(peak: 0.5, delay: 10)
        for _ in 0..<10 { activity.step() }
        #expect(activity.isPlaying(tail: 1))
        activity.step()
        #expect(!activity.isPlaying(tail: 1))
    }
}
