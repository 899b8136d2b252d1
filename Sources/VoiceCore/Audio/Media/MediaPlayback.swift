internal import CDSP
internal import Synchronization
internal import VoiceBase

/// The audio thread's part of the media player: from ring to mixer, with fades, ducking and volume.
///
/// Pause, resume, skip and stop fade for 10 ms. After an underrun it waits for half a second of sound, unless the decoder
/// reports the end. Allocates in `init` only.
struct MediaPlayback: ~Copyable {
    /// Fade per frame: 10 ms at 48 kHz.
    private static let fade: Float = 1 / 480
    /// Frames to collect before playback begins: 0.5 s.
    private static let prebuffer = 24_000

    private let feed: MediaFeed
    private let buffer = FrameBuffer(count: AudioFormat.periodFrames)
    private var duck = DuckControl()
    private var isPrimed = false
    private var flushed: UInt64
    /// State of the fade, 0 ... 1.
    private var fader: Float = 0
    /// The last frame, which decays to silence if no other follows.
    private var tail = StereoFrame.silence
    /// Whether the last period held media.
    private(set) var isSounding = false

    init(_ feed: MediaFeed) {
        self.feed = feed
        flushed = feed.flushDone.load(ordering: .acquiring)
    }

    /// Whether the next period holds media.
    var hasSound: Bool {
        if isSounding { return true }
        let available = feed.ring.availableToRead
        guard available > 0, flushed >= feed.flushRequest, !feed.isPaused.load(ordering: .acquiring) else {
            return false
        }
        return isPrimed || available >= Self.prebuffer || feed.isComplete.load(ordering: .acquiring)
    }

    /// Takes the place of `mix` while nothing can be played.
    mutating func rest() {
        let flush = feed.flushRequest
        if flush > flushed { finish(flush) }
    }

    /// Adds a period of media to `output`.
    /// - Parameters:
    ///   - isVoice: whether the period holds voice.
    ///   - isSilenced: whether media must not sound: it fades as for a pause.
    ///   - now: CLOCK_MONOTONIC in nanoseconds.
    mutating func mix(
        into output: UnsafeMutablePointer<StereoFrame>,
        count: Int,
        isVoice: Bool,
        isSilenced: Bool = false,
        now: UInt64,
        volumes: inout OutputMix
    ) {
        let level = feed.level(isVoice: duck.isVoice(isVoice), at: now)
        duck.aim(at: level, release: MediaFeed.releaseFrames)
        let taken = fill(count, isSilenced: isSilenced)
        if !taken { buffer.base.update(repeating: .silence, count: count) }
        duck.apply(to: buffer.base, count: count)
        isSounding = taken
        guard taken else { return }
        volumes.scaleMedia(buffer.base, count: count, isInput: feed.isInput.load(ordering: .relaxed))
        cdsp_add_scaled(buffer.base.samples, 1, output.samples, 2 * count)
    }

    /// Fills the buffer; returns false if all of it is silence.
    private mutating func fill(_ count: Int, isSilenced: Bool) -> Bool {
        let flush = feed.flushRequest
        let isFlushing = flush > flushed
        if !isPrimed {
            let available = feed.ring.availableToRead
            isPrimed = available >= Self.prebuffer || available > 0 && feed.isComplete.load(ordering: .acquiring)
        }
        let wants = isPrimed && !isFlushing && !isSilenced && !feed.isPaused.load(ordering: .acquiring)
        guard wants || fader > 0 || tail != .silence else {
            if isFlushing { finish(flush) }
            return false
        }
        let isFading = !wants && fader == 0
        let frames = isFading ? 0 : feed.ring.read(into: buffer.base, count: count)
        for index in 0..<frames {
            fader = wants ? min(1, fader + Self.fade) : max(0, fader - Self.fade)
            buffer.base[index] *= fader
        }
        if frames > 0 { tail = buffer.base[frames - 1] }
        if frames < count {
            if isPrimed, !isFading, !feed.isComplete.load(ordering: .acquiring) {
                feed.underruns.wrappingAdd(1, ordering: .relaxed)
            }
            decay(from: frames, to: count)
            fader = 0
            isPrimed = false
        }
        if isFlushing, fader == 0 { finish(flush) }
        return true
    }

    /// Decays from the last frame by 60 dB within 5 ms.
    private mutating func decay(from start: Int, to end: Int) {
        for index in start..<end {
            tail *= 0.97
            if tail.peak < 1e-5 { tail = .silence }
            buffer.base[index] = tail
        }
    }

    private mutating func finish(_ flush: UInt64) {
        feed.ring.skip(to: flush)
        flushed = flush
        isPrimed = false
        tail = .silence
        feed.flushDone.store(flush, ordering: .releasing)
    }
}
