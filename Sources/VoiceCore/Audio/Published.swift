internal import Glibc
internal import Synchronization

/// A value of fixed size that one thread writes and any thread reads whole: a sequence lock.
///
/// Writing takes no lock, does not allocate and never waits, so it suits the audio thread. A reader that meets a change being
/// written tries again; on the audio thread use `read`, which gives up instead.
package struct Published<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    // Invariant behind @unchecked: the pointer never changes, and the words behind it are accessed only as atomics.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// Odd while the words change.
    private let sequence = Atomic<UInt64>(0)
    private let initial: Value
    private static var count: Int { (MemoryLayout<Value>.size + 7) / 8 }

    package init(_ value: Value) {
        initial = value
        words = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (words + index).initialize(to: Atomic(0)) }
        store(value)
    }

    deinit {
        words.deinitialize(count: Self.count)
        words.deallocate()
    }

    /// The newest value. The writer may set it, too: it is the only one who changes it.
    package var value: Value {
        get {
            var value = initial
            var seen = UInt64.max
            while !read(into: &value, newerThan: &seen) { sched_yield() }
            return value
        }
        nonmutating set { publish(newValue) }
    }

    /// Takes the newest value unless its number is `seen`, which becomes its number. Also false in the rare case that it is
    /// being written. The initial value has the number 0.
    package func read(into value: inout Value, newerThan seen: inout UInt64) -> Bool {
        let before = sequence.load(ordering: .acquiring)
        guard before != seen, before.isMultiple(of: 2) else { return false }
        var copy = value
        withUnsafeMutableBytes(of: &copy) { bytes in
            for index in 0..<Self.count {
                let word = words[index].load(ordering: .relaxed)
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[Self.bytes(of: index)])
                withUnsafeBytes(of: word) { word in
                    part.copyMemory(from: UnsafeRawBufferPointer(rebasing: word.prefix(part.count)))
                }
            }
        }
        atomicMemoryFence(ordering: .acquiring)
        guard sequence.load(ordering: .relaxed) == before else { return false }
        (value, seen) = (copy, before)
        return true
    }

    /// The last word may be shorter.
    private static func bytes(of word: Int) -> Range<Int> { 8 * word..<min(8 * word + 8, MemoryLayout<Value>.size) }

    private func publish(_ value: Value) {
        let next = sequence.load(ordering: .relaxed) &+ 2
        sequence.store(next &- 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        store(value)
        sequence.store(next, ordering: .releasing)
    }

    private func store(_ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            for index in 0..<Self.count {
                var word: UInt64 = 0
                let part = UnsafeRawBufferPointer(rebasing: bytes[Self.bytes(of: index)])
                withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: part) }
                words[index].store(word, ordering: .relaxed)
            }
        }
    }
}
