/// Counts periods without any change from sample to sample, which no live microphone delivers: zeros, or one constant.
struct StillnessMeter {
    private var last: Float = .nan
    /// Such periods in a row.
    private(set) var periods = 0

    /// Takes a period; stops at the first sample that differs.
    mutating func note(_ samples: UnsafePointer<Float>, count: Int) {
        guard count > 0 else { return }
        let value = samples[0]
        var isStill = value == last
        var index = 1
        while isStill && index < count {
            isStill = samples[index] == value
            index += 1
        }
        last = samples[count - 1]
        periods = isStill ? periods + 1 : 0
    }

    mutating func reset() {
        last = .nan
        periods = 0
    }
}
