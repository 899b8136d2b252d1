internal import Synchronization
package import VoiceBase

/// State and measurements of the audio thread (T1); anyone may read.
///
/// | field | writes |
/// |---|---|
/// | `state` | `AudioThread` before T1 runs, then T1 |
/// | `snapshot` | T1, at the end of each cycle |
@dynamicMemberLookup
package final class EngineGauges: Sendable {
    private let stateCode = Atomic<Int>(AudioState.starting.rawValue)
    private let published = Published(EngineSnapshot())

    package internal(set) var state: AudioState {
        get { AudioState(rawValue: stateCode.load(ordering: .acquiring)) ?? .stopped }
        set { stateCode.store(newValue.rawValue, ordering: .releasing) }
    }

    /// All of one cycle.
    package internal(set) var snapshot: EngineSnapshot {
        get { published.value }
        set { published.value = newValue }
    }

    /// Not for T1.
    package subscript<Member>(dynamicMember member: KeyPath<EngineSnapshot, Member>) -> Member {
        snapshot[keyPath: member]
    }
}

/// The values that the audio thread publishes once a cycle. An engine continues the counters of the one before it.
package struct EngineSnapshot: BitwiseCopyable, Sendable {
    package var counters = EngineCounters()
    package var levels = CaptureReading()
    package var echo = EchoStatus()
    /// Mean power of the newest period of the loudspeaker, in tenths of dBFS.
    package var outputLevel = LevelMeter.floor
    /// The longest cycle in microseconds, without the wait for the device.
    package var longestCycleMicroseconds = 0
    /// Frames between `write` and the loudspeaker, and between the microphone and `read`, at 48 kHz.
    package var playbackDelayFrames = 0
    package var captureDelayFrames = 0

    init() {}
}

/// Counters of the audio thread since the program started.
package struct EngineCounters: BitwiseCopyable, Sendable, Equatable {
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
