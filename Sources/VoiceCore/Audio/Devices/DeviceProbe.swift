internal import CAlsa

/// What a device can do, and what it grants the daemon.
struct DeviceFacts: Sendable, Equatable {
    /// The ALSA name.
    var device: String
    /// Hz, without ALSA's rate converter.
    var rates: ClosedRange<Int>
    var channels: ClosedRange<Int>
    /// What the daemon would run it with.
    var granted: ALSAStream.Parameters
}

/// Opens a device as the daemon does, and closes it again.
enum DeviceProbe {
    /// Blocks as long as ALSA does.
    ///
    /// - Parameter request: what the configuration says.
    static func look(
        at request: String,
        direction: AudioDirection,
        channels: Int,
        periods: Int
    ) throws(AudioDeviceError) -> DeviceFacts {
        let entries = AudioDeviceCatalog.list()
        let device = try AudioDeviceCatalog.resolve(request, direction: direction, in: entries)
        let stream = try ALSAStream(device: device, direction: direction, channels: channels, periods: periods)
        let granted = stream.parameters
        let (rates, span) = abilities(stream.pcm) ?? (48_000...48_000, granted.channels...granted.channels)
        return DeviceFacts(device: device, rates: rates, channels: span, granted: granted)
    }

    private static func abilities(_ pcm: OpaquePointer) -> (ClosedRange<Int>, ClosedRange<Int>)? {
        var hardware: OpaquePointer?
        // A device that is set up tells all its abilities only once it is set free.
        guard snd_pcm_hw_free(pcm) >= 0, snd_pcm_hw_params_malloc(&hardware) >= 0 else { return nil }
        defer { snd_pcm_hw_params_free(hardware) }
        var rates: (UInt32, UInt32) = (0, 0)
        var channels: (UInt32, UInt32) = (0, 0)
        var direction: Int32 = 0
        guard snd_pcm_hw_params_any(pcm, hardware) >= 0,
            snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0) >= 0,
            snd_pcm_hw_params_get_rate_min(hardware, &rates.0, &direction) >= 0,
            snd_pcm_hw_params_get_rate_max(hardware, &rates.1, &direction) >= 0,
            snd_pcm_hw_params_get_channels_min(hardware, &channels.0) >= 0,
            snd_pcm_hw_params_get_channels_max(hardware, &channels.1) >= 0,
            rates.0 <= rates.1, channels.0 <= channels.1
        else { return nil }
        return (Int(rates.0)...Int(rates.1), Int(channels.0)...Int(channels.1))
    }
}
