/// The newest frames written to the card, so that a cut can fade out from the frame it cuts at.
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

    /// Forgets the newest `count` frames and returns the last one that stays.
    mutating func dropNewest(_ count: Int) -> StereoFrame {
        end &-= count
        return frames[(end &- 1) & (Self.capacity - 1)]
    }
}
