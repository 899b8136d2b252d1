/// How many periods to write for each period read, so that two cards whose clocks differ stay in step.
///
/// The measure is playback delay plus capture delay after a read and before the write: it does not depend on how late
/// the thread woke. Its usual value is learned in the first second; when a slow average has left a window of +-300
/// frames (6 ms), one period is left out or added. Nothing is heard of it while the voice ring holds voice.
struct DriftControl {
    private static let settling = 50
    private static let learning = 100
    private static let window = 300.0
    private static let weight = 1.0 / 64
    /// Periods that may be left out after a loss; a device that is still too far behind has changed, and stays as it is.
    private static let patience = 8

    private let period = AudioFormat.periodFrames
    private var seen = 0
    private var sum = 0.0
    private var target: Double
    private var average: Double
    private var resync = false
    private var leftOut = 0
    /// Whether the last step left a period out or added one because of drift.
    private(set) var slipped = false

    /// - Parameter nominal: the measure expected, in frames, until it is learned.
    init(nominal: Int) {
        target = Double(nominal)
        average = target
    }

    /// Says that frames were lost: the next period restores the usual measure at once.
    mutating func discontinuity() {
        resync = true
        leftOut = 0
    }

    /// Takes the measure of this period and returns the number of periods to write: 1, rarely 0 or 2; more after a loss, and
    /// none while a late thread catches up.
    mutating func step(total: Int) -> Int {
        let total = Double(total)
        slipped = false
        if resync {
            let missing = Int(((target - total) / Double(period)).rounded())
            if missing < 0 && leftOut < Self.patience {
                leftOut += 1
                return 0
            }
            resync = false
            average = target
            return 1 + max(0, min(missing, 4))
        }
        seen += 1
        if seen <= Self.settling + Self.learning {
            if seen > Self.settling { sum += total }
            if seen == Self.settling + Self.learning {
                target = sum / Double(Self.learning)
                average = target
            }
            return 1
        }
        average += (total - average) * Self.weight
        if average > target + Self.window {
            average -= Double(period)
            slipped = true
            return 0
        }
        if average < target - Self.window {
            average += Double(period)
            slipped = true
            return 2
        }
        return 1
    }
}
