/// Frames on their way to a loudspeaker that does not exist: the buffer of a simulated card.
struct PlaybackQueue: ~Copyable {
    private static let capacity = 16_384
    private let frames: UnsafeMutablePointer<StereoFrame>
    private var start = 0
    private(set) var count = 0
    let limit: Int

    /// - Parameter limit: frames that fit.
    init(limit: Int) {
        self.limit = min(limit, Self.capacity)
        frames = .allocate(capacity: Self.capacity)
        frames.initialize(repeating: .silence, count: Self.capacity)
    }

    deinit { frames.deallocate() }

    /// Appends as many frames as fit and returns their number.
    mutating func push(_ new: UnsafePointer<StereoFrame>, count wanted: Int) -> Int {
        let taken = min(wanted, limit - count)
        for index in 0..<max(0, taken) { frames[(start + count + index) & (Self.capacity - 1)] = new[index] }
        count += max(0, taken)
        return max(0, taken)
    }

    /// Takes up to `wanted` frames; returns how many there were. The rest of `into` becomes silence.
    mutating func pop(into played: UnsafeMutablePointer<StereoFrame>, count wanted: Int) -> Int {
        let taken = min(wanted, count)
        for index in 0..<taken { played[index] = frames[(start + index) & (Self.capacity - 1)] }
        for index in taken..<max(taken, wanted) { played[index] = .silence }
        start = (start + taken) & (Self.capacity - 1)
        count -= taken
        return taken
    }

    /// Takes back the newest frames beyond `kept`; returns how many.
    mutating func dropNewest(keeping kept: Int) -> Int {
        let removed = max(0, count - kept)
        count -= removed
        return removed
    }
}
