/// One frame of both channels of the loudspeaker. In memory: left, right, and the next one.
package struct StereoFrame: BitwiseCopyable, Sendable, Equatable {
    package static let silence = StereoFrame(0)

    package var left: Float
    package var right: Float

    package init(left: Float, right: Float) {
        self.left = left
        self.right = right
    }

    /// The same on both: sound from the middle.
    package init(_ middle: Float) {
        self.init(left: middle, right: middle)
    }

    /// What a single loudspeaker plays of it, and what the echo canceller is told of it. The sample itself where both are
    /// the same.
    package var mean: Float { (left + right) * 0.5 }

    /// The larger magnitude of the two.
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
    /// The same memory as samples, two for each frame.
    var samples: UnsafePointer<Float> { UnsafeRawPointer(self).assumingMemoryBound(to: Float.self) }
}

extension UnsafeMutablePointer<StereoFrame> {
    /// The same memory as samples, two for each frame.
    var samples: UnsafeMutablePointer<Float> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: Float.self) }
}

/// A block of frames on the heap, allocated once, silent, freed with its owner.
struct FrameBuffer: ~Copyable {
    /// The first frame. Valid as long as the buffer lives; other instances never share it.
    let base: UnsafeMutablePointer<StereoFrame>
    /// How many frames it holds.
    let count: Int

    init(count: Int) {
        self.count = count
        base = .allocate(capacity: count)
        base.initialize(repeating: .silence, count: count)
    }

    deinit { base.deallocate() }
}
