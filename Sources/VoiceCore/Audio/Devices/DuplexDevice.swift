/// What became of an operation of a device.
package enum DeviceEvent: Sendable, Equatable {
    /// It was done.
    case done
    /// `requestStop` interrupted the wait.
    case interrupted
    /// The capture side had an xrun and runs again; frames are missing.
    case captureRestarted
    /// The playback side had an xrun and is empty: it starts again once `playbackPrefill` frames have been written.
    case playbackRestarted
    /// The microphone has gone, or come back: frames are missing, and delays are others from now on.
    case captureChanged
    /// The loudspeaker has gone, or come back: like `playbackRestarted`, with other delays from now on.
    case playbackChanged

    /// The playback side is empty and wants to be filled.
    var emptiedPlayback: Bool { self == .playbackRestarted || self == .playbackChanged }
}

/// A microphone and a loudspeaker at 48 kHz in Float, full scale 1, in lockstep: the capture side is the clock. The microphone
/// is mono, the loudspeaker is written in stereo; one that is mono plays the mean.
///
/// It never fails as a whole: while one side is away, the device stands in for it with silence at the right pace.
///
/// The engine is generic over it, so nothing in the cycle goes through an existential. All calls come from one thread.
package protocol DuplexDevice: ~Copyable {
    /// Frames to write before playback starts, at the start and after each event that emptied it.
    var playbackPrefill: Int { get }

    /// Starts capture. Playback starts by itself with the last frame of the prefill.
    mutating func start()

    /// Waits for the next `count` frames of the microphone.
    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent

    /// Whether the period read last came from a microphone; false where silence stood in for one.
    var isCaptureLive: Bool { get }

    /// Whether all samples of the period read last were the same as the microphone delivered them: muted by a key of its own, or
    /// broken. What the period holds may have been filtered since.
    var isCaptureConstant: Bool { get }

    /// How the microphone is listened to; may change with `captureChanged` alone.
    var capturePlan: CapturePlan { get }

    /// What the loudspeaker played during the period read last, as the microphone itself delivers it beside the voice; nil where
    /// it does not. Valid until the next `read`.
    var captureReference: UnsafePointer<Float>? { get }

    /// Queues frames for the loudspeaker without waiting; `written` receives how many were taken.
    mutating func write(_ frames: UnsafePointer<StereoFrame>, count: Int, written: inout Int) -> DeviceEvent

    /// Frames written and not heard yet (>= 0), and frames captured and not read yet (>= 0).
    mutating func delays() -> (playback: Int, capture: Int)

    /// Whether a sound server is behind the loudspeaker: what it holds is in the delay only some time after a start.
    var settlesSlowly: Bool { get }

    /// Lets the loudspeaker follow the microphone's clock: from now on `step` frames that are written last as long as one of
    /// its own. 1 where the clocks agree; held within 500 ppm of it. A device of one clock ignores it.
    mutating func follow(_ step: Double)

    /// Takes back as much as possible of what was written and not heard, the newest first. The caller then writes others in
    /// their place, so that the stream goes on without a gap.
    mutating func flushPlayback() -> PlaybackFlush

    /// Stops and closes; nothing else is called afterwards.
    mutating func close()
}

/// What a flush has taken back, in frames.
package struct PlaybackFlush: Sendable, Equatable {
    /// The newest ones; what was written before them is heard.
    var removed: Int
    /// How many frames are to be written in their place. As many as were removed, for the delay to be what it was; others at a
    /// sound server, which begins anew and needs some to begin with, and where the microphone has gone on meanwhile.
    var replaced: Int

    static let nothing = PlaybackFlush(0)

    init(removed: Int, replaced: Int) {
        self.removed = removed
        self.replaced = replaced
    }

    /// On a device that goes on at once.
    init(_ count: Int) { self.init(removed: count, replaced: count) }
}

extension DuplexDevice where Self: ~Copyable {
    package var settlesSlowly: Bool { false }
    mutating func follow(_ step: Double) {}
    package var isCaptureConstant: Bool { false }
    package var capturePlan: CapturePlan { CapturePlan() }
    package var captureReference: UnsafePointer<Float>? { nil }
}
