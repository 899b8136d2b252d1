/// The limit that the mean of a word's probabilities has to exceed, 0 to 1.
enum WordCutoff {
    /// No mean exceeds it: probabilities are in 256ths, 255 at most.
    static let unreachable = 255.0 / 256
    /// Highest limit of a wake word unless the user sets one, and the most steps in its mean. It may be this low because the
    /// word also requires a pause before it, see `CallPause`: a call is to be heard from across the room first.
    static let call = 0.25
    static let callSteps = 3

    /// - Throws: for a cut-off of the user's that nothing exceeds, or anything does.
    static func check(_ word: WakeWords.Word) throws(WakeWordError) {
        guard let own = word.ownThreshold, !(own > 0 && own < unreachable) else { return }
        throw WakeWordError("\"\(word.text):\(own)\" wants a probability above 0, and 0.996 at most: for instance 0.9")
    }
}

/// Decides from a model's probabilities, one per step, whether its word was said: their mean over several steps, and over
/// the paces at which the model hears the sound, has to exceed a cut-off. Pure.
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

    private let cutoff: Double
    private let ignored: Int
    /// The latest probabilities of each pace, in 256ths, `size` of each.
    private var recent: [UInt8]
    private let size: Int
    /// The place of the oldest of each pace.
    private var next: [Int]
    private var sum = 0
    private var toIgnore: Int
    /// Highest sum while the mean exceeds half the cut-off; 0 otherwise.
    private var highest = 0

    /// - Parameters:
    ///   - size: number of steps in the mean.
    ///   - paces: number of paces in it.
    ///   - cutoff: the limit that the mean has to exceed, 0 to 1.
    ///   - ignored: steps to ignore at the start and after a find.
    init(size: Int, paces: Int = 1, cutoff: Double, ignored: Int) {
        self.cutoff = cutoff
        self.ignored = ignored
        self.size = max(1, size)
        recent = [UInt8](repeating: 0, count: self.size * max(1, paces))
        next = [Int](repeating: 0, count: max(1, paces))
        toIgnore = ignored
    }

    /// The newest mean, 0 to 1.
    var mean: Double { mean(sum) }

    mutating func reset() {
        self = ProbabilityWindow(size: size, paces: next.count, cutoff: cutoff, ignored: ignored)
    }

    /// Takes the probability of a step at another pace than the sound's own, which counts from the next step of that on.
    mutating func note(_ probability: UInt8, pace: Int) {
        guard toIgnore == 0 else { return }
        add(probability, pace: pace)
    }

    private mutating func add(_ probability: UInt8, pace: Int) {
        let place = pace * size + next[pace]
        sum += Int(probability) - Int(recent[place])
        recent[place] = probability
        next[pace] = (next[pace] + 1) % size
    }

    /// - Parameter probability: of one step, in 256ths.
    mutating func take(_ probability: UInt8) -> Finding? {
        guard toIgnore == 0 else {
            toIgnore -= 1
            return nil
        }
        add(probability, pace: 0)
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
