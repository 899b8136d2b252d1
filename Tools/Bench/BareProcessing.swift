import CLinux
internal import Glibc
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSimulator

/// Echo canceller and resamplers alone: the part of the daemon's work that cannot be avoided.
enum BareProcessing {
    /// Thread CPU time per period of 10 ms, in us.
    ///
    /// - Parameter isPaced: whether to sleep until the next period, as the daemon does, instead of running the periods
    ///   back to back. Caches are then as cold as in the daemon.
    static func microseconds(periods: Int, isPaced: Bool) throws -> Double {
        var options = AudioConfiguration(Configuration().audio, echo: Configuration().echo).echoCanceller
        options.voiceDetection = false
        var path = try CapturePath(options: options)
        var upsampler = VoiceUpsampler()
        let frames = AudioFormat.periodFrames
        let signal = Signal()
        var clean = [Int16](repeating: 0, count: AudioFormat.wirePeriodSamples)
        var output = [Float](repeating: 0, count: frames)
        var next = clinux_monotonic_ns()
        let began = threadNanoseconds()
        for period in 0..<periods {
            if isPaced {
                next += 10_000_000
                clinux_sleep_until_ns(next)
            }
            let place = period % signal.periods
            signal.voice.withUnsafeBufferPointer { voice in
                guard let base = voice.baseAddress else { return }
                upsampler.process(base + place * AudioFormat.wirePeriodSamples, count: clean.count, into: &output)
            }
            signal.microphone.withUnsafeBufferPointer { microphone in
                guard let base = microphone.baseAddress else { return }
                path.process(
                    microphone: base + place * frames, reference: output, streamDelayMilliseconds: 0, into: &clean
                )
            }
        }
        return Double(threadNanoseconds() - began) / 1e3 / Double(periods)
    }

    private static func threadNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Speech, and a microphone that hears it 30 ms later and 25 dB below.
    private struct Signal {
        let voice: [Int16]
        let microphone: [Float]
        let periods: Int

        init() {
            let spoken = SpokenVoice.tones.samples(SpeakingModel.words(seconds: 5))
            periods = spoken.count / AudioFormat.wirePeriodSamples
            voice = spoken
            microphone = (0..<periods * AudioFormat.periodFrames).map { index in
                Float(spoken[max(0, index - 1440) / 2]) / 32768 * 0.056
            }
        }
    }
}
