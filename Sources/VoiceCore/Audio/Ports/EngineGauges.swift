internal import Synchronization
package import VoiceBase

/// State of the audio thread (T1). T1 publishes all of it in one place, at the end of each cycle; anyone may read.
///
/// | field | writes |
/// |---|---|
/// | `state` | `AudioThread` before T1 runs, then T1 |
/// | all others | T1, with `publish` |
///
/// Values read together may come from two cycles.
package final class EngineGauges: Sendable {
    private let stateCode = Atomic<Int>(AudioState.starting.rawValue)
    private let cycles = Atomic<UInt64>(0)
    private let captureXruns = Atomic<UInt64>(0)
    private let playbackXruns = Atomic<UInt64>(0)
    private let slips = Atomic<UInt64>(0)
    private let lostPeriods = Atomic<UInt64>(0)
    private let overruns = Atomic<UInt64>(0)
    private let underruns = Atomic<UInt64>(0)
    private let longestCycle = Atomic<Int>(0)
    private let playbackDelay = Atomic<Int>(0)
    private let captureDelay = Atomic<Int>(0)
    private let peak = Atomic<Int>(LevelMeter.floor)
    private let level = Atomic<Int>(LevelMeter.floor)
    private let heldPeak = Atomic<Int>(LevelMeter.floor)
    private let clips = Atomic<Bool>(false)
    private let output = Atomic<Int>(LevelMeter.floor)
    private let clippedPeriods = Atomic<UInt64>(0)
    private let clippedWhilePlaying = Atomic<UInt64>(0)

    package init() {}

    package internal(set) var state: AudioState {
        get { AudioState(rawValue: stateCode.load(ordering: .acquiring)) ?? .stopped }
        set { stateCode.store(newValue.rawValue, ordering: .releasing) }
    }

    package var counters: EngineCounters {
        var counters = EngineCounters()
        counters.cycles = cycles.load(ordering: .acquiring)
        counters.captureXruns = captureXruns.load(ordering: .relaxed)
        counters.playbackXruns = playbackXruns.load(ordering: .relaxed)
        counters.slips = slips.load(ordering: .relaxed)
        counters.lostPeriods = lostPeriods.load(ordering: .relaxed)
        counters.microphoneOverruns = overruns.load(ordering: .relaxed)
        counters.voiceUnderruns = underruns.load(ordering: .relaxed)
        return counters
    }

    package var levels: CaptureReading {
        var levels = CaptureReading()
        levels.peak = peak.load(ordering: .relaxed)
        levels.level = level.load(ordering: .relaxed)
        levels.heldPeak = heldPeak.load(ordering: .relaxed)
        levels.isClipping = clips.load(ordering: .relaxed)
        levels.clippedPeriods = clippedPeriods.load(ordering: .relaxed)
        levels.clippedWhilePlaying = clippedWhilePlaying.load(ordering: .relaxed)
        return levels
    }

    /// Mean power of the newest period of the loudspeaker, in tenths of dBFS.
    package var outputLevel: Int { output.load(ordering: .relaxed) }

    /// The longest cycle in microseconds, without the wait for the device.
    package var longestCycleMicroseconds: Int { longestCycle.load(ordering: .relaxed) }

    /// Frames between `write` and the loudspeaker, and between the microphone and `read`, at 48 kHz.
    package var playbackDelayFrames: Int { playbackDelay.load(ordering: .relaxed) }
    package var captureDelayFrames: Int { captureDelay.load(ordering: .relaxed) }

    // MARK: T1

    func publish(outputLevel: Int) { output.store(outputLevel, ordering: .relaxed) }

    /// - Parameters:
    ///   - delay: of the devices, in frames at 48 kHz.
    ///   - longest: the longest cycle so far, in microseconds.
    func publish(
        _ counters: EngineCounters,
        levels: CaptureReading,
        delay: (playback: Int, capture: Int),
        longest: Int
    ) {
        captureXruns.store(counters.captureXruns, ordering: .relaxed)
        playbackXruns.store(counters.playbackXruns, ordering: .relaxed)
        slips.store(counters.slips, ordering: .relaxed)
        lostPeriods.store(counters.lostPeriods, ordering: .relaxed)
        overruns.store(counters.microphoneOverruns, ordering: .relaxed)
        underruns.store(counters.voiceUnderruns, ordering: .relaxed)
        longestCycle.store(longest, ordering: .relaxed)
        playbackDelay.store(delay.playback, ordering: .relaxed)
        captureDelay.store(delay.capture, ordering: .relaxed)
        peak.store(levels.peak, ordering: .relaxed)
        level.store(levels.level, ordering: .relaxed)
        heldPeak.store(levels.heldPeak, ordering: .relaxed)
        clips.store(levels.isClipping, ordering: .relaxed)
        clippedPeriods.store(levels.clippedPeriods, ordering: .relaxed)
        clippedWhilePlaying.store(levels.clippedWhilePlaying, ordering: .relaxed)
        cycles.store(counters.cycles, ordering: .releasing)
    }
}

/// Counters of the audio thread since the program started.
package struct EngineCounters: Sendable, Equatable {
    /// Completed cycles, including those with substituted silence.
    package var cycles: UInt64 = 0
    package var captureXruns: UInt64 = 0
    package var playbackXruns: UInt64 = 0
    /// Cycles that wrote no period, or two, because the clocks of two cards drift apart. No sound is lost: its latency
    /// shrinks or grows by 10 ms.
    package var slips: UInt64 = 0
    /// Periods for which the loudspeaker's buffer had no room, in whole or in part: they are missing in the output.
    package var lostPeriods: UInt64 = 0
    /// Periods that found the microphone ring full.
    package var microphoneOverruns: UInt64 = 0
    /// How often the voice ring ran dry in the middle of speech or at its end.
    package var voiceUnderruns: UInt64 = 0
}
