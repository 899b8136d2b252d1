import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

struct OutputMixTests {
    private func played(periods: Int, level: Float, change: (Int, VolumeControls) -> Void) -> [Float] {
        let controls = VolumeControls()
        var mix = OutputMix(volumes: controls)
        var result: [Float] = []
        for period in 0..<periods {
            change(period, controls)
            var voice = [Float](repeating: level, count: 480)
            mix.scaleVoice(&voice, count: 480)
            var frames = voice.map { StereoFrame($0) }
            mix.finish(&frames, count: 480)
            result += frames.map(\.mean)
        }
        return result
    }

    @Test func everyChangeOfVolumeIsARamp() {
        var random = SeededGenerator(seed: 5)
        let output = played(periods: 300, level: 0.8) { period, controls in
            guard period % 3 == 0, period > 0 else { return }
            var volumes = Volumes(
                master: Int.random(in: 0...100, using: &random), voice: Int.random(in: 0...100, using: &random)
            )
            volumes.isMuted = period % 7 == 0
            controls.set(volumes)
        }
        // The sound emerges from the delay line; from there on no step exceeds that of two full ramps of 20 ms.
        let sound = output[(Limiter.delay)...]
        let steps = zip(sound, sound.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) <= 2 * 0.8 / 960 * 1.01)
        #expect((output.min() ?? 1) == 0 && (output.max() ?? 0) > 0.5)
    }

    /// Media written ahead is taken back when the voice is interrupted, and a fade to silence is written in its place.
    @Test func mediaResumesWithoutAClick() {
        let controls = VolumeControls()
        controls.set(Volumes(media: 100))
        var mix = OutputMix(volumes: controls)
        var output: [Float] = []
        for period in 0..<20 {
            if period == 10 {
                mix.reset()
                output = []
            }
            var frames = [StereoFrame](repeating: StereoFrame(0.8), count: 480)
            mix.scaleMedia(&frames, count: 480)
            mix.finish(&frames, count: 480)
            output += frames.map(\.left)
        }
        let steps = zip([0] + output, output).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.002)
        #expect(abs((output.last ?? 0) - 0.8) < 1e-6)
    }

    @Test func otherProgramsHaveAVolumeOfTheirOwn() {
        let controls = VolumeControls()
        controls.set(Volumes(media: 100, inputs: 50))
        for isInput in [false, true] {
            var mix = OutputMix(volumes: controls)
            var frames = [StereoFrame](repeating: StereoFrame(0.8), count: 480)
            for _ in 0..<10 {
                frames = [StereoFrame](repeating: StereoFrame(0.8), count: 480)
                mix.scaleMedia(&frames, count: 480, isInput: isInput)
            }
            #expect(abs(frames[479].left - (isInput ? 0.1 : 0.8)) < 1e-6)
        }
    }

    @Test func volumeSetsTheGain() {
        let output = played(periods: 10, level: 0.8) { _, controls in controls.set(Volumes(master: 50, voice: 50)) }
        #expect(abs((output.last ?? 0) - 0.8 / 64) < 1e-6)
    }

    @Test func cardMixerLeavesTheMasterAtUnity() {
        var volumes = Volumes(master: 20)
        let controls = VolumeControls()
        controls.set(volumes, hardwareMaster: true)
        #expect(controls.gain(of: .master) == 1)
        volumes.isMuted = true
        controls.set(volumes, hardwareMaster: true)
        #expect(controls.gain(of: .master) == 0)
    }

    @Test func roomRingingCountsAsAudible() {
        let controls = VolumeControls()
        var mix = OutputMix(volumes: controls)
        var isAudible = mix.isAudible
        #expect(!isAudible)
        var frames = [StereoFrame](repeating: StereoFrame(left: 0.1, right: 0), count: 480)
        mix.finish(&frames, count: 480)
        isAudible = mix.isAudible
        #expect(isAudible)
        for _ in 0..<49 {
            frames = [StereoFrame](repeating: .silence, count: 480)
            mix.finish(&frames, count: 480)
        }
        isAudible = mix.isAudible
        #expect(isAudible)
        for _ in 0..<3 {
            frames = [StereoFrame](repeating: .silence, count: 480)
            mix.finish(&frames, count: 480)
        }
        isAudible = mix.isAudible
        #expect(!isAudible)
    }

    @Test(arguments: [(100, Float(1)), (50, 0.125), (10, 0.001), (0, 0), (-5, 0), (180, 1)])
    func theTaperIsCubic(percent: Int, gain: Float) {
        #expect(abs(Volumes.gain(percent: percent) - gain) < 1e-6)
        #expect(Volumes(master: percent)[.master] == min(100, max(0, percent)))
    }
}
