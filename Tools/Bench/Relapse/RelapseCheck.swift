internal import CDSP
internal import Glibc
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSimulator

/// Whether the box still hears people over itself: half a minute each of talk from the first word, of continued talk,
/// and of a box that is moved, with synthetic voices and rooms. Needs nothing but the program; yields the same figures
/// every time.
///
///     VoiceBench relapse
///
/// The last scenes are of a bad device: a loudspeaker that distorts, beside a wall that reflects it as loud as it is.
///
/// Fails if a mean over the seeds misses its limit, which is the figure of the day it was set plus the spread of the
/// seeds. How well real people are heard is measured by `scripts/bench-people`.
struct RelapseCheck {
    private static let seeds: [UInt64] = [1, 2, 3]
    /// Whether echo passes for a talker for a moment is a matter of chance: more seeds give a better mean.
    private static let moves: [UInt64] = [1, 2, 3, 4, 5, 6]
    private static let seconds = 30.0
    private static let delay = 80 * 48
    /// The talker's level, the echo's level above it, and the noise's level, in dB.
    private static let talker: Float = -28
    private static let echo: Float = 5
    private static let noise: Float = -65
    private static let movedAt = 16.0
    /// The loudspeaker moves half a metre further away, behind the microphone: nothing that was learned still holds.
    private static let movedBy = 70
    private static let movedStraight: Float = -0.5

    /// Gain of a reflection that leaves two likely delays: recorded devices have rivals of 0.6 to 0.98.
    private static let reflection: Float = 0.95
    /// When a talker speaks over the bad device, for two seconds each.
    private static let turns = [8.0, 13, 18, 23]

    /// A figure with a limit.
    private struct Row {
        let figure: String
        let limit: Double
        let isMoreBetter: Bool
        /// What a user would say of a build that misses the limit.
        let complaint: String

        init(_ figure: String, atLeast limit: Double, _ complaint: String) {
            (self.figure, self.limit, isMoreBetter, self.complaint) = (figure, limit, true, complaint)
        }

        init(_ figure: String, atMost limit: Double, _ complaint: String) {
            (self.figure, self.limit, isMoreBetter, self.complaint) = (figure, limit, false, complaint)
        }
    }

    // Every row was seen to fail on builds that were broken on purpose, whose letters stand above it:
    //   A  no residual counts as echo (thresholds of the decision out of reach)
    //   B  every residual counts as echo (the same, the other way)
    //   C  the suppressor is shut: it never replaces the library, although a talker is found
    //   D  a talker needs four times the evidence
    //   E  the suppressor always replaces the library
    //   F  the filter learns next to nothing, so learning never ends
    //   G  the filter forgets quickly
    //   H  nothing reopens a filter that has converged
    //   I  the same, and it does not forget
    //   K  the suppressor suppresses everything
    //   L  the library takes over as soon as a talker pauses
    private static let rows = [
        // B D K
        Row("talk from the start: upstream %", atLeast: 91, "who talks at first is not heard"),
        // B D K
        Row("talk from the start: longest loss s", atMost: 0.8, "who talks at first loses a sentence"),
        // B
        Row("talk that goes on: upstream %", atLeast: 97, "who talks on is shut out"),
        // B
        Row("talk that goes on: longest loss s", atMost: 0.2, "who talks on loses a sentence"),
        // B C D F G K L
        Row("talk that goes on: cut %", atMost: 4, "who talks over the box is chopped"),
        // F G
        Row("the box alone: s until learned", atMost: 5.5, "the box goes on learning its echo"),
        // F
        Row("the box alone: echo sent up at first s", atMost: 0.3, "the box answers its own first words"),
        // A E
        Row("the box alone: false openings", atMost: 0.3, "the box answers itself"),
        // F G I
        Row("the box alone: linear dB", atLeast: 20, "the echo is not learned, only suppressed"),
        // E F
        Row("the box alone: echo taken off dB", atLeast: 48, "the box hears itself, faintly"),
        // A I
        Row("the box is moved: s to 20 dB", atMost: 0.6, "a moved box hears itself"),
        // F H I
        Row("the box is moved: linear dB in the 3rd s", atLeast: 4, "a moved box does not learn its new place"),
        // A E F G H I
        Row("the box is moved: echo sent up s", atMost: 0.8, "a moved box answers itself"),
        // These fail if an echo is found only by a peak without rivals: no talker is heard.
        Row("two likely delays: upstream %", atLeast: 91, "a talker beside a wall is not heard"),
        Row("a bad device: turns that arrive %", atLeast: 95, "a talker over a bad loudspeaker is not heard"),
        Row("a bad device: echo sent up s", atMost: 2, "a bad loudspeaker answers itself"),
    ]

    private var figures: [String: [Double]] = [:]

    init?(_ arguments: [String]) {
        guard arguments == ["relapse"] else { return nil }
    }

