/// Counts periods without any change between samples, which no live microphone delivers: zeros, or another constant.
struct StillnessMeter {
    private var last: Float = .nan
    /// Consecutive such periods.
    private(set) var periods = 0
    /// Whether the newest period was a single value throughout, regardless of earlier ones: also true for the first of a
    /// silence.
    private(set) var isConstant = false

    /// Takes a period; stops at the first sample that differs.
    mutating func note(_ samples: UnsafePointer<Float>, count: Int) {
        guard count > 0 else { return }
        let value = samples[0]
        var index = 1
        while index < count && samples[index] == value { index += 1 }
        isConstant = index == count
        let isStill = isConstant && value == last
        last = samples[count - 1]
        periods = isStill ? periods + 1 : 0
    }

    mutating func reset() {
        last = .nan
        periods = 0
        isConstant = false
    }
}
