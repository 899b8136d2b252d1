/// One frame of both loudspeaker channels. In memory: left, right, then the next frame.
package struct StereoFrame: BitwiseCopyable, Sendable, Equatable {
    package static let silence = StereoFrame(0)

    package var left: Float
    package var right: Float

    package init(left: Float, right: Float) {
        self.left = left
        self.right = right
    }

    /// The same sample on both channels: sound from the middle.
    package init(_ middle: Float) {
        self.init(left: middle, right: middle)
    }

    /// Mono mix: what a single loudspeaker plays and what the echo canceller gets as its reference. Equal channels pass
    /// unchanged.
    package var mean: Float { (left + right) * 0.5 }

    /// The larger of both magnitudes.
    var peak: Float { max(abs(left), abs(right)) }

    static func *= (frame: inout StereoFrame, gain: Float) {
        frame.left *= gain
        frame.right *= gain
    }

    static func += (frame: inout StereoFrame, middle: Float) {
        frame.left += middle
        frame.right += middle
    }
}

extension UnsafePointer<StereoFrame> {
    /// The same memory as samples, two per frame.
    var samples: UnsafePointer<Float> { UnsafeRawPointer(self).assumingMemoryBound(to: Float.self) }
}

extension UnsafeMutablePointer<StereoFrame> {
    /// The same memory as samples, two per frame.
    var samples: UnsafeMutablePointer<Float> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: Float.self) }
}

/// A heap block of frames, allocated once, silent, and freed with its owner.
struct FrameBuffer: ~Copyable {
    /// The first frame. Valid as long as the buffer lives; never shared with another instance.
    let base: UnsafeMutablePointer<StereoFrame>
    /// Capacity in frames.
    let count: Int

    init(count: Int) {
        self.count = count
        base = .allocate(capacity: count)
        base.initialize(repeating: .silence, count: count)
    }

    deinit { base.deallocate() }
}