    mutating func run() throws -> Bool {
        for seed in Self.seeds {
            try talk("two likely delays", from: 0.6, seed: seed, reflection: Self.reflection)
            try device(seed: seed)
            try talk("talk from the start", from: 0.6, seed: seed)
            try talk("talk that goes on", from: 6, seed: seed)
        }
        for seed in Self.moves { try move(seed: seed) }
        var isWell = true
        for row in Self.rows {
            let values = figures[row.figure] ?? []
            let mean = values.reduce(0, +) / Double(max(1, values.count))
            let isGood = !values.isEmpty && (row.isMoreBetter ? mean >= row.limit : mean <= row.limit)
            isWell = isWell && isGood
            let each = values.map { Self.text($0) }.joined(separator: " ")
            let figure = "\(row.figure): \(Self.text(mean)) (\(each)), limit \(Self.text(row.limit))"
            print(isGood ? "ok       \(figure)" : "RELAPSED \(figure): \(row.complaint)")
        }
        return isWell
    }

    // MARK: Scenes

    private mutating func talk(_ name: String, from start: Double, seed: UInt64, reflection: Float = 0) throws {
        let count = Int(Self.seconds * 48_000)
        var person = SyntheticPerson(pitch: seed % 2 == 0 ? 210 : 115, size: seed % 2 == 0 ? 1.15 : 1, seed: seed &+ 50)
        let near = person.talk(from: start, to: Self.seconds - 2, count: count, level: Self.talker)
        let far = Self.far(seed, count: count)
        let scene = try Scene(
            far: far, echo: Self.echo(RelapseRoom(delay: Self.delay, reflection: reflection, seed: seed).echo(of: far)),
            near: near
        )
        let loudest = scene.near.filter { $0 > -60 }.sorted().quantile(0.95) ?? 0
        let loud = scene.near.indices.filter { scene.near[$0] > loudest - 20 }
        var missing = 0
        var longest = 0
        for period in loud {
            missing = scene.sent[period] ? 0 : missing + 1
            longest = max(longest, missing)
        }
        note("\(name): upstream %", 100 * Self.share(loud) { scene.sent[$0] })
        note("\(name): longest loss s", Double(longest) / 100)
        // The output is 15 ms late.
        let cut = Self.share(loud) { period in
            let after = scene.output[min(period + 1, scene.output.count - 1)...min(period + 3, scene.output.count - 1)]
            return (after.max() ?? -120) < scene.near[period] - 10
        }
        note("\(name): cut %", 100 * cut)
    }

    private mutating func device(seed: UInt64) throws {
        let count = Int(Self.seconds * 48_000)
        let far = Self.far(seed, count: count)
        var person = SyntheticPerson(pitch: seed % 2 == 0 ? 210 : 115, size: seed % 2 == 0 ? 1.15 : 1, seed: seed &+ 50)
        let talk = person.talk(from: 0.6, to: Self.seconds - 2, count: count, level: Self.talker)
        let near = talk.enumerated().map { index, sample in
            Self.turns.contains { (0..<2).contains(Double(index) / 48_000 - $0) } ? sample : 0
        }
        let room = RelapseRoom(delay: Self.delay, reflection: Self.reflection, seed: seed)
        let scene = try Scene(far: far, echo: Self.echo(room.echo(of: RelapseLoudspeaker.play(far))), near: near)
        let loud = scene.near.indices.filter { scene.near[$0] > Self.talker - 20 }
        let arrived = Self.turns.count { turn in
            Self.share(loud.filter { (0..<2).contains(Double($0) / 100 - turn) }) { scene.sent[$0] } >= 0.5
        }
        note("a bad device: turns that arrive %", 100 * Double(arrived) / Double(Self.turns.count))
        let isBy = scene.near.indices.map { period in loud.contains { abs($0 - period) < 60 } }
        let echo = scene.sent.indices.count { scene.sent[$0] && scene.output[$0] > -50 && !isBy[$0] }
        note("a bad device: echo sent up s", Double(echo) / 100)
    }

