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
/// When full, after 1.3 s without a reader, the newest block is dropped, and the gap shows in the positions.
package final class AlignmentFeed: Sendable {
    private static let blocks = 128

    private let headers = SampleRing<AlignmentBlock>(capacity: blocks, filling: AlignmentBlock())
    private let microphone = SampleRing<Float>(capacity: blocks * 128, filling: 0)
    private let reference = SampleRing<Float>(capacity: blocks * 128, filling: 0)
    /// The newest epoch pushed; the next line starts after it.
    private let newest = Atomic<UInt64>(0)

    // A sequence lock: odd while the stage writes the fields.
    private let sequence = Atomic<UInt64>(0)
    private let epoch = Atomic<UInt64>(0)
    private let position = Atomic<Int>(0)
    private let offsetBits = Atomic<UInt64>(0)
    private let driftBits = Atomic<UInt64>(0)

    package init() {}

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
        let before = sequence.load(ordering: .acquiring)
        guard before != seen, before.isMultiple(of: 2) else { return nil }
        var result = AlignmentCorrection()
        result.epoch = epoch.load(ordering: .relaxed)
        result.position = position.load(ordering: .relaxed)
        result.offset = Double(bitPattern: offsetBits.load(ordering: .relaxed))
        result.drift = Double(bitPattern: driftBits.load(ordering: .relaxed))
        atomicMemoryFence(ordering: .acquiring)
        guard sequence.load(ordering: .relaxed) == before else { return nil }
        seen = before
        return result
    }

    // MARK: Stage

    /// Takes the oldest block; nil if there is none.
    func pop(
        microphone samples: UnsafeMutablePointer<Float>,
        reference other: UnsafeMutablePointer<Float>
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
    func publish(_ correction: AlignmentCorrection) {
        let next = sequence.load(ordering: .relaxed) &+ 2
        sequence.store(next &- 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        epoch.store(correction.epoch, ordering: .relaxed)
        position.store(correction.position, ordering: .relaxed)
        offsetBits.store(correction.offset.bitPattern, ordering: .relaxed)
        driftBits.store(correction.drift.bitPattern, ordering: .relaxed)
        sequence.store(next, ordering: .releasing)
    }
}
