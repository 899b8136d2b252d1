internal import VoiceBase

/// How a device is run, and what that costs: what was chosen of its abilities.
package struct StreamPlan: Sendable, Equatable {
    var format: SampleFormat
    /// Hz.
    var rate = AudioFormat.deviceRate
    var channels: Int
    /// Frames at `rate`; likewise the buffer.
    var periodFrames: Int
    var bufferFrames: Int
    /// The sound server behind the device, if there is one.
    var server: SoundServer?
    /// By how much the converter to or from 48 kHz is late; 0 at 48 kHz.
    var converterMilliseconds = 0.0

    /// By how much a sound server behind the device may move on at once, in frames at 48 kHz; 0 without one.
    var serverStep: Int { server == nil ? 0 : SoundServer.step }

    /// 10 ms in frames at `rate`, rounded up where they are no whole number.
    var cycleFrames: Int { (rate + 99) / 100 }

    var bufferMilliseconds: Int { bufferFrames * 1000 / max(1, rate) }

    /// Whether the buffer holds less than three cycles, so that every frame of it counts.
    var isTiny: Bool { bufferFrames < 3 * cycleFrames }

    /// By how much the sound moves on at once, in milliseconds.
    var periodMilliseconds: Double { Double(periodFrames * 1000) / Double(max(1, rate)) }

    /// What a microphone adds to the usual delay: by the converter, and by steps longer than the cycle of 10 ms.
    var addedMilliseconds: Double { converterMilliseconds + max(0, periodMilliseconds - 10.5) }

    /// What a loudspeaker adds to the usual delay: by the converter, and by what its buffer is filled with beyond what is
    /// configured.
    ///
    /// - Parameters: as of `fill`.
    func addedMilliseconds(wanted: Int, microphoneStep: Int) -> Double {
        let more = fill(wanted: wanted, microphoneStep: microphoneStep) - wanted
        return converterMilliseconds + Double(max(0, more) * 1000) / Double(AudioFormat.deviceRate)
    }

    /// By how much the sound moves on at once, in frames at 48 kHz: the period, or a sound server's step.
    package var step: Int { max(serverStep, periodFrames * AudioFormat.deviceRate / max(1, rate)) }

    /// The rate for people, with what it costs: "16000 Hz (+2.0 ms)".
    var rateText: String {
        converterMilliseconds == 0 ? "\(rate) Hz" : "\(rate) Hz (+\(Self.tenths(converterMilliseconds)) ms)"
    }

    /// "16000 Hz (+2.0 ms), S16_LE, 6 channels, buffer of 160 ms in steps of 21.3 ms".
    package var summary: String {
        let steps = periodMilliseconds > 10.5 ? " in steps of \(Self.tenths(periodMilliseconds)) ms" : ""
        return "\(rateText), \(channels) channel\(channels == 1 ? "" : "s"), buffer of \(bufferMilliseconds) ms\(steps)"
    }

    /// Frames that the loudspeaker's buffer is filled to, at 48 kHz.
    ///
    /// It must last until the next cycle writes: a microphone in long steps brings several cycles at once and then none for a
    /// step, and a card in long steps takes one ahead.
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
        // Half a cycle that does not fit is handed over as soon as the next cycle begins: a small buffer is filled whole.
        return min(max(wanted, needed), buffer >= 3 * cycle ? buffer - cycle : buffer + cycle / 2)
    }

    /// The least buffer that a cycle of 10 ms can be played from, in frames at `rate`.
    var leastBuffer: Int { cycleFrames * 3 / 2 }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension StreamPlan {
    /// What a device that runs like this adds to the way of the sound, in ms: a period of the microphone is waited for, and the
    /// loudspeaker's buffer is filled.
    ///
    /// - Parameter microphoneStep: of the microphone beside it, in frames at 48 kHz; nil: of an ordinary one.
    func cost(_ request: DeviceRequest, microphoneStep: Int?) -> Int {
        let converter = Int(converterMilliseconds.rounded(.up))
        guard request.direction == .playback else {
            return max(10, Int(periodMilliseconds.rounded())) + converter
        }
        let step = microphoneStep ?? AudioFormat.periodFrames
        return fill(wanted: request.fill, microphoneStep: step) * 1000 / AudioFormat.deviceRate + converter
    }
}

/// At which of its rates a card is run.
extension SampleRates {
    /// Best first.
    ///
    /// 48 kHz needs no converter and 96 kHz the shortest. The voice goes upstream at 24 kHz, so that a microphone at 32 kHz
    /// has all of it, as has one of 88.2 kHz and more, at more work for the bus. Below that every step costs speech something.
    /// A loudspeaker also plays music, which 44.1 kHz and all above have whole.
    static func preferred(_ direction: AudioDirection) -> [Int] {
        switch direction {
        case .capture:
            [48_000, 96_000, 44_100, 32_000, 88_200, 192_000, 176_400, 24_000, 22_050, 16_000, 11_025, 8000]
        case .playback:
            [48_000, 96_000, 44_100, 88_200, 192_000, 176_400, 32_000, 24_000, 22_050, 16_000, 11_025, 8000]
        }
    }
}
