/// What the mean of a word's probabilities has to exceed, 0 to 1.
struct WordCutoff: Equatable {
    /// No mean exceeds it: the models give 256ths, 255 of them at most.
    static let unreachable = 255.0 / 256
    /// Without one of the user's a word's cut-off is this at most: who calls is not to be missed, and the second look
    /// takes care of what is nearly the word.
    private static let usual = 0.9
    /// The raised cut-off still can be exceeded.
    private static let highest = 0.99

    /// While the box is silent.
    var quiet: Double
    /// While it sounds, two of three means in a row have to exceed this.
    var playing: Double
    /// How many of the last three means have to.
    var agreeing: Int

    /// Of a word that calls.
    ///
    /// - Parameter own: as the user wrote it; nil for the model's.
    static func call(own: Double?, model: Double) -> Self {
        let quiet = own ?? min(model, usual)
        // 0.9 becomes 0.97: seven tenths of the way to certainty.
        return Self(quiet: quiet, playing: max(quiet, min(highest, quiet + 0.7 * (1 - quiet))), agreeing: 2)
    }

    /// Of a word that stops, for which the box is as easily interrupted as it is called.
    static func stop(own: Double?, model: Double) -> Self {
        Self(quiet: own ?? model, playing: own ?? model, agreeing: 1)
    }
}

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

    private let cutoff: WordCutoff
    private let ignored: Int
    /// The last probabilities, in 256ths, the oldest at `next`.
    private var recent: [UInt8]
    private var next = 0
    private var sum = 0
    private var toIgnore: Int
    /// Whether the last three means exceeded the cut-off for while the box sounds, the newest in bit 0.
    private var exceeded: UInt8 = 0
    /// The highest sum of this approach; 0 between two.
    private var highest = 0

    /// - Parameters:
    ///   - size: steps that the mean is of.
    ///   - cutoff: that the mean has to exceed.
    ///   - ignored: steps that are ignored at the start and after a find.
    init(size: Int, cutoff: WordCutoff, ignored: Int) {
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

    /// - Parameters:
    ///   - probability: of one step, in 256ths.
    ///   - isPlaying: whether the box itself sounds.
    mutating func take(_ probability: UInt8, isPlaying: Bool = false) -> Finding? {
        guard toIgnore == 0 else {
            toIgnore -= 1
            return nil
        }
        sum += Int(probability) - Int(recent[next])
        recent[next] = probability
        next = (next + 1) % recent.count
        exceeded = (exceeded << 1 | (mean > cutoff.playing ? 1 : 0)) & 0b111
        if isPlaying ? exceeded & 1 == 1 && exceeded.nonzeroBitCount >= cutoff.agreeing : mean > cutoff.quiet {
            let found = Finding.found(mean)
            reset()
            return found
        }
        if mean > cutoff.quiet / 2 {
            highest = max(highest, sum)
            return nil
        }
        defer { highest = 0 }
        return highest > 0 ? .missed(mean(highest)) : nil
    }

    private func mean(_ sum: Int) -> Double { Double(sum) / Double(256 * recent.count) }
}
