/// A block of floats on the heap, allocated once, zeroed, freed with its owner.
///
/// The filters keep the samples they still need at the front and put new ones behind them.
package struct SampleBuffer: ~Copyable {
    /// The first sample. Valid as long as the buffer lives; other instances never share it.
    package let base: UnsafeMutablePointer<Float>
    /// How many samples it holds.
    let count: Int

    package init(count: Int) {
        self.count = count
        base = .allocate(capacity: count)
        base.initialize(repeating: 0, count: count)
    }

    init(_ values: [Float]) {
        self.init(count: values.count)
        for (index, value) in values.enumerated() {
            base[index] = value
        }
    }

    deinit { base.deallocate() }

    /// Moves the `history` samples from `consumed` on to the front.
    package mutating func shift(by consumed: Int, keeping history: Int) {
        base.update(from: base + consumed, count: history)
    }

    mutating func clear() {
        base.update(repeating: 0, count: count)
    }
}
