/// Limits that the mean of a word's probabilities has to exceed, 0 to 1.
struct WordCutoff: Equatable {
    /// No mean exceeds it: probabilities are in 256ths, 255 at most.
    static let unreachable = 255.0 / 256
    /// Upper limit of a wake word's cut-off unless the user sets one: a call should not be
    /// missed.
    private static let usual = 0.8
    /// Upper limit of the raised cut-off, so that it can still be exceeded.
    private static let highest = 0.99

    /// Cut-off while the box is silent.
    var quiet: Double
    /// Cut-off while the box plays sound.
    var playing: Double
    /// While the box plays sound: how many of the last three means have to exceed it, the newest among them.
    var agreeing: Int

    /// - Throws: for a cut-off of the user's that nothing exceeds, or anything does.
    static func check(_ word: WakeWords.Word) throws(WakeWordError) {
        guard let own = word.ownThreshold, !(own > 0 && own < unreachable) else { return }
        throw WakeWordError("\"\(word.text):\(own)\" wants a probability above 0, and 0.996 at most: for instance 0.9")
    }

    /// The model whose limits were chosen by measurement, that of "Hey Jarvis" in `WakeModelPackage`: its length, and its
    /// FNV-1a, which tells files apart and protects nothing. Others, another model of the same word among them, keep their
    /// makers' mean and a careful cut-off.
    private static let measured = (bytes: 52_272, hash: UInt64(0x43ba_064a_8da0_8c91))
    /// Its cut-off unless the user sets one, for a mean of at most `measuredSize` steps at each of `PacedFrontend.rates`. It
    /// may be this low because the word also wants a pause before it, see `CallPause`.
    private static let measuredCutoff = 0.25
    private static let measuredSize = 3

    static func isMeasured(_ model: [UInt8]) -> Bool {
        guard model.count == measured.bytes else { return false }
        return model.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } == measured.hash
    }

    /// Returns the limits of a microWakeWord model's wake word, and the number of steps in the mean.
    ///
    /// - Parameters:
    ///   - isMeasured: whether it is the measured model.
    ///   - own: the user's cut-off, which takes the place of the others and changes nothing else; nil for none.
    ///   - size: the number of steps that the model's maker asks for.
    static func micro(isMeasured: Bool, own: Double?, model: Double, size: Int) -> (cutoff: Self, size: Int) {
        guard isMeasured else { return (.call(own: own, model: model), size) }
        let cutoff = own ?? min(model, measuredCutoff)
        return (Self(quiet: cutoff, playing: cutoff, agreeing: 1), min(size, measuredSize))
    }

    /// Returns the limits of any other wake word.
    ///
    /// - Parameter own: the user's cut-off; nil for the model's.
    static func call(own: Double?, model: Double) -> Self {
        let quiet = own ?? min(model, usual)
        // 0.8 becomes 0.9: halfway to certainty.
        return Self(quiet: quiet, playing: max(quiet, min(highest, quiet + 0.5 * (1 - quiet))), agreeing: 2)
    }

    /// Returns the limits of a stop word: the cut-off stays the same while the box plays sound, as an interruption
    /// should be as easy as a call.
    static func stop(own: Double?, model: Double) -> Self {
        Self(quiet: own ?? model, playing: own ?? model, agreeing: 1)
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

    let cutoff: WordCutoff
    private let ignored: Int
    /// The latest probabilities of each pace, in 256ths, `size` of each.
    private var recent: [UInt8]
    private let size: Int
    /// The place of the oldest of each pace.
    private var next: [Int]
    private var sum = 0
    private var toIgnore: Int
    /// Whether each of the last three means exceeded `cutoff.playing`; the newest is in bit 0.
    private var exceeded: UInt8 = 0
    /// Highest sum while the mean exceeds half the cut-off; 0 otherwise.
    private var highest = 0

    /// - Parameters:
    ///   - size: number of steps in the mean.
    ///   - paces: number of paces in it.
    ///   - cutoff: limits that the mean has to exceed.
    ///   - ignored: steps to ignore at the start and after a find.
    init(size: Int, paces: Int = 1, cutoff: WordCutoff, ignored: Int) {
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

    /// - Parameters:
    ///   - probability: of one step, in 256ths.
    ///   - isPlaying: whether the box plays sound.
    mutating func consume(_ probability: UInt8, isPlaying: Bool = false) -> Finding? {
        guard toIgnore == 0 else {
            toIgnore -= 1
            return nil
        }
        add(probability, pace: 0)
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
