/// Which of the last 64 steps held a voice.
struct VoiceWindow: Equatable, Sendable {
    private var bits: UInt64 = 0

    mutating func add(_ isVoice: Bool) { bits = bits << 1 | (isVoice ? 1 : 0) }

    /// How many of the last steps, 64 at most.
    func count(in steps: Int) -> Int {
        let kept = min(max(steps, 0), 64)
        return kept == 64 ? bits.nonzeroBitCount : (bits & (1 << UInt64(kept) - 1)).nonzeroBitCount
    }

    var last: Bool { bits & 1 == 1 }
    /// Not a click: 60 of the last 100 ms.
    var isVoice: Bool { count(in: 10) >= 6 }

    /// The longest run within the last steps.
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

    /// How many steps ago the middle of the quietest stretch of so many steps was.
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

/// What speaks for a voice in a turn.
struct VoiceEvidence: Equatable, Sendable {
    /// Steps with a voice; the longest run of them; all steps up to the last of them; those of all that were held back.
    private(set) var voiced = 0
    private var longestRun = 0
    private var run = 0
    private var steps = 0
    private var heldBack = 0
    /// What has come since the last voice, and is no part of the turn unless it goes on.
    private var tailSteps = 0
    private var tailHeldBack = 0
    private var loudness: Float = 0
    private var floor: Float = 0
    private var measured = 0
    private(set) var overBox = false

    /// 250 ms of voice, 120 of them in one piece, 6 dB over the room.
    private static let least = (voiced: 25, run: 12, margin: Float(6))

    /// Whether somebody has begun to speak.
    func isDue(_ voices: VoiceWindow, _ options: LocalTurn.Options, boxSounds: Bool) -> Bool {
        boxSounds
            ? voices.count(in: options.bargeInWindow) >= options.bargeInVoice
            : voices.count(in: options.startWindow) >= options.startVoice
    }

    mutating func began(_ voices: VoiceWindow, window: Int, _ step: HeardStep) {
        voiced = voices.count(in: window)
        longestRun = voices.longestRun(in: window)
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

    /// Why it is no speech; nil where it may be.
    var weakness: LocalDropReason? {
        if heldBack * 2 > steps { return .heldBack }
        if voiced < Self.least.voiced || longestRun < Self.least.run { return .tooLittleVoice }
        if measured > 0, (loudness - floor) / Float(measured) < Self.least.margin { return .tooSoft }
        return nil
    }

    /// More than just enough: twice the voice, and no more than five words a second of it.
    func isStrong(words: Int) -> Bool {
        voiced >= 2 * Self.least.voiced - 10 && words * 100 <= 5 * voiced + 100
    }
}

/// How long this talker pauses, and so how long to wait for more.
struct TalkPace: Equatable, Sendable {
    /// More are not kept.
    private static let most = 20
    /// Fewer say nothing of a talker.
    private static let least = 3
    /// The most by which a turn moves it.
    private static let step = 5
    /// Beyond the pauses of nine in ten.
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

    /// A pause after which the same turn went on.
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
