internal import Glibc

/// Slow automatic gain on the cleaned microphone: brings speech to -24 dBFS, by at most 12 dB either way.
///
/// It learns from speech alone. Speech lies 12 dB above the noise floor (the smallest level of the last two seconds, the
/// simplest form of Martin's minimum statistics) *and* rises and falls as syllables do: a stretch that never dips by 8 dB and
/// comes back is noise and leaves no trace. While the loudspeaker plays, nothing is learned and the gain does not move, as
/// the residue may be echo. The gain moves only during speech, at 2 dB a second up and 6 down.
struct SpeechLeveller: Sendable {
    private static let target: Float = -24
    private static let largest: Float = 12
    private static let deadZone: Float = 0.5
    /// Anything quieter is never speech.
    private static let quietest: Float = -52
    private static let quietestFloor: Float = -72
    private static let aboveFloor: Float = 12
    private static let dip: Float = 8
    private static let up: Float = 0.02
    private static let down: Float = 0.06
    /// The gain lifts no sample above -1 dBFS.
    private static let peak: Float = 0.891

    /// A stretch of possible speech.
    private struct Stretch {
        var energy: Float = 0
        var periods = 0
        var pause = 0
        var isLow = false
        var syllables = 0

        var level: Float { SpeechLeveller.decibels(energy / Float(max(1, periods))) }
    }

    /// The gain aimed for, in dB.
    private(set) var gain: Float = 0
    private var applied: Float = 1
    private var speech: Float?
    private var stretch = Stretch()
    private var floors = InlineArray<8, Float>(repeating: 0)
    private var floorIndex = 0
    private var floorAge = 0
    private var hasFloor = false

    /// Processes one period of 24 kHz samples in place.
    mutating func process(_ samples: UnsafeMutablePointer<Int16>, count: Int, isPlaying: Bool) {
        guard count > 0 else { return }
        var sum: Float = 0
        var highest: Int32 = 0
        for index in 0..<count {
            let sample = Int32(samples[index])
            sum += Float(sample * sample)
            highest = max(highest, abs(sample))
        }
        let energy = sum / Float(count) / (32_768 * 32_768)
        if isPlaying {
            stretch = Stretch()
        } else {
            learn(energy: energy)
        }
        apply(to: samples, count: count, peak: Float(highest) / 32_768)
    }

    private mutating func learn(energy: Float) {
        let level = Self.decibels(energy)
        let floor = track(level)
        guard level > max(Self.quietest, floor + Self.aboveFloor) else {
            if stretch.periods > 0 {
                stretch.isLow = true
                stretch.pause += 1
                if stretch.pause > 50 { close() }
            }
            return
        }
        stretch.pause = 0
        stretch.energy += energy
        stretch.periods += 1
        if level < stretch.level - Self.dip {
            stretch.isLow = true
        } else if stretch.isLow {
            stretch.isLow = false
            stretch.syllables += 1
        }
        if stretch.periods >= 200 { close() }
        move()
    }

    /// Ends a stretch, which counts if it had syllables.
    private mutating func close() {
        defer { stretch = Stretch() }
        guard stretch.periods >= 20, stretch.syllables >= 2 else { return }
        let weight = min(0.6, Float(stretch.periods) / 300)
        speech = speech.map { $0 + weight * (stretch.level - $0) } ?? stretch.level
    }

    private mutating func move() {
        guard let speech else { return }
        let wanted = max(-Self.largest, min(Self.largest, Self.target - speech))
        if wanted > gain + Self.deadZone {
            gain += Self.up
        } else if wanted < gain - Self.deadZone {
            gain -= Self.down
        }
    }

    /// Returns the smallest level of the last two seconds, tracked in eight parts.
    private mutating func track(_ level: Float) -> Float {
        if !hasFloor {
            for index in floors.indices { floors[index] = level }
            hasFloor = true
        }
        floorAge += 1
        if floorAge >= 25 {
            floorAge = 0
            floorIndex = (floorIndex + 1) & 7
            floors[floorIndex] = level
        }
        floors[floorIndex] = min(floors[floorIndex], level)
        var least = floors[0]
        for index in floors.indices { least = min(least, floors[index]) }
        return max(Self.quietestFloor, least)
    }

    /// Moves the gain linearly across the period, or within 2 ms when it falls.
    private mutating func apply(to samples: UnsafeMutablePointer<Int16>, count: Int, peak: Float) {
        var wanted = powf(10, gain / 20)
        if wanted > 1, peak * wanted > Self.peak { wanted = max(1, Self.peak / peak) }
        guard applied != 1 || wanted != 1 else { return }
        let ramp = wanted < applied ? min(count, 48) : count
        let step = (wanted - applied) / Float(ramp)
        for index in 0..<count {
            let factor = index + 1 < ramp ? applied + step * Float(index + 1) : wanted
            samples[index] = Int16(max(-32_768, min(32_767, (Float(samples[index]) * factor).rounded())))
        }
        applied = wanted
    }

    private static func decibels(_ energy: Float) -> Float { 10 * log10f(energy + 1e-12) }
}
