/// Which of the last 64 steps contained a voice.
struct VoiceWindow: Equatable, Sendable {
    private var bits: UInt64 = 0

    mutating func add(_ isVoice: Bool) { bits = bits << 1 | (isVoice ? 1 : 0) }

    /// Number of voiced steps among the last `steps`, of which at most 64 count.
    func count(in steps: Int) -> Int {
        let kept = min(max(steps, 0), 64)
        return kept == 64 ? bits.nonzeroBitCount : (bits & (1 << UInt64(kept) - 1)).nonzeroBitCount
    }

    var last: Bool { bits & 1 == 1 }
    /// 60 of the last 100 ms, which excludes clicks.
    var isVoice: Bool { count(in: 10) >= 6 }

    /// Number of voiced steps up to the last step; at most 64.
    var trailingRun: Int { (~bits).trailingZeroBitCount }

    /// The longest run of voiced steps among the last `steps`.
    func longestRun(in steps: Int) -> Int {
        var longest = 0
        var run = 0
        for step in 0..<min(max(steps, 0), 64) {
            run = bits >> UInt64(step) & 1 == 1 ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}

/// The levels of the last five seconds.
struct LevelWindow: Equatable, Sendable {
    private static let length = 500
    private var levels = [Float](repeating: 0, count: length)
    private var next = 0

    mutating func add(_ level: Float) {
        levels[next] = level.isFinite ? level : -120
        next = (next + 1) % Self.length
    }

    /// How many steps ago the middle of the quietest stretch of `steps` was.
    func quietest(of steps: Int) -> Int {
        var sum: Float = 0
        var best = (sum: Float.infinity, ago: steps / 2)
        for ago in 0..<Self.length {
            sum += level(ago: ago)
            if ago >= steps { sum -= level(ago: ago - steps) }
            if ago >= steps - 1, sum < best.sum { best = (sum, ago - steps / 2) }
        }
        return best.ago
    }

    private func level(ago: Int) -> Float { levels[(next - 1 - ago + 2 * Self.length) % Self.length] }
}

/// The evidence that a turn is speech: counts the audio thread's verdicts on its steps, each of which is about 10 ms alone.
struct VoiceEvidence: Equatable, Sendable {
    /// Number of voiced steps; the longest run of them; all steps up to the last voiced one; those of all that were
    /// held back.
    private(set) var voiced = 0
    private var longestRun = 0
    private var run = 0
    private var steps = 0
    private var heldBack = 0
    /// Steps since the last voiced one, which belong to the turn only if it continues.
    private var tailSteps = 0
    private var tailHeldBack = 0
    private var loudness: Float = 0
    private var floor: Float = 0
    private var measured = 0
    private(set) var overBox = false

    /// Minimum for speech: 250 ms of voice, 120 ms of them without a gap, 6 dB above the room.
    private static let least = (voiced: 25, run: 12, margin: Float(6))

    /// Whether the user has begun to speak.
    func isDue(_ voices: VoiceWindow, _ options: LocalTurn.Options, boxSounds: Bool) -> Bool {
        boxSounds
            ? voices.count(in: options.bargeInWindow) >= options.bargeInVoice
            : voices.count(in: options.startWindow) >= options.startVoice
    }

    mutating func began(_ voices: VoiceWindow, window: Int, _ step: HeardStep) {
        voiced = voices.count(in: window)
        longestRun = voices.longestRun(in: window)
        // The run at the end of the window continues in the next step.
        run = min(voices.trailingRun, window)
        steps = window
        overBox = step.boxSounds
        measure(step)
    }

    mutating func add(_ step: HeardStep, isVoice: Bool) {
        tailSteps += 1
        if step.isHeldBack { tailHeldBack += 1 }
        if step.boxSounds { overBox = true }
        run = isVoice ? run + 1 : 0
        longestRun = max(longestRun, run)
        guard isVoice else { return }
        steps += tailSteps
        heldBack += tailHeldBack
        tailSteps = 0
        tailHeldBack = 0
        voiced += 1
        measure(step)
    }

    private mutating func measure(_ step: HeardStep) {
        guard step.level.isFinite, step.floor.isFinite else { return }
        loudness += step.level
        floor += step.floor
        measured += 1
    }

    /// Why this is not speech; nil if it may be.
    var weakness: LocalDropReason? {
        if heldBack * 2 > steps { return .heldBack }
        if voiced < Self.least.voiced || longestRun < Self.least.run { return .tooLittleVoice }
        if measured > 0, (loudness - floor) / Float(measured) < Self.least.margin { return .tooSoft }
        return nil
    }

    /// Whether a talker who was not understood expects a notice: 600 ms of voice, 10 dB above the room, and not over the box.
    var isClear: Bool {
        weakness == nil && voiced >= 60 && !overBox && measured > 0 && (loudness - floor) / Float(measured) >= 10
    }

    /// Clear evidence: at least 400 ms of voice, and at most five words per second of it, plus one.
    func isStrong(words: Int) -> Bool {
        voiced >= 2 * Self.least.voiced - 10 && words * 100 <= 5 * voiced + 100
    }
}

/// How long this talker pauses, and thus how long to wait for the end of a turn. All in steps of 10 ms.
struct TalkPace: Equatable, Sendable {
    /// Maximum number of pauses kept.
    private static let most = 20
    /// Minimum number of pauses needed to adapt.
    private static let least = 3
    /// Maximum change per turn.
    private static let step = 5
    /// Added to the 90th percentile of the pauses.
    private static let margin = 10

    private let base: Int
    private let range: ClosedRange<Int>
    private var pauses: [Int] = []
    private(set) var hangover: Int

    init(base: Int, range: ClosedRange<Int>) {
        self.base = base
        self.range = range
        hangover = min(max(base, range.lowerBound), range.upperBound)
    }

    /// Notes a pause after which the same turn went on.
    mutating func paused(_ steps: Int) {
        pauses.append(max(0, steps))
        if pauses.count > Self.most { pauses.removeFirst() }
    }

    mutating func turnEnded() {
        guard pauses.count >= Self.least else { return }
        let sorted = pauses.sorted()
        let ninth = sorted[min(sorted.count - 1, sorted.count * 9 / 10)]
        let wanted = min(max(ninth + Self.margin, range.lowerBound), range.upperBound)
        hangover += min(max(wanted - hangover, -Self.step), Self.step)
    }
}
