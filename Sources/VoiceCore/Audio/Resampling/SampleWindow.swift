/// The newest samples of one or two channels, each contiguous, with a past to go back to.
///
/// Indices count from the front of the window; samples move towards the front when the window is full. Allocates in `init`
/// only.
struct SampleWindow: ~Copyable {
    private let samples: SampleBuffer
    private let channels: Int
    private let capacity: Int
    /// Least number of past samples kept.
    let past: Int
    /// Index after the newest sample.
    private(set) var end: Int

    /// - Parameters:
    ///   - past: samples to keep, silent at first.
    ///   - block: most samples appended in one call.
    init(channels: Int, past: Int, block: Int) {
        self.channels = channels
        self.past = past
        // Room to replace the whole past before it has to be moved.
        capacity = 2 * past + block
        samples = SampleBuffer(count: channels * capacity)
        end = past
    }

    /// Returns the samples of a channel; indices 0 ..< `end` are valid.
    func channel(_ index: Int) -> UnsafeMutablePointer<Float> { samples.base + index * capacity }

    /// Makes room for `count` samples and returns how far everything moved towards the front.
    mutating func makeRoom(_ count: Int) -> Int {
        guard end + count > capacity else { return 0 }
        let moved = end - past
        for index in 0..<channels { channel(index).update(from: channel(index) + moved, count: past) }
        end = past
        return moved
    }

    /// Notes that `count` samples were written at `end`.
    mutating func advance(_ count: Int) { end += count }

    /// Forgets everything from `place` on. `place` must still be in the window.
    mutating func truncate(to place: Int) { end = min(end, max(0, place)) }

    /// Replaces the past with silence.
    mutating func clear() {
        for index in 0..<channels { channel(index).update(repeating: 0, count: past) }
        end = past
    }
}
