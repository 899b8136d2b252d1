/// The newest samples of one or two channels, in one piece each, with a past to go back to.
///
/// Places count from the front of the window and move towards it when the window is full. Allocates in `init` only.
struct SampleWindow: ~Copyable {
    private let samples: SampleBuffer
    private let channels: Int
    private let capacity: Int
    /// How many samples of the past are kept at least.
    let past: Int
    /// The place after the newest sample.
    private(set) var end: Int

    /// - Parameters:
    ///   - past: samples to keep, silence at first.
    ///   - block: the most that is appended at once.
    init(channels: Int, past: Int, block: Int) {
        self.channels = channels
        self.past = past
        // The past is moved only once it has been replaced.
        capacity = 2 * past + block
        samples = SampleBuffer(count: channels * capacity)
        end = past
    }

    /// The samples of a channel; those at places 0 ..< `end` are valid.
    func channel(_ index: Int) -> UnsafeMutablePointer<Float> { samples.base + index * capacity }

    /// Makes room for `count` samples and returns by how many places everything moved towards the front.
    mutating func makeRoom(_ count: Int) -> Int {
        guard end + count > capacity else { return 0 }
        let moved = end - past
        for index in 0..<channels { channel(index).update(from: channel(index) + moved, count: past) }
        end = past
        return moved
    }

    /// Says that `count` samples were written after `end`.
    mutating func advance(_ count: Int) { end += count }

    /// Forgets what is newer than `place`, which is one that is still there.
    mutating func truncate(to place: Int) { end = min(end, max(0, place)) }

    /// Everything before is silence.
    mutating func clear() {
        for index in 0..<channels { channel(index).update(repeating: 0, count: past) }
        end = past
    }
}
