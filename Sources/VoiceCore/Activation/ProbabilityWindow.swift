/// Decides from a model's probabilities, one per step, whether its word was said: their mean over several steps has to
/// exceed a cut-off. Pure.
///
/// A find is reported once: after it, and after the start, steps are ignored, as on the devices the models were made
/// for.
struct ProbabilityWindow: Equatable {
    enum Finding: Equatable {
        /// The word was found, with the mean, 0 to 1.
        case found(Double)
        /// The mean exceeded half the cut-off and fell back; with its highest value.
        case missed(Double)
    }

    let cutoff: Double
    private let ignored: Int
    /// The latest probabilities, in 256ths.
    private var recent: [UInt8]
    /// Index of the oldest probability.
    private var next = 0
    private var sum = 0
    private var toIgnore: Int
    /// Highest sum while the mean exceeds half the cut-off; 0 otherwise.
    private var highest = 0

    /// - Parameters:
    ///   - size: number of steps in the mean.
    ///   - cutoff: what the mean has to exceed, 0 to 1.
    ///   - ignored: steps to ignore at the start and after a find.
    init(size: Int, cutoff: Double, ignored: Int) {
        self.cutoff = cutoff
        self.ignored = ignored
        recent = [UInt8](repeating: 0, count: max(1, size))
        toIgnore = ignored
    }

    /// The newest mean, 0 to 1.
    var mean: Double { mean(sum) }

    mutating func reset() {
        self = ProbabilityWindow(size: recent.count, cutoff: cutoff, ignored: ignored)
    }

    /// - Parameter probability: of one step, in 256ths.
    mutating func consume(_ probability: UInt8) -> Finding? {
        guard toIgnore == 0 else {
            toIgnore -= 1
            return nil
        }
        sum += Int(probability) - Int(recent[next])
        recent[next] = probability
        next = (next + 1) % recent.count
        if mean > cutoff {
            let found = Finding.found(mean)
            reset()
            return found
        }
        if mean > cutoff / 2 {
            highest = max(highest, sum)
            return nil
        }
        defer { highest = 0 }
        return highest > 0 ? .missed(mean(highest)) : nil
    }

    private func mean(_ sum: Int) -> Double { Double(sum) / Double(256 * recent.count) }
}
