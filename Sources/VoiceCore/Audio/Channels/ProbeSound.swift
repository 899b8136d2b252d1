internal import CAlsa
internal import Glibc
internal import VoiceBase

/// Plays and records for `devices --probe`: every channel, at the card's own rate, on separate threads that may block.
package enum ProbeSound {
    /// Seconds: the whole recording, the leading silence, and the part of it that is measured.
    private static let whole = 4.5
    private static let before = 1.5
    /// How long the threads may take once the devices are open; waits for a device that stalls included.
    private static let most = Duration.seconds(10)
    private static let calm = 0.3...1.2
    /// Buffer size in periods of 10 ms.
    private static let periods = 25

    /// Result of a probe; `silence` is the reason if the sound could not be played.
    package struct Outcome: Sendable {
        package var probe: ChannelProbe
        package var rate: Int
        package var silence: AudioDeviceError?
    }

    /// Runs a probe, which takes five seconds.
    ///
    /// - Parameter output: nil to play nothing.
    /// - Throws: if the microphone cannot be recorded.
    package static func run(input: DeviceRequest, output: DeviceRequest?) async throws(AudioDeviceError) -> Outcome {
        async let heard = input.answer(more: most) { input -> Result<Recording, AudioDeviceError> in
            do throws(AudioDeviceError) { return .success(try record(input)) } catch { return .failure(error) }
        }
        async let played = silence(of: output)
        let (result, silence) = await (heard ?? .failure(input.unanswered), played)
        let recording = try result.get()
        let isPlayed = output != nil && silence == nil
        let probe = ChannelProbe(
            recording: recording.channels,
            rate: recording.rate,
            sound: isPlayed ? ChannelProbe.sound(rate: ChannelProbe.rate) : [],
            quiet: calm
        )
        return Outcome(probe: probe, rate: recording.rate, silence: silence)
    }

    /// Plays the sound; returns why it could not be played.
    private static func silence(of output: DeviceRequest?) async -> AudioDeviceError? {
        guard let output else { return nil }
        let result = await output.answer(more: most) { output -> Result<Void, AudioDeviceError> in
            do throws(AudioDeviceError) { return .success(try play(output)) } catch { return .failure(error) }
        }
        guard case .failure(let error) = result ?? .failure(output.unanswered) else { return nil }
        return error
    }

    private struct Recording: Sendable {
        var channels: [[Float]]
        var rate: Int
    }

    private static func open(_ request: DeviceRequest) throws(AudioDeviceError) -> ALSAStream {
        var request = request
        request.periods = periods
        return try request.openWhole()
    }

    private static func record(_ request: DeviceRequest) throws(AudioDeviceError) -> Recording {
        var stream = try open(request)
        let (plan, frameBytes) = (stream.parameters, stream.frameBytes)
        let wanted = Int(whole * Double(plan.rate))
        var channels = [[Float]](repeating: [], count: plan.channels)
        try stream.startWaiting()
        while channels[0].count < wanted {
            let count = snd_pcm_readi(stream.pcm, stream.raw, snd_pcm_uframes_t(plan.cycleFrames))
            guard count > 0 else {
                try stream.wait(after: count, step: "record")
                continue
            }
            stream.progressed()
            for channel in channels.indices {
                for frame in 0..<count {
                    let place = stream.raw + frame * frameBytes + channel * plan.format.bytes
                    channels[channel].append(plan.format.decode(place))
                }
            }
        }
        return Recording(channels: channels, rate: plan.rate)
    }

    private static func play(_ request: DeviceRequest) throws(AudioDeviceError) {
        var stream = try open(request)
        let plan = stream.parameters
        let silence = [Float](repeating: 0, count: Int(before * Double(plan.rate)))
        let samples = silence + ChannelProbe.sound(rate: plan.rate) + [Float](repeating: 0, count: plan.rate / 4)
        let frames = samples.map { StereoFrame($0) }
        var done = 0
        while done < frames.count {
            let block = min(plan.cycleFrames, frames.count - done)
            frames.withUnsafeBufferPointer { all in
                guard let base = all.baseAddress else { return }
                plan.format.encode(base + done, frames: block, channels: plan.channels, into: stream.raw)
            }
            let count = snd_pcm_writei(stream.pcm, stream.raw, snd_pcm_uframes_t(block))
            guard count > 0 else {
                try stream.wait(after: count, step: "play")
                continue
            }
            stream.progressed()
            done += count
        }
        try stream.startWaiting()
        snd_pcm_nonblock(stream.pcm, 0)
        snd_pcm_drain(stream.pcm)
    }
}

extension ALSAStream {
    private static let waitMilliseconds: Int32 = 2000

    /// Waits after `code` until the device takes or delivers frames again. Starts it if it is not running and recovers from
    /// errors if possible.
    fileprivate mutating func wait(after code: Int, step: String) throws(AudioDeviceError) {
        var code = code
        if code == 0 || code == -Int(EAGAIN) {
            // Playback starts once the buffer is full.
            try startWaiting()
            let ready = snd_pcm_wait(pcm, Self.waitMilliseconds)
            if ready > 0 { return }
            code = ready == 0 ? -Int(ETIMEDOUT) : Int(ready)
        }
        let lost = code == -Int(ETIMEDOUT) ? ETIMEDOUT : recover(code)
        if lost != 0 { throw .from(-lost, device: device, direction: direction, step: step) }
        if direction == .capture { try startWaiting() }
    }

    /// Starts the device if it is prepared and not running.
    fileprivate func startWaiting() throws(AudioDeviceError) {
        guard snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED else { return }
        let code = snd_pcm_start(pcm)
        if code < 0 && code != -EPIPE { throw .from(code, device: device, direction: direction, step: "start") }
    }
}
