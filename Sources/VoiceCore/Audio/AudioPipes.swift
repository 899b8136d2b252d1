package import Synchronization
package import VoiceBase

/// Everything the audio thread (T1) shares with the rest of the program.
///
///     T1 --microphone--> T2        T1: owns the card, 10 ms cycles, never waits for anyone
///     T1 <----voice----- T2        T2: the network thread; "session" below is whoever decides
///
/// All fields are `let` rings and atomics: no lock, no reference counting in the cycle. A position in `voice` ("voice
/// position") counts 24 kHz samples since the start of the program and so names an instant of what is said.
package final class AudioPipes: Sendable {
    // MARK: Samples

    /// Cleaned microphone, 24 kHz. T1 writes 240 samples a period, T2 reads. About 10.9 s, most of it for
    /// what is said while a session is being opened; full: the newest period is dropped.
    package let microphone = SampleRing<Int16>(capacity: 262_144, filling: 0)
    /// Speech to play, 24 kHz. T2 writes, T1 reads 240 samples a period. About 0.7 s; full: T2 keeps the rest.
    package let voice = SampleRing<Int16>(capacity: 16_384, filling: 0)

    /// Cleaned microphone for whoever listens for words on this machine, 24 kHz, while `isSpotting`. T1 writes. About
    /// 2.7 s; full: the newest is dropped.
    package let spotting = SampleRing<Int16>(capacity: 65_536, filling: 0)
    package let isSpotting = Atomic<Bool>(false)
    /// Music, radio and podcasts on their way to T1, and how they give way to speech.
    package let media = MediaFeed()

    // MARK: Flush (barge-in)

    /// T2 writes voice position P, normally `voice.writePosition`, before it writes newer voice: all voice before P is
    /// dropped at T1's next cycle, from the ring and from the card. Grows only.
    package let flushRequest = Atomic<UInt64>(0)
    /// T1 writes: the voice position up to which the cut voice was or will be heard. Valid once `flushDone` reaches P.
    package let flushHeard = Atomic<UInt64>(0)
    /// T1 writes P (releasing) when the flush up to P is done.
    package let flushDone = Atomic<UInt64>(0)

    // MARK: Positions and time, written by T1 every period

    /// Voice samples taken from the ring (skipped ones included).
    package let voiceConsumed = Atomic<UInt64>(0)
    /// The voice position now at the loudspeaker. Never falls; equals the write position once all has been played. After
    /// a flush up to P it goes to P as soon as the kept rest has been heard.
    package let voiceHeard = Atomic<UInt64>(0)
    /// CLOCK_MONOTONIC at which sample 0 of the microphone ring would have been captured: sample p was captured at
    /// this + p * 1e9 / 24000, not counting the delay of the filters (below 10 ms). Moves when periods are lost.
    package let microphoneOriginNanoseconds = Atomic<UInt64>(0)
    /// CLOCK_MONOTONIC when the newest period had been read, and when the newest had been written to the card.
    package let lastCaptureNanoseconds = Atomic<UInt64>(0)
    package let lastWriteNanoseconds = Atomic<UInt64>(0)
    /// Frames between `write` and the loudspeaker, and between the microphone and `read`, at 48 kHz.
    package let playbackDelayFrames = Atomic<Int>(0)
    package let captureDelayFrames = Atomic<Int>(0)

    // MARK: Requests, written by the session, taken by T1

    /// `Earcon.rawValue` to play once, 0 when taken.
    package let earconRequest = Atomic<Int>(0)
    /// true: fade out the earcon that plays, unless it tells that an order was taken; T1 resets it.
    package let earconCancel = Atomic<Bool>(false)
    /// true: no earcon is played; nobody but `play` asks.
    package let earconsAreOff = Atomic<Bool>(false)
    /// true: silence goes upstream in place of the microphone, with the same timing.
    package let microphoneMuted = Atomic<Bool>(false)
    /// See `StopRequest`. Only grows.
    package let stopRequest = Atomic<Int>(0)

    /// Volumes and capture gain, for the next period on.
    package let volumes = VolumeControls()

    // MARK: Counters and levels, written by T1

    /// Cycles since the start, with a device or without.
    package let periods = Atomic<UInt64>(0)
    /// Periods that found the microphone ring full.
    package let microphoneOverruns = Atomic<UInt64>(0)
    package let captureXruns = Atomic<UInt64>(0)
    package let playbackXruns = Atomic<UInt64>(0)
    /// Periods left out or played in addition because two cards' clocks drift apart.
    package let slips = Atomic<UInt64>(0)
    /// Times the voice ring ran dry in the middle of speech or at its end.
    package let voiceUnderruns = Atomic<UInt64>(0)
    /// Longest and latest cycle without the waiting for the device, in microseconds.
    package let cycleMaxMicroseconds = Atomic<Int>(0)
    package let cycleMicroseconds = Atomic<Int>(0)
    /// Level of the raw microphone in the newest period, in tenths of dBFS: -960 (digital silence) ... 0.
    package let microphonePeak = Atomic<Int>(-960)
    package let microphoneLevel = Atomic<Int>(-960)
    /// The peak with a memory, for a display: stays 1.5 s, then falls by 20 dB a second. Tenths of dBFS.
    package let microphonePeakHold = Atomic<Int>(-960)
    /// Periods with samples of the microphone at full scale, and how many of them while the loudspeaker played.
    package let clippedPeriods = Atomic<UInt64>(0)
    package let clippedWhilePlaying = Atomic<UInt64>(0)
    /// Whether the microphone clips again and again.
    package let microphoneClips = Atomic<Bool>(false)
    /// What the automatic gain adds to the cleaned microphone, in tenths of dB.
    package let automaticGain = Atomic<Int>(0)
    /// Periods in which the limiter turned the output down.
    package let limitedPeriods = Atomic<UInt64>(0)

    // MARK: Devices

    /// The microphone and the loudspeaker: how they fare, and the streams on their way to T1 and back.
    package let capture = AudioSide()
    package let playback = AudioSide()

    // MARK: Alignment of the echo canceller's reference

    /// Both signals to whoever looks for the echo, and back what was found.
    package let alignment = AlignmentFeed()
    /// From writing a frame to its echo at the microphone, in tenths of a millisecond. T1 writes, every period.
    package let echoDelayTenths = Atomic<Int>(0)
    /// Whether that is known from the echo itself, not from the card's delays alone. T1 writes, every period.
    package let echoIsAligned = Atomic<Bool>(false)
    /// Times the reference was aligned anew for any reason, and times because the echo was found more than 4 ms away from
    /// where it was taken to be. T1 writes.
    package let echoAlignments = Atomic<UInt64>(0)
    package let echoJumps = Atomic<UInt64>(0)
    /// By how much the loudspeaker's clock is faster than the microphone's, in tenths of ppm. Whoever runs
    /// `AlignmentStage` writes.
    package let echoDriftTenths = Atomic<Int>(0)

    // MARK: Echo

    /// The echo path of before on its way to T1, and the one of now on its way to who keeps it.
    package let echoPath = EchoPathExchange()
    /// Duplex mode, quality of the echo canceller, what the gate did; see `EchoStatus`.
    package let echo = EchoGauges()
    /// Period by period, while `echo.isTraced`; what finds no room is left out. T1 writes, `EchoTest` reads.
    package let echoPeriods = SampleRing<EchoPeriod>(capacity: 1024, filling: EchoPeriod())

    private let stateCode = Atomic<Int>(AudioState.starting.rawValue)

    package init() {}

    /// Written by T1; anyone may poll it.
    package var state: AudioState {
        AudioState(rawValue: stateCode.load(ordering: .acquiring)) ?? .stopped
    }

    func publish(_ state: AudioState) {
        stateCode.store(state.rawValue, ordering: .releasing)
    }

    /// Drops all voice written so far; returns P, to be compared with `flushDone`. For the thread that writes `voice`: it
    /// must not write old voice after this. If nothing is newer than the last flush, that one's `flushHeard` stands.
    @discardableResult
    package func requestFlush() -> UInt64 {
        let position = voice.writePosition
        if position > flushRequest.load(ordering: .relaxed) { flushRequest.store(position, ordering: .releasing) }
        return position
    }

    /// Plays an earcon once, unless quiet hours want none. A request that T1 has not taken yet is replaced.
    package func play(_ earcon: Earcon) {
        guard !earconsAreOff.load(ordering: .acquiring) else { return }
        earconRequest.store(earcon.rawValue, ordering: .releasing)
    }
}

/// How the audio thread is asked to end.
enum StopRequest {
    static let none = 0
    /// After everything in the voice ring has been heard.
    static let afterVoice = 1
    static let atOnce = 2
}
