internal import Glibc

/// Measures the echo canceller in operation, by half seconds in which the daemon speaks.
///
/// Each block of 50 periods with sound at the loudspeaker (pauses do not count) is judged by its energies after subtracting
/// the noise. A talker in the block makes the canceller look worse than it is. If the canceller detects one, the block says
/// nothing; users of blocks must tolerate one or two in which it did not. The judgement comes 300 ms after the end of the
/// block, as a talker is recognised only after a while.
///
/// A pure value; allocates nothing. Levels in dBFS.
package struct EchoQuality: Sendable, Equatable {
    /// Judgement of half a second of far end.
    package enum Block: Sendable, Equatable, CaseIterable {
        /// The echo at the microphone is negligible.
        case inaudible
        /// The echo is removed well, or down to the noise.
        case good
        case between
        case poor
        /// Would be one of the three above, but a talker is heard: the echo is unknown.
        case talker
    }

    // The parameters of the judgement.

    /// Linear ERLE in dB: good from the first on, poor below the second. A good residual can be distinguished from a
    /// talker and suppressed; at 8 dB that no longer holds.
    package static let goodERLE: Float = 12
    package static let poorERLE: Float = 8
    /// Echo that raises the microphone by less than this above the noise is inaudible, in dB.
    package static let audible: Float = 3
    /// A residual this quiet cannot pass for a talker.
    package static let harmless: Float = -62
    /// The far end counts down to this far below its loudest, in dB, and never below `faintest`.
    package static let range: Float = 20
    package static let faintest: Float = -55
    /// Periods per block.
    package static let blockPeriods = 50
    /// Share of periods with a talker from which a block says nothing about the echo.
    package static let talkerShare: Float = 0.5
    /// Share of periods with clipped samples from which clipping is the cause.
    package static let clippingShare: Float = 0.04
    /// Periods between the end of a block and its judgement.
    package static let wait = 30
    /// Periods of playback to skip while unaligned: the reference may then come up to half a second before its echo.
    package static let unalignedStart = 50

    package private(set) var figures = EchoFigures()
    /// The quietest residual of the linear stage, whatever plays: no talker is as faint. Sound without a pause raises it.
    package private(set) var restFloor: Float = -65

    private var loudest: Float = -40
    private var sums = Energies()
    /// The last complete block, and the periods it has waited for its judgement.
    private var complete: Energies?
    private var waited = 0
    private var average = Energies()
    private var smoothed: Float = -65

    private struct Energies: Sendable, Equatable {
        var microphone: Float = 0
        var residual: Float = 0
        var output: Float = 0
        var clipped: Float = 0
        var talker: Float = 0
        var periods: Float = 0

        /// Averages over about two seconds of far end.
        mutating func add(_ block: Energies) {
            let keep: Float = 0.75
            microphone = microphone * keep + block.microphone
            residual = residual * keep + block.residual
            output = output * keep + block.output
            clipped = clipped * keep + block.clipped
            periods = periods * keep + block.periods
        }
    }

    /// Takes a period; returns a judgement if one is due.
    ///
    /// - Parameters:
    ///   - isPlaying: see `BargeInGate.step`.
    ///   - lasting: periods for which playback has lasted.
    ///   - hasTalker: whether the gate is open for a talker.
    ///   - isLive: whether the microphone is live; the silence of one that is not says nothing, not even about noise.
    package mutating func step(
        _ reading: EchoReading,
        isPlaying: Bool,
        lasting: Int,
        isAligned: Bool,
        hasTalker: Bool = false,
        isLive: Bool = true
    ) -> Block? {
        if isLive {
            smoothed += (max(-96, reading.residual) - smoothed) * 0.1
            restFloor = risen(restFloor)
            if !isPlaying || reading.reference < Self.faintest { figures.noiseFloor = risen(figures.noiseFloor) }
        }
        if isLive, isPlaying {
            add(reading, lasting: lasting, isAligned: isAligned, hasTalker: hasTalker)
        } else if isLive, !isAligned {
            // Short answers must not add up to a block if their echo may come after their end.
            sums = Energies()
        }
        guard let block = complete else { return nil }
        waited += 1
        guard waited > Self.wait else { return nil }
        complete = nil
        return judge(block)
    }

    private mutating func add(_ reading: EchoReading, lasting: Int, isAligned: Bool, hasTalker: Bool) {
        loudest = max(reading.reference, loudest - 0.002)
        guard reading.reference > max(Self.faintest, loudest - Self.range) else { return }
        guard isAligned || lasting >= Self.unalignedStart else { return }
        sums.microphone += Self.power(reading.microphone)
        sums.residual += Self.power(reading.residual)
        sums.output += Self.power(reading.output)
        sums.clipped += reading.isClipped ? 1 : 0
        sums.talker += reading.hasTalker || hasTalker ? 1 : 0
        sums.periods += 1
        guard Int(sums.periods) >= Self.blockPeriods else { return }
        complete = sums
        waited = 0
        sums = Energies()
    }

    /// Forgets what is not judged yet: its reference was misaligned.
    package mutating func discontinuity() {
        sums = Energies()
        complete = nil
    }

    /// Notes that a talker has been found, who was already there for a while.
    package mutating func foundTalker() {
        sums.talker = sums.periods
        if let periods = complete?.periods { complete?.talker = periods }
    }

    private mutating func judge(_ block: Energies) -> Block {
        let noise = Self.power(figures.noiseFloor)
        let microphone = block.microphone / block.periods
        let residual = block.residual / block.periods
        let isAudible = Self.decibels(microphone) > figures.noiseFloor + Self.audible
        // Below the noise there is nothing left to remove.
        let isHarmless = residual < 2 * noise || Self.decibels(residual) < Self.harmless
        let erle = Self.decibels(max(microphone - noise, 1e-12) / Self.rest(residual, noise: noise))
        if isAudible && !isHarmless && erle < Self.goodERLE && block.talker >= Self.talkerShare * block.periods {
            return .talker
        }

        average.add(block)
        figures.clippedShare = average.clipped / average.periods
        let mean = average.microphone / average.periods
        figures.echoLevel = Self.decibels(mean)
        guard isAudible else { return .inaudible }
        let echo = max(mean - noise, 1e-12)
        figures.residualLevel = Self.decibels(average.residual / average.periods)
        figures.linearERLE = Self.decibels(echo / Self.rest(average.residual / average.periods, noise: noise))
        figures.wholeERLE = Self.decibels(echo / Self.rest(average.output / average.periods, noise: noise))
        return isHarmless || erle >= Self.goodERLE ? .good : erle >= Self.poorERLE ? .between : .poor
    }

    /// Falls with the level within 100 ms and rises by 4 dB a second: speech has pauses, noise has none.
    private func risen(_ floor: Float) -> Float { min(max(smoothed, -96), floor + 0.04) }

    /// Returns the residual echo without noise, at most 6 dB below the whole residual, as the noise is not known precisely.
    private static func rest(_ residual: Float, noise: Float) -> Float {
        max(residual - noise, residual * 0.25, 1e-12)
    }

    private static func power(_ decibels: Float) -> Float { powf(10, decibels / 10) }
    private static func decibels(_ power: Float) -> Float { 10 * log10f(max(power, 1e-12)) }
}

/// The measured figures of the echo.
package struct EchoFigures: BitwiseCopyable, Sendable, Equatable {
    /// The quietest level of the microphone while nothing plays, and of the linear stage's residual in pauses of the playback.
    package var noiseFloor: Float = -65
    /// Linear and overall echo return loss enhancement, in dB; nil until the first block with echo.
    package var linearERLE: Float?
    package var wholeERLE: Float?
    /// The microphone while the daemon speaks, and the residual of the linear stage.
    package var echoLevel: Float?
    package var residualLevel: Float?
    /// Share of far-end periods with clipped samples, 0 ... 1.
    package var clippedShare: Float = 0
}
