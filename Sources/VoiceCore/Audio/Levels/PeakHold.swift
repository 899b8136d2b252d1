/// A peak for a display: stays for 1.5 s, then falls by 20 dB a second.
struct PeakHold: Sendable, Equatable {
    private static let stay = 150
    /// Tenths of a decibel per period of 10 ms.
    private static let fall = 2

    /// Tenths of dBFS.
    private(set) var value = LevelMeter.floor
    private var age = 0

    /// Takes the peak of one period, in tenths of dBFS.
    mutating func note(_ peak: Int) {
        age += 1
        if age > Self.stay { value = max(LevelMeter.floor, value - Self.fall) }
        if peak >= value { (value, age) = (peak, 0) }
    }
}
