internal import Glibc
package import VoiceAudio
internal import VoiceBase

/// Measures what the box hears of a person who talks while it makes noise itself.
///
/// Nobody tells when the person talks. It is taken from the signal: first the box is alone, which shows what the linear canceller
/// leaves of the echo; what is well above that later is the person. Only the loud periods count, as for a listener.
///
/// A pure value; keeps half a minute of each part at most.
package struct TalkMeter: Sendable {
    private static let most = 3000
    /// Talk is so much above what is usually left of the echo, and above the noise, in dB.
    private static let aboveRest: Float = 6
    private static let aboveNoise: Float = 10
    private static let faintest: Float = -60
    /// Periods so far below the loud ones are ends of words, in dB.
    private static let range: Float = 20
    /// A period that comes out so much softer is lost, in dB. The output comes up to two periods later.
    private static let cut: Float = 10
    private static let late = 2

    private var alone: [EchoPeriod] = []
    private var periods: [EchoPeriod] = []

    package init() {}

    /// Takes a period in which the box was alone.
    package mutating func takeAlone(_ period: EchoPeriod) {
        if alone.count < Self.most { alone.append(period) }
    }

    /// Takes a period in which somebody was asked to talk.
    package mutating func take(_ period: EchoPeriod) {
        if periods.count < Self.most { periods.append(period) }
    }

    /// - Parameter noise: the microphone while nothing sounds, in dBFS.
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

    /// By how much what is left exceeds the estimated echo while nobody talks, in dB: seldom more.
    private var usualRest: Float {
        let ratios = alone.filter { $0.echo > Self.faintest }.map { $0.residual - $0.echo }.sorted()
        // Without echo there is nothing to be told from; where all of it is left, nothing could be.
        return min(10, ratios.quantile(0.95) ?? -20)
    }

    /// Which periods went upstream, at once or later.
    private var sent: [Bool] {
        var sent = periods.map(\.isSent)
        for (index, period) in periods.enumerated() where period.released > 0 {
            for earlier in max(0, index - Int(period.released))..<index { sent[earlier] = true }
        }
        return sent
    }
}

/// What became of a person's talk over the box's own noise.
package struct TalkResult: Sendable, Equatable {
    /// Seconds of loud talk over which the rest is counted.
    package var seconds = 0.0
    /// Share of it that went upstream, and share that came out more than 10 dB softer, 0 ... 1.
    package var heardShare = 0.0
    package var cutShare = 0.0
    /// The longest piece that did not go upstream, in seconds of loud talk.
    package var longestLost = 0.0
    /// Medians in dBFS at the microphone: of the person, and of the echo; nil for none.
    package var level: Double?
    package var echoLevel: Double?

    package init() {}
}
