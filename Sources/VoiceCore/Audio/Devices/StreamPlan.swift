internal import VoiceBase

/// The parameters chosen from a device's abilities, and what they cost.
package struct StreamPlan: Sendable, Equatable {
    var format: SampleFormat
    /// Hz.
    var rate = AudioFormat.deviceRate
    var channels: Int
    /// Frames at `rate`, like the buffer.
    var periodFrames: Int
    var bufferFrames: Int
    /// The sound server behind the device; nil if none.
    var server: SoundServer?
    /// Latency of the converter to or from 48 kHz; 0 at 48 kHz.
    var converterMilliseconds = 0.0

    /// Frames at 48 kHz by which a sound server behind the device may advance in one step; 0 without one.
    var serverStep: Int { server == nil ? 0 : SoundServer.step }

    /// 10 ms in frames at `rate`, rounded up.
    var cycleFrames: Int { (rate + 99) / 100 }

    var bufferMilliseconds: Int { bufferFrames * 1000 / max(1, rate) }

    /// Whether the buffer holds less than three cycles, so that every frame of it counts.
    var isTiny: Bool { bufferFrames < 3 * cycleFrames }

    /// Returns how many cycles of a microphone may be taken together: its buffer must have room for four more, as the reader may
    /// be late.
    func together(atMost wanted: Int) -> Int { max(1, min(wanted, bufferFrames / max(1, cycleFrames) - 4)) }

    /// Length of a period in milliseconds.
    var periodMilliseconds: Double { Double(periodFrames * 1000) / Double(max(1, rate)) }

    /// Latency that a microphone adds to the usual one: the converter, and periods longer than the cycle of 10 ms.
    var addedMilliseconds: Double { converterMilliseconds + max(0, periodMilliseconds - 10.5) }

    /// Returns the latency that a loudspeaker adds to the usual one: the converter, and the fill of its buffer beyond the
    /// configured one.
    ///
    /// - Parameters: as of `fill`.
    func addedMilliseconds(wanted: Int, microphoneStep: Int) -> Double {
        let more = fill(wanted: wanted, microphoneStep: microphoneStep) - wanted
        return converterMilliseconds + Double(max(0, more) * 1000) / Double(AudioFormat.deviceRate)
    }

    /// Frames at 48 kHz by which the sound advances in one step: the period, or a sound server's step.
    package var step: Int { max(serverStep, periodFrames * AudioFormat.deviceRate / max(1, rate)) }

    /// "16000 Hz, 6 channels, buffer of 160 ms in steps of 21.3 ms".
    package var summary: String {
        let steps = periodMilliseconds > 10.5 ? " in steps of \(Self.tenths(periodMilliseconds)) ms" : ""
        return "\(rate) Hz, \(channels) channel\(channels == 1 ? "" : "s"), buffer of \(bufferMilliseconds) ms\(steps)"
    }

    /// Returns the fill level of the loudspeaker's buffer, in frames at 48 kHz.
    ///
    /// It must last until the next cycle writes: a microphone with long steps brings several cycles together and then none for
    /// a step, and a card with long steps takes one step ahead.
    ///
    /// - Parameters:
    ///   - wanted: frames at 48 kHz, as configured.
    ///   - microphoneStep: period of the microphone in frames at 48 kHz.
    func fill(wanted: Int, microphoneStep: Int) -> Int {
        let cycle = AudioFormat.periodFrames
        let own = step
        let buffer = bufferFrames * AudioFormat.deviceRate / max(1, rate)
        let isLong = max(own, microphoneStep) > cycle + cycle / 2
        let needed = isLong ? own + max(cycle, microphoneStep) + cycle : 0
        // Half a cycle that does not fit is handed over as soon as the next cycle begins, so a small buffer is filled
        // completely.
        return min(max(wanted, needed), buffer >= 3 * cycle ? buffer - cycle : buffer + cycle / 2)
    }

    /// The smallest buffer that can play cycles of 10 ms, in frames at `rate`.
    var leastBuffer: Int { cycleFrames * 3 / 2 }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// The latency of a device, in milliseconds.
package struct DeviceCost: Sendable, Equatable {
    package var whole = 0
    /// The part of it that an ordinary card lacks: `added_ms` of the log.
    package var added = 0

    /// "adds 13 ms (3 more than an ordinary card)".
    package var text: String {
        "adds \(whole) ms" + (added > 0 ? " (\(added) more than an ordinary card)" : "")
    }
}

extension StreamPlan {
    /// Frames at 48 kHz in whole milliseconds.
    static func milliseconds(_ frames: Int) -> Int {
        (frames * 1000 + AudioFormat.deviceRate / 2) / AudioFormat.deviceRate
    }

    /// Returns the latency of a device that runs like this: a period of the microphone, or the fill of the loudspeaker's
    /// buffer, plus the converter.
    ///
    /// - Parameter microphoneStep: step of the microphone next to it, in frames at 48 kHz; nil for an ordinary one.
    func cost(_ request: DeviceRequest, microphoneStep: Int?) -> DeviceCost {
        let converter = Int(converterMilliseconds.rounded(.up))
        guard request.direction == .playback else {
            return DeviceCost(
                whole: max(10, Int(periodMilliseconds.rounded())) + converter,
                added: Int(addedMilliseconds.rounded(.up))
            )
        }
        let step = microphoneStep ?? AudioFormat.periodFrames
        return DeviceCost(
            whole: Self.milliseconds(fill(wanted: request.fill, microphoneStep: step)) + converter,
            added: Int(addedMilliseconds(wanted: request.fill, microphoneStep: step).rounded(.up))
        )
    }
}

/// The choice of a card's rate.
extension SampleRates {
    /// Returns the rates to try, best first.
    ///
    /// 48 kHz needs no converter and 96 kHz the shortest one. The voice goes upstream at 24 kHz: a microphone at 32 kHz
    /// delivers all of that, as does one at 88.2 kHz and above, with more bus traffic. Every step below that costs speech
    /// quality. A loudspeaker also plays music, which is complete at 44.1 kHz and everything above.
    static func preferred(_ direction: AudioDirection) -> [Int] {
        switch direction {
        case .capture:
            [48_000, 96_000, 44_100, 32_000, 88_200, 192_000, 176_400, 24_000, 22_050, 16_000, 11_025, 8000]
        case .playback:
            [48_000, 96_000, 44_100, 88_200, 192_000, 176_400, 32_000, 24_000, 22_050, 16_000, 11_025, 8000]
        }
    }
}
