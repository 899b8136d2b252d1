/// A heap block of floats, allocated once, zeroed, and freed with its owner.
///
/// The filters keep the samples they still need at the front and put new ones behind them.
package struct SampleBuffer: ~Copyable {
    /// The first sample. Valid as long as the buffer lives; never shared with another instance.
    package let base: UnsafeMutablePointer<Float>
    /// Capacity in samples.
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

    /// Moves `history` samples, starting at `consumed`, to the front.
    package mutating func shift(by consumed: Int, keeping history: Int) {
        base.update(from: base + consumed, count: history)
    }

    mutating func clear() {
        base.update(repeating: 0, count: count)
    }
}
