internal import CDSP
internal import VoiceBase

/// The only limiter, at the end of the mix: no output sample exceeds the ceiling. Both channels get the gain that the louder
/// one needs.
///
/// A look-ahead peak limiter after Hämäläinen, "Smoothing of the control signal without clipped output in digital peak
/// limiters" (DAFx 2002). The gain that each sample needs goes through a sliding minimum (Lemire 2006: a monotonic queue), a
/// hold of 10 ms, an exponential release of 80 ms and two moving averages of 64 samples; the sound is delayed by their
/// look-ahead. The mean of gains that are all small enough is small enough, so it never overshoots. Gains are integers (2^30
/// = 1): the running sums are exact and a gain of 1 is exactly 1.
///
/// Below the ceiling samples pass bit-exactly, `delay` frames later. Owned by the audio thread: allocates in `init` only.
struct Limiter: ~Copyable {
    /// Delay of the sound in frames: 2.6 ms.
    static let delay = 2 * (box - 1)

    private static let box = 64
    private static let shift: Int64 = 6
    private static let unity: Int64 = 1 << 30
    private static let block = AudioFormat.periodFrames
    private static let hold = 480
    /// 2^20 / (80 ms * 48 kHz).
    private static let release: Int64 = 273
    /// Room for `delay + 1` entries, a power of two.
    private static let places = 128

    private let ceiling: Float
    /// The last `delay` frames, followed by the current block.
    private let line = FrameBuffer(count: Self.delay + Self.block)

    // The monotonic queue: needed gains, rising from the oldest to the newest, and their times.
    private let needed: UnsafeMutablePointer<Int64>
    private let times: UnsafeMutablePointer<Int>
    private var head = 0
    private var tail = 0
    private var now = 0

    private let first: UnsafeMutablePointer<Int64>
    private let second: UnsafeMutablePointer<Int64>
    private var firstSum = Self.unity * Int64(Self.box)
    private var secondSum = Self.unity * Int64(Self.box)
    private var gain = Self.unity
    private var holding = 0
    /// Consecutive samples at a gain of 1 after the release, capped at `places`.
    private var settled = Self.places

    /// Whether any block of the last call was limited or the gain was still settling.
    private(set) var isActive = false

    /// - Parameter ceiling: largest output magnitude, linear, above 0.
    init(ceiling: Float) {
        self.ceiling = ceiling
        needed = .allocate(capacity: Self.places)
        needed.initialize(repeating: Self.unity, count: Self.places)
        times = .allocate(capacity: Self.places)
        times.initialize(repeating: 0, count: Self.places)
        first = .allocate(capacity: Self.box)
        first.initialize(repeating: Self.unity, count: Self.box)
        second = .allocate(capacity: Self.box)
        second.initialize(repeating: Self.unity, count: Self.box)
    }

    deinit {
        needed.deallocate()
        times.deallocate()
        first.deallocate()
        second.deallocate()
    }

    /// Limits in place. NaN becomes silence.
    mutating func process(_ frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        isActive = false
        var done = 0
        while done < count {
            let part = min(Self.block, count - done)
            processBlock(frames + done, count: part)
            done += part
        }
    }

    /// Forgets the delayed sound, as after a flush; the gain stays.
    mutating func reset() {
        line.base.update(repeating: .silence, count: Self.delay)
    }

    private mutating func processBlock(_ frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        let incoming = line.base + Self.delay
        incoming.update(from: frames, count: count)
        let isFinite = cdsp_rms(incoming.samples, 2 * count).isFinite
        if !isFinite { clean(incoming.samples, count: 2 * count) }
        if settled >= Self.places && isFinite && cdsp_peak(incoming.samples, 2 * count) <= ceiling {
            frames.update(from: line.base, count: count)
        } else {
            limit(frames, incoming, count: count)
            isActive = true
        }
        line.base.update(from: line.base + count, count: Self.delay)
    }

    private mutating func limit(
        _ output: UnsafeMutablePointer<StereoFrame>,
        _ incoming: UnsafeMutablePointer<StereoFrame>,
        count: Int
    ) {
        for index in 0..<count {
            let smooth = Float(nextGain(peak: incoming[index].peak))
            let frame = line.base[index]
            output[index] = StereoFrame(left: limit(frame.left, smooth), right: limit(frame.right, smooth))
        }
    }

    @inline(__always)
    private func limit(_ sample: Float, _ gain: Float) -> Float {
        // Rounding may exceed the ceiling by half a step.
        max(-ceiling, min(ceiling, sample * gain / Float(Self.unity)))
    }

    /// Returns the gain for the frame that came `delay` samples ago.
    private mutating func nextGain(peak: Float) -> Int64 {
        let wanted = peak > ceiling ? Int64(ceiling / peak * Float(Self.unity)) : Self.unity
        let least = slidingMinimum(wanted)
        if least <= gain {
            gain = least
            holding = Self.hold
        } else if holding > 0 {
            holding -= 1
        } else {
            gain = min(least, gain + (((Self.unity - gain) * Self.release) >> 20) + 1)
        }
        let place = now & (Self.box - 1)
        firstSum += gain - first[place]
        first[place] = gain
        let once = firstSum >> Self.shift
        secondSum += once - second[place]
        second[place] = once
        now += 1
        let result = secondSum >> Self.shift
        settled = gain == Self.unity ? min(Self.places, settled + 1) : 0
        if settled == Self.places { (head, tail) = (0, 0) }
        return result
    }

    private mutating func slidingMinimum(_ value: Int64) -> Int64 {
        let mask = Self.places - 1
        while tail > head && needed[(tail - 1) & mask] >= value { tail -= 1 }
        needed[tail & mask] = value
        times[tail & mask] = now
        tail += 1
        while times[head & mask] < now - Self.delay { head += 1 }
        return needed[head & mask]
    }

    private func clean(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            samples[index] = samples[index].isNaN ? 0 : max(-1000, min(1000, samples[index]))
        }
    }
}
