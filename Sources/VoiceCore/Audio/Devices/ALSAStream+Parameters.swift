internal import CAlsa

extension ALSAStream {
    private static let formats: [(SampleFormat, snd_pcm_format_t)] = [
        (.s32, SND_PCM_FORMAT_S32_LE), (.s24, SND_PCM_FORMAT_S24_LE), (.s24packed, SND_PCM_FORMAT_S24_3LE),
        (.float, SND_PCM_FORMAT_FLOAT_LE), (.s16, SND_PCM_FORMAT_S16_LE),
    ]

    /// Sets 48 kHz, a format of ours, and periods of 10 ms or near. The rate converter of ALSA stays out of it: it is linear.
    static func configure(
        _ pcm: OpaquePointer,
        device: String,
        direction: AudioDirection,
        channels wanted: Int,
        periods: Int
    ) throws(AudioDeviceError) -> Parameters {
        func check(_ code: Int32, _ step: String) throws(AudioDeviceError) {
            if code < 0 { throw .from(code, device: device, direction: direction, step: step) }
        }
        func unsupported(_ reason: String) -> AudioDeviceError {
            .unsupported(device: device, direction: direction, reason: reason)
        }
        var hardware: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&hardware), "memory")
        defer { snd_pcm_hw_params_free(hardware) }
        try check(snd_pcm_hw_params_any(pcm, hardware), "read its abilities")
        try check(snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0), "switch resampling off")
        guard snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED) == 0 else {
            throw unsupported("has no interleaved access: use it as plug\(device)")
        }
        guard snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(AudioFormat.deviceRate), 0) == 0 else {
            throw unsupported(
                "does not run at 48000 Hz: choose another device, or fix its rate in ALSA's configuration"
            )
        }
        guard let format = formats.first(where: { snd_pcm_hw_params_test_format(pcm, hardware, $0.1) == 0 }) else {
            throw unsupported("offers none of the formats S16, S24, S32 and float: use it as plug\(device)")
        }
        try check(snd_pcm_hw_params_set_format(pcm, hardware, format.1), "set the format")
        // Media has two; what has one alone gets their mean.
        var channels = UInt32(direction == .playback ? max(2, wanted) : wanted)
        try check(snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), "set the channels")
        guard channels >= wanted else {
            throw unsupported("has \(channels) channels, channel \(wanted - 1) does not exist (they count from 0)")
        }
        var period = snd_pcm_uframes_t(AudioFormat.periodFrames)
        try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil), "set the period")
        var buffer = snd_pcm_uframes_t(AudioFormat.periodFrames * periods)
        try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "set the buffer")
        try check(snd_pcm_hw_params(pcm, hardware), "set its parameters")
        guard Int(buffer) >= 3 * AudioFormat.periodFrames else {
            throw unsupported("has a buffer of \(buffer) frames only; \(3 * AudioFormat.periodFrames) are needed")
        }

        var software: OpaquePointer?
        try check(snd_pcm_sw_params_malloc(&software), "memory")
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software), "read its software parameters")
        // Started by hand, so that the first write of a prefill does not start an almost empty buffer.
        var boundary: snd_pcm_uframes_t = 0
        snd_pcm_sw_params_get_boundary(software, &boundary)
        try check(snd_pcm_sw_params_set_start_threshold(pcm, software, boundary), "set the start")
        try check(
            snd_pcm_sw_params_set_avail_min(pcm, software, snd_pcm_uframes_t(AudioFormat.periodFrames)),
            "set the wake-up"
        )
        try check(snd_pcm_sw_params(pcm, software), "set its software parameters")
        return Parameters(
            format: format.0,
            channels: Int(channels),
            periodFrames: Int(period),
            bufferFrames: Int(buffer)
        )
    }
}
