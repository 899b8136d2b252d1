internal import CAlsa
internal import Glibc
internal import VoiceBase

extension ALSAStream {
    static let formats: [(SampleFormat, snd_pcm_format_t)] = [
        (.s32, SND_PCM_FORMAT_S32_LE), (.s24, SND_PCM_FORMAT_S24_LE), (.s24packed, SND_PCM_FORMAT_S24_3LE),
        (.float, SND_PCM_FORMAT_FLOAT_LE), (.s20packed, SND_PCM_FORMAT_S20_3LE), (.s16, SND_PCM_FORMAT_S16_LE),
        (.s16big, SND_PCM_FORMAT_S16_BE),
    ]

    /// Sets the best rate of the device, a supported format, and periods of about 10 ms. ALSA's rate converter is disabled:
    /// without its plugins it is linear, and no sound server reports which one is in use.
    ///
    /// If all channels are wanted, the rate is the best of those at which the device has the most channels. A
    /// microphone behind a `plug` is opened with the channels of its card: `plug` would add silent channels, or give
    /// the mean of all of them as one.
    static func configure(
        _ pcm: OpaquePointer,
        device: String,
        direction: AudioDirection,
        request: Request
    ) throws(AudioDeviceError) -> StreamPlan {
        let plan: StreamPlan
        do {
            plan = try set(pcm, device: device, direction: direction, request: request)
        } catch .busy, .failed {
            // Some cards refuse the first parameters after they were plugged in, opened or used by another program.
            usleep(secondTry)
            snd_pcm_hw_free(pcm)
            plan = try set(pcm, device: device, direction: direction, request: request)
        }
        guard direction == .capture, let own = channels(of: pcm, plan, request), own != plan.channels else {
            return plan
        }
        // `plug` turns two channels into their mean, as the daemon does, or into the one that the user's `ttable` names.
        if plan.channels == 1, own == 2, request.channels == .atLeast(1) { return plan }
        if case .atLeast(let wanted) = request.channels, own < wanted {
            throw .unsupported(
                device: device, direction: direction, reason: StreamRefusal.channels(own, wanted: wanted)
            )
        }
        snd_pcm_hw_free(pcm)
        var request = request
        request.channels = .atLeast(own)
        request.rate = plan.rate
        return try set(pcm, device: device, direction: direction, request: request)
    }

    /// Pause before a card that refused its parameters is tried again, in microseconds.
    private static let secondTry: UInt32 = 100_000

    /// Returns the device's own channels if its plugins grant others; nil if they are unknown. A sound server also
    /// grants any number.
    private static func channels(of pcm: OpaquePointer, _ plan: StreamPlan, _ request: Request) -> Int? {
        if plan.server != nil { return request.channels == .all ? min(2, plan.channels) : nil }
        return PluginChain(of: pcm)?.channelsBehindPlug
    }

