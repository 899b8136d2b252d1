internal import Synchronization

/// Lock-free path from the audio thread to the delay search and back.
///
///     audio thread --blocks of 80 + 80 samples at 8 kHz--> AlignmentStage (any one thread)
///     audio thread <--newest AlignmentCorrection---------- AlignmentStage
///
/// | field | writes | reads |
/// |---|---|---|
/// | blocks, epoch of the newest | audio thread | `AlignmentStage` |
/// | correction | `AlignmentStage` | audio thread |
///
/// When full, after 2.5 s without a reader, the newest block is dropped, and the gap shows in the positions.
package final class AlignmentFeed: Sendable {
    private static let blocks = 256

    private let headers = SampleRing<AlignmentBlock>(capacity: blocks, filling: AlignmentBlock())
    private let microphone = SampleRing<Float>(capacity: blocks * 128, filling: 0)
    private let reference = SampleRing<Float>(capacity: blocks * 128, filling: 0)
    /// The newest epoch pushed; the next line starts after it.
    private let newest = Atomic<UInt64>(0)
    private let correction = Published(AlignmentCorrection())

    /// The epoch for a new `ReferenceLine` to start with.
    package var nextEpoch: UInt64 { newest.load(ordering: .acquiring) &+ 1 }

    // MARK: Audio thread

    /// Adds a block of `AlignmentBlock.samples` of both signals; false if there was no room.
    @discardableResult
    package func push(
        _ block: AlignmentBlock,
        microphone samples: UnsafePointer<Float>,
        reference other: UnsafePointer<Float>
    ) -> Bool {
        newest.store(block.epoch, ordering: .releasing)
        guard headers.availableToWrite > 0 else { return false }
        microphone.write(samples, count: AlignmentBlock.samples)
        reference.write(other, count: AlignmentBlock.samples)
        return withUnsafePointer(to: block) { headers.write($0, count: 1) } == 1
    }

    /// Returns the newest correction if it is newer than `seen`, and updates `seen`. Also nil in the rare case that it is
    /// being written; the next period then gets it.
    package func correction(newerThan seen: inout UInt64) -> AlignmentCorrection? {
        var result = AlignmentCorrection()
        return correction.read(into: &result, newerThan: &seen) ? result : nil
    }

    // MARK: Stage

    /// Takes the oldest block; nil if there is none.
    func pop(
        microphone samples: UnsafeMutablePointer<Float>, reference other: UnsafeMutablePointer<Float>
    )
        -> AlignmentBlock?
    {
        var block = AlignmentBlock()
        guard withUnsafeMutablePointer(to: &block, { headers.read(into: $0, count: 1) }) == 1 else { return nil }
        // The header is written last, so the samples are complete.
        _ = microphone.read(into: samples, count: AlignmentBlock.samples)
        _ = reference.read(into: other, count: AlignmentBlock.samples)
        return block
    }

    /// Publishes a correction to the audio thread, which sees only the newest.
    func publish(_ correction: AlignmentCorrection) { self.correction.value = correction }
}
