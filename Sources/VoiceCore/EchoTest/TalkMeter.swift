internal import Glibc
package import VoiceAudio
internal import VoiceBase

/// Measures how a person who talks comes through while the daemon makes noise itself.
///
/// No marker says when the person talks; it is derived from the signal. First the daemon plays alone, which shows the
/// residual of the linear canceller. Anything well above that later is the person. As for a listener, only loud periods
/// count.
///
/// A pure value; keeps at most half a minute of each part.
package struct TalkMeter: Sendable {
    private static let most = 3000
    /// Margins of talk above the usual residual echo, and above the noise, in dB.
    private static let aboveRest: Float = 6
    private static let aboveNoise: Float = 10
    private static let faintest: Float = -60
    /// Periods this far below the loud ones are ends of words, in dB.
    private static let range: Float = 20
    /// A period whose output is this much softer is lost, in dB. The output comes up to `late` periods later.
    private static let cut: Float = 10
    private static let late = 2

    private var alone: [EchoPeriod] = []
    private var periods: [EchoPeriod] = []

    package init() {}

    /// Takes a period with the daemon playing alone.
    package mutating func takeAlone(_ period: EchoPeriod) {
        if alone.count < Self.most { alone.append(period) }
    }

    /// Takes a period in which somebody was asked to talk.
    package mutating func take(_ period: EchoPeriod) {
        if periods.count < Self.most { periods.append(period) }
    }

    /// - Parameter noise: level of the microphone during silence, in dBFS.
    package func result(noise: Double?) -> TalkResult {
        let floor = max(Self.faintest, Float(noise ?? -70) + Self.aboveNoise)
        let rest = usualRest + Self.aboveRest
        let isTalk = periods.map { $0.residual > floor && $0.residual > $0.echo + rest }
        let levels = zip(periods, isTalk).filter(\.1).map(\.0.residual).sorted()
        guard let loudest = levels.quantile(0.95) else { return TalkResult() }
        let isSent = sent
        var result = TalkResult()
        var total = 0
        var heard = 0
        var cut = 0
        var missing = 0
        var longest = 0
        for index in periods.indices where isTalk[index] && periods[index].residual > loudest - Self.range {
            total += 1
            heard += isSent[index] ? 1 : 0
            let output = periods[index...min(index + Self.late, periods.count - 1)].map(\.output).max() ?? -120
            cut += output < periods[index].residual - Self.cut ? 1 : 0
            missing = isSent[index] ? 0 : missing + 1
            longest = max(longest, missing)
        }
        result.seconds = Double(total) / 100
        result.heardShare = Double(heard) / Double(max(1, total))
        result.cutShare = Double(cut) / Double(max(1, total))
        result.longestLost = Double(longest) / 100
        result.level = levels.quantile(0.5).map(Double.init)
        let echoes = periods.map(\.echo).filter { $0 > Self.faintest }.sorted()
        result.echoLevel = echoes.quantile(0.5).map(Double.init)
        return result
    }

    /// How far the residual exceeds the estimated echo while nobody talks, in dB, as its 95 % quantile.
    private var usualRest: Float {
        let ratios = alone.filter { $0.echo > Self.faintest }.map { $0.residual - $0.echo }.sorted()
        // Without echo, talk needs no margin. The cap applies if all echo is left, where no talk would stand out.
        return min(10, ratios.quantile(0.95) ?? -20)
    }

    /// Whether each period went upstream, at once or later.
    private var sent: [Bool] {
        var sent = periods.map(\.isSent)
        for (index, period) in periods.enumerated() where period.released > 0 {
            for earlier in max(0, index - Int(period.released))..<index { sent[earlier] = true }
        }
        return sent
    }
}

/// How a person's talk came through over the daemon's own noise.
package struct TalkResult: Sendable, Equatable {
    /// Seconds of loud talk, the base of the other values.
    package var seconds = 0.0
    /// Share of it that went upstream, and share of it whose output was more than 10 dB softer, 0 ... 1.
    package var heardShare = 0.0
    package var cutShare = 0.0
    /// The longest stretch that did not go upstream, in seconds of loud talk.
    package var longestLost = 0.0
    /// Medians in dBFS at the microphone, of the person and of the echo; nil for none.
    package var level: Double?
    package var echoLevel: Double?

    package init() {}
}