    private static func set(
        _ pcm: OpaquePointer,
        device: String,
        direction: AudioDirection,
        request: Request
    ) throws(AudioDeviceError) -> StreamPlan {
        func check(_ code: Int32, _ step: String) throws(AudioDeviceError) {
            if code < 0 { throw .from(code, device: device, direction: direction, step: step) }
        }
        func unsupported(_ reason: String) -> AudioDeviceError {
            .unsupported(device: device, direction: direction, reason: reason)
        }
        var hardware: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&hardware), "memory")
        defer { snd_pcm_hw_params_free(hardware) }
        // A card itself has no definition that could be wrong.
        guard snd_pcm_hw_params_any(pcm, hardware) != -EINVAL || device.hasPrefix("hw:") else {
            throw unsupported(StreamRefusal.undefined)
        }
        try check(snd_pcm_hw_params_any(pcm, hardware), "read its capabilities")
        try check(snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0), "switch resampling off")
        let abilities = DeviceAbilities(pcm, hardware)
        let refusal = StreamRefusal(device: device, direction: direction, abilities: abilities)
        guard snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED) == 0 else {
            throw unsupported(refusal.access)
        }
        let wanted = request.channels.wanted(of: abilities, direction)
        // Media has two channels; a mono device gets their mean.
        let least = direction == .playback ? max(2, wanted) : wanted
        guard
            let (rate, channels) = try choose(
                pcm,
                hardware,
                among: request.rate.map { [$0] } ?? SampleRates.preferred(direction),
                wanted: least
            )
        else { throw unsupported(refusal.rate(fixed: request.rate)) }
        guard channels >= wanted || request.channels == .all else {
            throw unsupported(StreamRefusal.channels(channels, wanted: wanted))
        }
        guard let format = formats.first(where: { snd_pcm_hw_params_test_format(pcm, hardware, $0.1) == 0 }) else {
            throw unsupported(refusal.format)
        }
        try check(snd_pcm_hw_params_set_format(pcm, hardware, format.1), "set the format")
        var plan = StreamPlan(format: format.0, rate: rate, channels: channels, periodFrames: 0, bufferFrames: 0)
        let cycle = plan.cycleFrames
        var period = snd_pcm_uframes_t(cycle)
        try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil), "set the period")
        // A card with longer steps needs room for the step it takes and the one it waits for.
        plan.server = SoundServer(behind: pcm)
        let step = max(Int(period), plan.serverStep * rate / AudioFormat.deviceRate)
        let steps = step > cycle * 3 / 2 ? 2 * step : 0
        var buffer = snd_pcm_uframes_t(cycle * request.periods + steps)
        try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "set the buffer")
        try check(snd_pcm_hw_params(pcm, hardware), "set its parameters")
        plan.periodFrames = Int(period)
        plan.bufferFrames = Int(buffer)
        guard plan.bufferFrames >= plan.leastBuffer else {
            throw unsupported(
                "has a buffer of only \(buffer) frames (\(plan.bufferMilliseconds) ms), for cycles of 10 ms: choose "
                    + "another device"
            )
        }
        try start(pcm, plan, check)
        return plan
    }

    /// Sets the first rate at which the device has the wanted channels, else the one at which it has the most; nil if it runs
    /// at none of them.
    private static func choose(
        _ pcm: OpaquePointer,
        _ hardware: OpaquePointer?,
        among rates: [Int],
        wanted: Int
    ) throws(AudioDeviceError) -> (rate: Int, channels: Int)? {
        var trial: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&trial) >= 0 else { return nil }
        defer { snd_pcm_hw_params_free(trial) }
        var most: (rate: Int, channels: Int)?
        for rate in rates {
            snd_pcm_hw_params_copy(trial, hardware)
            var channels = UInt32(wanted)
            guard snd_pcm_hw_params_set_rate(pcm, trial, UInt32(rate), 0) == 0,
                snd_pcm_hw_params_set_channels_near(pcm, trial, &channels) == 0
            else { continue }
            if most.map({ $0.channels < min(wanted, Int(channels)) }) ?? true { most = (rate, Int(channels)) }
            if let most, most.channels >= wanted { break }
        }
        guard let most else { return nil }
        guard snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(most.rate), 0) == 0,
            snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(most.channels)) == 0
        else { return nil }
        return most
    }

    /// Makes playback start explicitly, so that the first write of a prefill does not start an almost empty buffer, and wakes
    /// the thread every 10 ms.
    private static func start(
        _ pcm: OpaquePointer,
        _ plan: StreamPlan,
        _ check: (Int32, String) throws(AudioDeviceError) -> Void
    ) throws(AudioDeviceError) {
        var software: OpaquePointer?
        try check(snd_pcm_sw_params_malloc(&software), "memory")
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software), "read its software parameters")
        var boundary: snd_pcm_uframes_t = 0
        snd_pcm_sw_params_get_boundary(software, &boundary)
        try check(snd_pcm_sw_params_set_start_threshold(pcm, software, boundary), "set the start")
        let wake = snd_pcm_uframes_t(min(plan.cycleFrames, plan.bufferFrames))
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, wake), "set the wake-up")
        try check(snd_pcm_sw_params(pcm, software), "set its software parameters")
    }
}

extension ALSAStream.Request.Channels {
    /// Returns the number of channels to request from a device.
    func wanted(of abilities: DeviceAbilities, _ direction: AudioDirection) -> Int {
        let most = abilities.channels.upperBound
        return switch self {
        case .atLeast(let count): count
        // A device that grants any number is a plugin: requests all channels of the microphones behind it.
        case .all: most <= ChannelMap.most ? most : direction == .capture ? ChannelMap.most : 2
        }
    }
}
