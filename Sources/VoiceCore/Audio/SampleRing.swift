internal import Synchronization

/// A lock-free ring of samples between one producer thread and one consumer thread.
///
/// Positions count samples since the start and never wrap in practice (64 bit); they are masked only on use. `write` belongs
/// to the producer, `read` and `skip` to the consumer; any thread may read positions and counts.
package struct SampleRing<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Invariant behind @unchecked: the producer touches only slots in [written, consumed + capacity), the consumer only slots
    // in [consumed, written), and each publishes its position with a releasing store.
    package let capacity: Int
    private let slots: UnsafeMutablePointer<Element>
    private let written = Atomic<UInt64>(0)
    private let consumed = Atomic<UInt64>(0)

    /// - Parameter capacity: in samples, a power of two.
    package init(capacity: Int, filling: Element) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity of a ring is a power of two")
        self.capacity = capacity
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: filling, count: capacity)
    }

    deinit { slots.deallocate() }

    /// Samples ever written.
    package var writePosition: UInt64 { written.load(ordering: .acquiring) }
    /// Samples ever read or skipped.
    package var readPosition: UInt64 { consumed.load(ordering: .acquiring) }
    /// Samples that can be read now.
    package var availableToRead: Int {
        let read = consumed.load(ordering: .acquiring)
        return Int(written.load(ordering: .acquiring) &- read)
    }
    /// Samples that can be written now.
    package var availableToWrite: Int { max(0, capacity - availableToRead) }

    /// Producer: appends as many samples as fit and returns their number.
    @discardableResult
    package func write(_ samples: UnsafePointer<Element>, count: Int) -> Int {
        let start = written.load(ordering: .relaxed)
        let free = capacity - Int(start &- consumed.load(ordering: .acquiring))
        assert(free >= 0 && free <= capacity, "the ring was read ahead of its producer")
        let count = min(count, free)
        guard count > 0 else { return 0 }
        let offset = Int(start & UInt64(capacity - 1))
        let first = min(count, capacity - offset)
        (slots + offset).update(from: samples, count: first)
        slots.update(from: samples + first, count: count - first)
        written.store(start &+ UInt64(count), ordering: .releasing)
        return count
    }

    /// Consumer: takes up to `count` samples, oldest first, and returns their number.
    package func read(into samples: UnsafeMutablePointer<Element>, count: Int) -> Int {
        let start = consumed.load(ordering: .relaxed)
        let ready = Int(written.load(ordering: .acquiring) &- start)
        assert(ready >= 0 && ready <= capacity, "the consumer is ahead of the producer")
        let count = min(count, ready)
        guard count > 0 else { return 0 }
        let offset = Int(start & UInt64(capacity - 1))
        let first = min(count, capacity - offset)
        samples.update(from: slots + offset, count: first)
        (samples + first).update(from: slots, count: count - first)
        consumed.store(start &+ UInt64(count), ordering: .releasing)
        return count
    }

    /// Consumer: drops everything before `position`, which is clamped to what has been written. A position already passed
    /// does nothing.
    package func skip(to position: UInt64) {
        let start = consumed.load(ordering: .relaxed)
        let target = min(position, written.load(ordering: .acquiring))
        if target > start { consumed.store(target, ordering: .releasing) }
    }
}