    private mutating func move(seed: UInt64) throws {
        let count = Int(Self.seconds * 48_000)
        let far = Self.far(seed, count: count)
        let before = Self.echo(RelapseRoom(delay: Self.delay, seed: seed).echo(of: far))
        let other = RelapseRoom(delay: Self.delay + Self.movedBy, straight: Self.movedStraight, seed: seed &+ 7)
        let after = Self.echo(other.echo(of: far))
        let moved = Int(Self.movedAt * 48_000)
        // A cross-fade of 50 ms: a click would reveal the change.
        let echo = zip(before, after).enumerated().map { index, echo in
            let share = max(0, min(1, Float(index - moved) / 2400))
            return (1 - share) * echo.0 + share * echo.1
        }
        let scene = try Scene(far: far, echo: echo, near: [Float](repeating: 0, count: count))
        let periods = Int(Self.movedAt * 100)
        let sounds = scene.microphone.indices.filter { scene.microphone[$0] > Self.noise + 10 }
        let learned = scene.isFull.firstIndex(of: true) ?? scene.isFull.count
        note("the box alone: s until learned", Double(sounds.count { $0 < learned }) / 100)
        let first = sounds.prefix { $0 < 800 }
        note("the box alone: echo sent up at first s", Double(first.count { scene.sent[$0] }) / 100)
        let alone = sounds.filter { $0 >= 800 && $0 < periods }
        note("the box alone: false openings", Double(alone.count { scene.sent[$0] && !scene.sent[$0 - 1] }))
        note("the box alone: linear dB", Self.taken(from: scene.microphone, leaving: scene.residual, in: alone[...]))
        note(
            "the box alone: echo taken off dB",
            Self.taken(from: scene.microphone, leaving: scene.output, in: alone[...])
        )
        let later = sounds.filter { $0 >= periods }
        let quiet = later.indices.first { at in
            let next = later[at..<min(at + 20, later.count)]
            return Self.taken(from: scene.microphone, leaving: scene.output, in: next) >= 20
        }
        note("the box is moved: s to 20 dB", quiet.map { Double($0) / 100 } ?? Self.seconds)
        let third = later.dropFirst(200).prefix(100)
        note(
            "the box is moved: linear dB in the 3rd s",
            Self.taken(from: scene.microphone, leaving: scene.residual, in: third)
        )
        note("the box is moved: echo sent up s", Double(later.count { scene.sent[$0] }) / 100)
    }

    private mutating func note(_ name: String, _ value: Double) { figures[name, default: []].append(value) }

    // MARK: Signals

    private static func far(_ seed: UInt64, count: Int) -> [Float] {
        var box = SyntheticPerson(pitch: seed % 2 == 0 ? 120 : 200, size: seed % 2 == 0 ? 1 : 1.15, seed: seed &+ 90)
        return box.talk(from: 0.3, to: seconds, count: count, level: -20)
    }

    private static func echo(_ heard: [Float]) -> [Float] {
        let loud = heard.map { $0 * $0 }.filter { $0 > 1e-7 }
        let power = loud.reduce(0, +) / Float(max(1, loud.count))
        let gain = powf(10, (talker + echo) / 20) / power.squareRoot()
        return heard.map { $0 * gain }
    }

    /// A run of the whole chain, as levels of its periods.
    private struct Scene {
        var near: [Float] = []
        var microphone: [Float] = []
        var output: [Float] = []
        /// The residual of the linear stage.
        var residual: [Float] = []
        var sent: [Bool] = []
        /// Whether the box was full duplex.
        var isFull: [Bool] = []

        init(far: [Float], echo: [Float], near: [Float]) throws {
            var random = SplitMix(seed: 77)
            let gain = powf(10, RelapseCheck.noise / 20) * Float(3).squareRoot()
            let microphone = zip(echo, near).map { max(-1, min(1, $0 + $1 + gain * (2 * random.unit() - 1))) }
            var delay = ReportedDelay()
            // The delay that cards do not report, and the path through the air.
            delay.start = RelapseCheck.delay - 96
            let engine = try ProductEngine(delay: delay)
            let frames = AudioFormat.periodFrames
            var block = [Float](repeating: 0, count: AudioFormat.wirePeriodSamples)
            for start in stride(from: 0, to: far.count - frames + 1, by: frames) {
                Array(far[start..<start + frames]).withUnsafeBufferPointer { far in
                    Array(microphone[start..<start + frames]).withUnsafeBufferPointer { microphone in
                        guard let far = far.baseAddress, let microphone = microphone.baseAddress else { return }
                        engine.process(far: far, microphone: microphone, into: &block)
                    }
                }
                self.near.append(RelapseCheck.level(near[start..<start + frames]))
                self.microphone.append(RelapseCheck.level(microphone[start..<start + frames]))
                output.append(RelapseCheck.level(block[...]))
                residual.append(engine.reading.residual)
                isFull.append(engine.state.isFull)
            }
            sent = engine.sent
        }
    }

    // MARK: Numbers

    private static func level(_ samples: ArraySlice<Float>) -> Float {
        10 * log10f(samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count) + 1e-12)
    }

    /// Difference between two signals in dB, by their mean power in some periods.
    private static func taken(from before: [Float], leaving after: [Float], in periods: ArraySlice<Int>) -> Double {
        Double(decibels(periods.map { before[$0] }) - decibels(periods.map { after[$0] }))
    }

    /// The mean of levels in dB, by power.
    private static func decibels(_ levels: [Float]) -> Float {
        10 * log10f(levels.reduce(0) { $0 + powf(10, $1 / 10) } / Float(max(1, levels.count)) + 1e-12)
    }

    private static func share(_ periods: [Int], _ holds: (Int) -> Bool) -> Double {
        Double(periods.count(where: holds)) / Double(max(1, periods.count))
    }

    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
