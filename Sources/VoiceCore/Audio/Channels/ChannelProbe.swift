internal import CDSP
internal import Glibc

/// Finds out what the channels of a microphone carry, from a recording of all of them while a probe sound was played.
///
/// A pure computation. Levels in dBFS (mean power).
package struct ChannelProbe: Sendable {
    /// Measurements of one channel.
    package struct Measurement: Sendable, Equatable {
        /// Level before the sound, and during it.
        package var quiet: Double
        package var loud: Double
        /// Whether all samples have the same value.
        package var isSilent: Bool
        /// Share of the sound in the channel, 0 ... 1: the highest normalised correlation.
        package var likeness: Double
        /// Arrival of the sound in ms since the beginning of the recording; nil if it was not found.
        package var arrival: Double?
        /// The first channel with the same signal, counted from 0.
        package var sameAs: Int?

        /// Level that the sound added; nil if negligible.
        var echo: Double? {
            let added = pow(10, loud / 10) - pow(10, quiet / 10)
            return likeness > ChannelProbe.heard || loud - quiet > 6 ? 10 * log10(max(added, 1e-12)) : nil
        }
    }

    /// Least likeness of a channel that picked up the sound.
    static let heard = 0.15
    /// Least likeness of a channel that is the sound itself, provided its noise is below `noiseless` (dBFS).
    static let copy = 0.8
    static let noiseless = -85.0
    /// How far a processed channel lies below the loudest microphone during the sound, in dB.
    static let cancelled = 12.0
    static let rate = 8000

    package let channels: [Measurement]
    /// Whether the sound was played at all.
    package let isPlayed: Bool

    /// - Parameters:
    ///   - recording: channels of samples, full scale 1.
    ///   - rate: of the recording, in Hz.
    ///   - sound: the probe sound at 8 kHz; empty if none was played.
    ///   - quiet: the part of the recording before the sound, in seconds.
    init(recording: [[Float]], rate: Int, sound: [Float], quiet: ClosedRange<Double>) {
        isPlayed = !sound.isEmpty
        var measured: [Measurement] = []
        for (place, samples) in recording.enumerated() {
            let low = Self.decimate(samples, from: rate)
            var one = Self.measure(samples, low: low, rate: rate, sound: sound, quiet: quiet)
            if !one.isSilent { one.sameAs = (0..<place).first { Self.isSame(recording[$0], samples) } }
            measured.append(one)
        }
        channels = measured
    }

    /// For tests.
    init(channels: [Measurement], isPlayed: Bool) {
        self.channels = channels
        self.isPlayed = isPlayed
    }

    // MARK: Judgement

    /// Whether any channel picked up the sound.
    package var isHeard: Bool { channels.contains { $0.echo != nil } }

    /// Role of each channel; nil if undecidable, because no channel picked up the sound or none was played.
    package var roles: [ChannelRole?] {
        let loudest = channels.filter { !isReference($0) && !$0.isSilent }.compactMap(\.echo).max()
        return channels.map { one in
            if one.isSilent { return .silent }
            if isReference(one) { return .reference }
            guard isPlayed, isHeard else { return nil }
            // If a reference proves that the sound was played, a channel without any of it has removed it.
            guard let loudest, let echo = one.echo else { return .processed }
            return loudest - echo >= Self.cancelled ? .processed : .raw
        }
    }

    private func isReference(_ one: Measurement) -> Bool {
        !one.isSilent && one.likeness >= Self.copy && one.quiet < Self.noiseless
    }

    /// Returns the map for the configuration; nil if a role is unknown or no channel has a voice.
    ///
    /// - Parameter unheard: role to assume for channels whose role is unknown.
    package func map(unheard: ChannelRole? = nil) -> ChannelMap? {
        let roles = roles.compactMap { $0 ?? unheard }
        return roles.count == channels.count ? try? ChannelMap(roles) : nil
    }

    package var lines: [String] {
        let first = channels.compactMap(\.arrival).min()
        return zip(channels, roles).enumerated().map { place, pair in
            let (one, role) = pair
            var text = "channel \(place + 1): "
            if one.isSilent { return text + "silent: always the same value" }
            text += "noise \(Self.whole(one.quiet)) dBFS"
            if isPlayed { text += ", with the sound \(Self.whole(one.loud)) dBFS" }
            if let arrival = one.arrival, let first {
                text += ", \(Self.tenths(arrival - first)) ms after the first"
            }
            if let same = one.sameAs { text += ", the same as channel \(same + 1)" }
            return text + (role.map { ": \($0.rawValue)" } ?? "")
        }
    }

    private static func whole(_ value: Double) -> Int { Int(max(-120, min(20, value)).rounded()) }
    private static func tenths(_ value: Double) -> String {
        let tenths = Int((max(0, min(10_000, value)) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    // MARK: Measurement

    /// Returns the probe sound: a one-second sweep from 300 to 3400 Hz at -26 dBFS, with soft ends; the same at any rate.
    /// - Parameter shift: phase offset in radians.
    static func sound(rate: Int, shift: Double = 0) -> [Float] {
        (0..<rate).map { index in
            let time = Double(index) / Double(rate)
            let edge = min(1, min(time, 1 - time) * 20)
            return Float(0.07 * edge * sin(2 * .pi * (300 * time + 1550 * time * time) + shift))
        }
    }

    private static func measure(
        _ samples: [Float],
        low: [Float],
        rate: Int,
        sound: [Float],
        quiet: ClosedRange<Double>
    ) -> Measurement {
        let first = samples.first ?? 0
        let isSilent = samples.allSatisfy { $0 == first }
        let calm = slice(samples, quiet, rate)
        var one = Measurement(quiet: level(calm), loud: level(calm), isSilent: isSilent, likeness: 0)
        guard !isSilent, !sound.isEmpty, low.count > sound.count else { return one }
        let (place, likeness) = find(sound, in: low, from: Int(quiet.upperBound * Double(Self.rate)))
        one.likeness = likeness
        let begin = Double(place) / Double(Self.rate)
        // If the sound was not found, use what followed the quiet part.
        let from = likeness > heard ? begin : quiet.upperBound + 0.7
        one.loud = level(slice(samples, from...(from + 1), rate))
        if likeness > heard { one.arrival = begin * 1000 }
        return one
    }

    /// Returns the position and the value of the highest normalised correlation. Uses both quadrature phases, since the sound
    /// may fall between two samples.
    private static func find(_ sound: [Float], in samples: [Float], from first: Int) -> (Int, Double) {
        let count = sound.count
        guard first + count < samples.count else { return (0, 0) }
        let other = Self.sound(rate: Self.rate, shift: .pi / 2)
        var energy = samples[first..<(first + count)].reduce(0.0) { $0 + Double($1) * Double($1) }
        let own = sound.reduce(0.0) { $0 + Double($1) * Double($1) }
        var best = (place: 0, likeness: 0.0)
        samples.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return }
            for place in first..<(samples.count - count) {
                let product = Double(cdsp_dot(base + place, sound, count))
                let second = other.count == count ? Double(cdsp_dot(base + place, other, count)) : 0
                let likeness =
                    (product * product + second * second).squareRoot()
                    / max(1e-9, (own * max(energy, 1e-12)).squareRoot())
                if likeness > best.likeness { best = (place, likeness) }
                let (old, new) = (Double(base[place]), Double(base[place + count]))
                energy += new * new - old * old
            }
        }
        return (best.place, min(1, best.likeness))
    }

    /// Decimates to 8 kHz by averaging, which suffices for a comparison: content above 4 kHz does not matter.
    static func decimate(_ samples: [Float], from rate: Int) -> [Float] {
        guard rate > Self.rate else { return samples }
        let step = Double(rate) / Double(Self.rate)
        let count = Int(Double(samples.count) / step)
        return (0..<count).map { index in
            let from = Int(Double(index) * step)
            let to = max(from + 1, min(samples.count, Int(Double(index + 1) * step)))
            return samples[from..<to].reduce(0, +) / Float(to - from)
        }
    }

    private static func isSame(_ one: [Float], _ other: [Float]) -> Bool {
        guard one.count == other.count else { return false }
        var difference = 0.0
        var energy = 0.0
        for (a, b) in zip(one, other) {
            difference += Double(a - b) * Double(a - b)
            energy += Double(a) * Double(a)
        }
        return energy > 0 && difference < energy * 1e-4
    }

    private static func slice(_ samples: [Float], _ seconds: ClosedRange<Double>, _ rate: Int) -> ArraySlice<Float> {
        let from = max(0, min(samples.count, Int(seconds.lowerBound * Double(rate))))
        let to = max(from, min(samples.count, Int(seconds.upperBound * Double(rate))))
        return samples[from..<to]
    }

    private static func level(_ samples: ArraySlice<Float>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        return max(-120, 10 * log10(power + 1e-12))
    }
}

extension ChannelProbe {
    /// Advice for the user on the result.
    package var conclusion: [String] {
        if channels.allSatisfy(\.isSilent) {
            return [
                "All channels are silent: the microphone is muted (a key on the device, or alsamixer, F4). This says "
                    + "nothing about the echo; probe again."
            ]
        }
        if let map = map() {
            var lines = ["audio.input_channels = \"\(map.text)\""]
            if map.first(.processed) != nil {
                lines.append("The device cancels its own echo: echo.mode = \"auto\" leaves it to the device.")
            }
            return lines
        }
        guard isPlayed else {
            return [
                "Without a test sound, a raw channel cannot be told from a processed one: probe again when the output "
                    + "is free."
            ]
        }
        guard !isHeard else { return ["No channel carries a voice."] }
        guard let map = map(unheard: .processed) else { return ["No channel carries a voice."] }
        return [
            "No channel heard the sound. If you heard it, the device cancels its own echo:",
            "audio.input_channels = \"\(map.text)\"",
            "If you did not, the loudspeaker is off, muted or not the one in audio.output: probe again.",
        ]
    }
}
