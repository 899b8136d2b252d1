/// Maps frames of the loudspeaker to voice positions.
///
/// Playback is a stream of frames in which stretches of voice and silence alternate. Each stretch of voice that may not have
/// been heard yet is one entry. The frame now at the loudspeaker then gives the voice position, across silence too.
struct PositionMap: ~Copyable {
    private struct Stretch {
        var frame: UInt64
        var frames: UInt64
        var voice: UInt64
        var samples: UInt64
        var endFrame: UInt64 { frame + frames }
        var endVoice: UInt64 { voice + samples }
    }

    private static let capacity = 64
    private let stretches: UnsafeMutablePointer<Stretch>
    private var first = 0
    private var count = 0
    /// Voice position at the end of everything retired.
    private var retired: UInt64 = 0

    init() {
        stretches = .allocate(capacity: Self.capacity)
        stretches.initialize(repeating: Stretch(frame: 0, frames: 0, voice: 0, samples: 0), count: Self.capacity)
    }

    deinit { stretches.deallocate() }

    private func slot(_ index: Int) -> Int { (first + index) & (Self.capacity - 1) }

    /// Whether voice is on its way to the loudspeaker, as of the last `heard`.
    var isPending: Bool { count > 0 }

    /// Records that `samples` of voice starting at position `voice` are played in `frames` frames starting at `frame`.
    mutating func append(frame: UInt64, frames: Int, voice: UInt64, samples: Int) {
        if count > 0 {
            let last = slot(count - 1)
            if stretches[last].endFrame == frame && stretches[last].endVoice == voice
                && stretches[last].frames == stretches[last].samples * 2 && frames == samples * 2
            {
                stretches[last].frames += UInt64(frames)
                stretches[last].samples += UInt64(samples)
                return
            }
        }
        if count == Self.capacity { retire() }
        stretches[slot(count)] = Stretch(frame: frame, frames: UInt64(frames), voice: voice, samples: UInt64(samples))
        count += 1
    }

    /// Returns the voice position at the loudspeaker when frame `frame` is the next to be heard.
    mutating func heard(at frame: UInt64) -> UInt64 {
        while count > 0 && stretches[first].endFrame <= frame { retire() }
        guard count > 0, stretches[first].frame < frame else { return retired }
        let stretch = stretches[first]
        return max(retired, stretch.voice + min((frame - stretch.frame) / 2, stretch.samples))
    }

    /// Forgets the frames from `frame` on, which will not be played; returns the voice position heard just before. From
    /// `frame` on, the position is `resume`.
    mutating func cut(at frame: UInt64, resume: UInt64) -> UInt64 {
        while count > 0 && stretches[slot(count - 1)].frame >= frame { count -= 1 }
        var end = retired
        if count > 0 {
            let last = slot(count - 1)
            if stretches[last].endFrame > frame {
                let frames = frame - stretches[last].frame
                stretches[last].samples = min(stretches[last].samples, frames / 2)
                stretches[last].frames = frames
            }
            end = max(retired, stretches[last].endVoice)
        }
        if resume > end { append(frame: frame, frames: 0, voice: resume, samples: 0) }
        return end
    }

    private mutating func retire() {
        retired = max(retired, stretches[first].endVoice)
        first = slot(1)
        count -= 1
    }
}

/// The newest frames written to the card, so that a cut can fade out from its last frame.
struct PlayedHistory: ~Copyable {
    static let capacity = 16_384
    private let frames: UnsafeMutablePointer<StereoFrame>
    private var end = 0

    init() {
        frames = .allocate(capacity: Self.capacity)
        frames.initialize(repeating: .silence, count: Self.capacity)
    }

    deinit { frames.deallocate() }

    mutating func append(_ new: UnsafePointer<StereoFrame>, count: Int) {
        for index in 0..<count { frames[(end &+ index) & (Self.capacity - 1)] = new[index] }
        end &+= count
    }

    /// Forgets the newest `count` frames and returns the last one that remains.
    mutating func dropNewest(_ count: Int) -> StereoFrame {
        end &-= count
        return frames[(end &- 1) & (Self.capacity - 1)]
    }
}
