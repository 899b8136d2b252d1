/// Decides from a model's probabilities, one a step, whether its word was said: their mean over some steps has to exceed a
/// cut-off. Pure.
///
/// A find is reported once: after it, and after the start, steps are ignored, as on the devices that the models were made for.
struct ProbabilityWindow: Equatable {
    enum Finding: Equatable {
        /// With the mean, 0 to 1.
        case found(Double)
        /// The mean was over half the cut-off and is not any more; with its highest value.
        case missed(Double)
    }

    private let cutoff: Double
    private let ignored: Int
    /// The last probabilities, in 256ths, the oldest at `next`.
    private var recent: [UInt8]
    private var next = 0
    private var sum = 0
    private var toIgnore: Int
    /// The highest sum of this approach; 0 between two.
    private var highest = 0

    /// - Parameters:
    ///   - size: steps that the mean is of.
    ///   - cutoff: that the mean has to exceed, 0 to 1.
    ///   - ignored: steps that are ignored at the start and after a find.
    init(size: Int, cutoff: Double, ignored: Int) {
        self.cutoff = cutoff
        self.ignored = ignored
        recent = [UInt8](repeating: 0, count: max(1, size))
        toIgnore = ignored
    }

    mutating func reset() {
        self = ProbabilityWindow(size: recent.count, cutoff: cutoff, ignored: ignored)
    }

    /// - Parameter probability: of one step, in 256ths.
    mutating func take(_ probability: UInt8) -> Finding? {
        guard toIgnore == 0 else {
            toIgnore -= 1
            return nil
        }
        sum += Int(probability) - Int(recent[next])
        recent[next] = probability
        next = (next + 1) % recent.count
        if mean(sum) > cutoff {
            let found = Finding.found(mean(sum))
            reset()
            return found
        }
        if mean(sum) > cutoff / 2 {
            highest = max(highest, sum)
            return nil
        }
        defer { highest = 0 }
        return highest > 0 ? .missed(mean(highest)) : nil
    }

    private func mean(_ sum: Int) -> Double { Double(sum) / Double(256 * recent.count) }
}
