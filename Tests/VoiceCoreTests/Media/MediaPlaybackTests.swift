import Synchronization
import Testing

@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

/// The audio thread's output of media, sample by sample.
struct MediaPlaybackTests {
    private static let period = AudioFormat.periodFrames

    /// Plays `periods` periods of media that is 0.5 throughout; `change` gets the period and returns whether the voice
    /// plays.
    private func played(
        periods: Int,
        supply: Int = .max,
        change: (Int, AudioPorts) -> Bool = { _, _ in false }
    ) -> [Float] {
        let ports = AudioPorts()
        ports.volumes.set(Volumes(media: 100))
        ports.media.isComplete.store(supply < .max, ordering: .relaxed)
        var playback = MediaPlayback(ports.media)
        var mix = OutputMix(volumes: ports.volumes)
        var result: [Float] = []
        var supplied = 0
        let sound = [StereoFrame](repeating: StereoFrame(0.5), count: Self.period)
        for _ in 0..<60 where supplied < supply {
            supplied += ports.media.ring.write(sound, count: min(Self.period, supply - supplied))
        }
        for period in 0..<periods {
            if supplied < supply {
                supplied += ports.media.ring.write(sound, count: min(Self.period, supply - supplied))
            }
            let isVoice = change(period, ports)
            var output = [StereoFrame](repeating: .silence, count: Self.period)
            playback.mix(
                into: &output, count: Self.period, isVoice: isVoice, now: UInt64(period) * 10_000_000, volumes: &mix
            )
            result += output.map(\.mean)
        }
        return result
    }

    private func isSmooth(_ samples: [Float], step: Float) -> Bool {
        zip(samples, samples.dropFirst()).allSatisfy { abs($0 - $1) <= step }
    }

    @Test func mediaDucksForTheVoiceWithinFiftyMilliseconds() {
        let output = played(periods: 300) { period, _ in 100..<150 ~= period }
        #expect(abs(output[100 * 480 - 1] - 0.5) < 1e-4)
        let ducked = output[(100 * 480)...].firstIndex { $0 <= 0.3001 } ?? 0
        #expect(ducked - 100 * 480 <= 50 * 48)
        #expect(output[ducked..<150 * 480].allSatisfy { abs($0 - 0.3) < 1e-4 })
        let back = output[(150 * 480)...].firstIndex { $0 >= 0.4999 } ?? 0
        let rise = output[(150 * 480)...].firstIndex { $0 > 0.3001 } ?? 0
        #expect((250 * 48...400 * 48).contains(back - rise))
        #expect(isSmooth(output, step: 0.5 / 480 + 1e-5))
    }

    @Test func mediaDucksFurtherWhileTheUserSpeaks() {
        let output = played(periods: 300) { period, ports in
            if period == 100 { ports.media.follow(.userSpeaking, at: .seconds(1)) }
            if period == 150 { ports.media.follow(.processing, at: .seconds(1.5)) }
            if period == 200 { ports.media.follow(.listening, at: .seconds(2)) }
            return false
        }
        #expect(abs(output[105 * 480] - 0.125) < 1e-4)
        #expect(abs(output[199 * 480] - 0.3) < 1e-4)
        #expect(abs(output[240 * 480] - 0.5) < 1e-4)
    }

    @Test func halfDuplexKeepsMediaLowWhileListening() {
        let output = played(periods: 300) { period, ports in
            if period == 100 { ports.media.follow(.listening, at: .seconds(1), isHalf: true) }
            if period == 200 { ports.media.follow(.idle, at: .seconds(2), isHalf: true) }
            return false
        }
        #expect(abs(output[105 * 480] - 0.125) < 1e-4)
        #expect(abs(output[240 * 480] - 0.5) < 1e-4)
    }

    @Test func duckingEndsAfterAMinute() {
        let output = played(periods: 6200) { period, ports in
            if period == 10 { ports.media.follow(.userSpeaking, at: .milliseconds(100)) }
            return false
        }
        #expect(abs(output[6000 * 480] - 0.125) < 1e-4)
        #expect(abs(output[6100 * 480] - 0.5) < 1e-4)
    }

    @Test func pauseAndFlushFade() {
        let output = played(periods: 100) { period, ports in
            if period == 20 { ports.media.isPaused.store(true, ordering: .relaxed) }
            if period == 40 { ports.media.isPaused.store(false, ordering: .relaxed) }
            if period == 60 { ports.media.flush(to: ports.media.ring.writePosition) }
            return false
        }
        #expect(isSmooth(output, step: 0.5 / 480 + 1e-5))
        #expect(output[22 * 480..<40 * 480].allSatisfy { $0 == 0 })
        #expect(abs(output[50 * 480] - 0.5) < 1e-4)
        #expect(output[62 * 480..<100 * 480].allSatisfy { $0 == 0 }, "it collects half a second first")
    }

    @Test func theEndOfAnItemIsPlayedToItsLastFrame() {
        let output = played(periods: 20, supply: 1000)
        #expect(output[900..<1000].allSatisfy { abs($0 - 0.5) < 1e-4 })
        #expect(isSmooth(output, step: 0.5 * 0.03 + 1e-5))
        #expect(output[2000...].allSatisfy { $0 == 0 })
    }

    @Test func theLimiterHoldsVoiceAndMediaTogether() {
        let ports = AudioPorts()
        ports.volumes.set(Volumes(media: 100))
        var mix = OutputMix(volumes: ports.volumes)
        var playback = MediaPlayback(ports.media)
        let sound = [StereoFrame](repeating: StereoFrame(0.9), count: 48_000)
        ports.media.ring.write(sound, count: sound.count)
        var loudest: Float = 0
        for period in 0..<90 {
            var output = [StereoFrame](repeating: StereoFrame(0.9), count: Self.period)
            playback.mix(
                into: &output, count: Self.period, isVoice: true, now: UInt64(period) * 10_000_000, volumes: &mix
            )
            mix.finish(&output, count: Self.period)
            loudest = max(loudest, output.map(\.peak).max() ?? 0)
        }
        #expect(loudest <= 0.891_26)
    }
}
