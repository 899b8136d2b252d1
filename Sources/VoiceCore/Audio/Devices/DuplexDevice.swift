/// Outcome of a device operation.
package enum DeviceEvent: Sendable, Equatable {
    /// Completed.
    case done
    /// `AudioWaker` interrupted the wait.
    case interrupted
    /// The capture side had an xrun and runs again; frames are missing.
    case captureRestarted
    /// The playback side had an xrun and is empty; it restarts once `playbackPrefill` frames have been written.
    case playbackRestarted
    /// The microphone has gone or come back: frames are missing, and the delays have changed.
    case captureChanged
    /// The loudspeaker has gone or come back: like `playbackRestarted`, with changed delays.
    case playbackChanged
    /// The loudspeaker was given back for lack of sound, or has come back from that as it was: like `playbackRestarted`,
    /// without a loss.
    case playbackRested

    /// Whether the playback side is empty and needs a refill.
    var emptiedPlayback: Bool { self == .playbackRestarted || self == .playbackChanged || self == .playbackRested }
}

/// A microphone and a loudspeaker at 48 kHz in Float, full scale 1, in lockstep: the capture side is the clock. The
/// microphone is mono. The loudspeaker is written in stereo; a mono one plays the mean.
///
/// It never fails as a whole: silence at the right pace replaces a side that is away.
///
/// The engine is generic over it, so nothing in the cycle goes through an existential. All calls come from one thread.
package protocol DuplexDevice: ~Copyable {
    /// Frames to write before playback starts, initially and after each event that emptied it.
    var playbackPrefill: Int { get }

    /// Starts capture. Playback starts automatically with the last frame of the prefill.
    mutating func start()

    /// Periods that `read` waits for together, or fewer as the device's buffer allows: after such a wait, the next reads do not
    /// wait. 1: it waits for each.
    var together: Int { get set }

    /// Waits for the next `count` frames of the microphone.
    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent

    /// Whether the last period read came from a microphone; false if it was substituted silence.
    var isCaptureLive: Bool { get }

    /// Whether all samples of the last period read were equal as the microphone delivered them, before any filter: the
    /// microphone is muted by a key of its own, or broken.
    var isCaptureConstant: Bool { get }

    /// How the microphone is used; changes only with `captureChanged`.
    var capturePlan: CapturePlan { get }

    /// What the loudspeaker played during the last period read, if the microphone itself delivers it next to the voice;
    /// otherwise nil. Valid until the next `read`.
    var captureReference: UnsafePointer<Float>? { get }

    /// Whether the loudspeaker was given back for lack of sound, and is expected back: what is written now is not heard, so
    /// sound must wait.
    var isResting: Bool { get }

    /// Notes once a period whether there is sound to play, before it is written. Without any for a minute, the loudspeaker
    /// is given back, with `playbackRested`, if that is wanted; sound brings it back.
    mutating func expect(sound: Bool) -> DeviceEvent

    /// Queues frames for the loudspeaker without waiting; `written` receives the number accepted.
    mutating func write(_ frames: UnsafePointer<StereoFrame>, count: Int, written: inout Int) -> DeviceEvent

    /// Returns the frames written and not yet heard (>= 0), and the frames captured and not yet read (>= 0).
    mutating func delays() -> (playback: Int, capture: Int)

    /// Returns the part of `delays` that lies in the buffers between here and a sound server; nil without a server. It is
    /// exact, while the delays of a server are estimates.
    func buffered(of delays: (playback: Int, capture: Int)) -> (playback: Int, capture: Int)?

    /// Whether a sound server is behind the loudspeaker: its buffered frames enter the delay only some time after a start.
    var settlesSlowly: Bool { get }

    /// Makes the loudspeaker follow the microphone's clock: from now on `step` written frames last as long as one frame of the
    /// loudspeaker. 1 if the clocks agree; clamped to within 500 ppm of 1. Ignored by a device with a single clock.
    mutating func follow(_ step: Double)

    /// Takes back as many frames as possible that were written and not heard, newest first. The caller writes others in their
    /// place, so that the stream continues without a gap.
    mutating func flushPlayback() -> PlaybackFlush

    /// Stops and closes; no other call may follow.
    mutating func close()
}

/// Result of a flush, in frames.
package struct PlaybackFlush: Sendable, Equatable {
    /// The newest frames, which were taken back; everything written before them is heard.
    var removed: Int
    /// Frames to write in their place. Equal to `removed` if the delay is to stay as it was. Different for a sound server,
    /// which starts again and needs an initial fill, and if the microphone has advanced meanwhile.
    var replaced: Int

    static let nothing = PlaybackFlush(0)

    init(removed: Int, replaced: Int) {
        self.removed = removed
        self.replaced = replaced
    }

    /// For a device that continues immediately.
    init(_ count: Int) { self.init(removed: count, replaced: count) }
}

extension DuplexDevice where Self: ~Copyable {
    package var together: Int {
        get { 1 }
        set {}
    }
    package var isResting: Bool { false }
    package mutating func expect(sound: Bool) -> DeviceEvent { .done }
    package var settlesSlowly: Bool { false }
    package func buffered(of delays: (playback: Int, capture: Int)) -> (playback: Int, capture: Int)? { nil }
    mutating func follow(_ step: Double) {}
    package var isCaptureConstant: Bool { false }
    package var capturePlan: CapturePlan { CapturePlan() }
    package var captureReference: UnsafePointer<Float>? { nil }
}
